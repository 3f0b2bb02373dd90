#include "solve/deadline.h"

#include <utility>

namespace umf {

Deadline::Deadline(double seconds, std::function<double()> earlier)
    : seconds_(seconds), earlier_(std::move(earlier)) {}

void Deadline::begin() {
  Clock::rep none = 0;
  begun_.compare_exchange_strong(none, Clock::now().time_since_epoch().count());
}

bool Deadline::over() const {
  if (extended_) return false;
  double seconds = earlier_ ? earlier_() : 0;
  if (const Clock::rep begun = begun_; begun != 0) {
    const auto start = Clock::time_point(Clock::duration(begun));
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
  return seconds >= seconds_;
}

Deadline::Extension::Extension(Deadline* deadline) : deadline_(deadline) {
  if (deadline_ != nullptr) deadline_->extended_ = true;
}

Deadline::Extension::~Extension() {
  if (deadline_ != nullptr) deadline_->extended_ = false;
}

}  // namespace umf
