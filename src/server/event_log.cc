#include "server/event_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace umf {
namespace {

constexpr std::size_t kBytesAtOnce = 1 << 18;

std::string sent(std::string_view kind, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", kind, data);
}

}  // namespace

bool EventLog::append(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  return add(kind, data, most_bytes_);
}

bool EventLog::add(std::string_view kind, const std::string& data, std::size_t most_bytes) {
  if (ended_) return true;
  if (bytes_ + data.size() > most_bytes) return false;
  bytes_ += data.size();
  events_.push_back({std::string(kind), data});
  changed_.notify_all();
  return true;
}

void EventLog::show(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  picture_ = sent(kind, data);
  ++pictures_;
  changed_.notify_all();
}

// There is always room for it.
void EventLog::end(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  add(kind, data, std::numeric_limits<std::size_t>::max());
  picture_.clear();
  ended_ = true;
}

std::string EventLog::next(LogPosition& position, std::chrono::milliseconds patience) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + patience;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (std::string text = waiting(position); !text.empty()) return text;
    const bool picture_waits = position.picture != pictures_ && !picture_.empty();
    const Clock::time_point until =
        picture_waits ? std::min(deadline, position.shown + kBetweenPictures) : deadline;
    if (Clock::now() >= deadline) return "";
    changed_.wait_until(lock, until);
  }
}

std::string EventLog::waiting(LogPosition& position) const {
  std::string text;
  while (position.events < events_.size() && text.size() < kBytesAtOnce) {
    const auto& [kind, data] = events_[position.events++];
    text += fmt::format("id: {}\n{}", position.events, sent(kind, data));
  }
  if (position.events < events_.size() || picture_.empty() || position.picture == pictures_)
    return text;
  const auto now = std::chrono::steady_clock::now();
  if (now - position.shown < kBetweenPictures) return text;
  position.picture = pictures_;
  position.shown = now;
  return text + picture_;
}

bool EventLog::over(const LogPosition& position) const {
  const std::lock_guard lock(mutex_);
  return ended_ && position.events >= events_.size();
}

std::string EventLog::lines(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const Event& event : events_) {
    if (event.kind == kind) text += event.data + "\n";
  }
  return text;
}

bool EventLog::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool EventLog::begun() const {
  const std::lock_guard lock(mutex_);
  return pictures_ > 0;
}

std::size_t EventLog::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace umf
