#include "setup/pace.h"

#include <algorithm>
#include <cmath>

#include "base/elementary.h"

namespace umf {

void Pace::note(double done, double seconds) {
  if (!begun_) {
    begun_ = true;
    first_seconds_ = last_seconds_ = seconds;
    last_done_ = done;
    return;
  }
  const double step = std::max(0.0, seconds - last_seconds_);
  const double memory = std::max(30.0, (seconds - first_seconds_) / 4);
  const double kept = elementary::exp(-step / memory);
  work_ = work_ * kept + std::max(0.0, done - last_done_);
  time_ = time_ * kept + step;
  last_seconds_ = seconds;
  last_done_ = std::max(last_done_, done);
}

std::optional<double> Pace::seconds_left(double total) const {
  if (!(per_second() > 0)) return std::nullopt;
  return std::max(0.0, total - last_done_) / per_second();
}

}  // namespace umf
