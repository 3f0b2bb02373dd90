#include "server/story.h"

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

bool Story::tell(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  return add(kind, data, most_bytes_);
}

bool Story::add(std::string_view kind, const std::string& data, std::size_t most_bytes) {
  if (ended_) return true;
  if (bytes_ + data.size() > most_bytes) return false;
  bytes_ += data.size();
  events_.push_back({std::string(kind), data});
  news_.notify_all();
  return true;
}

void Story::show(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  picture_ = sent(kind, data);
  ++pictures_;
  news_.notify_all();
}

// There is always room for it.
void Story::end(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  add(kind, data, std::numeric_limits<std::size_t>::max());
  picture_.clear();
  ended_ = true;
}

std::string Story::next(StoryMark& mark, std::chrono::milliseconds patience) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + patience;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (std::string text = waiting(mark); !text.empty()) return text;
    const bool picture_waits = mark.picture != pictures_ && !picture_.empty();
    const Clock::time_point until =
        picture_waits ? std::min(deadline, mark.shown + kBetweenPictures) : deadline;
    if (Clock::now() >= deadline) return "";
    news_.wait_until(lock, until);
  }
}

std::string Story::waiting(StoryMark& mark) const {
  std::string text;
  while (mark.events < events_.size() && text.size() < kBytesAtOnce) {
    const auto& [kind, data] = events_[mark.events++];
    text += fmt::format("id: {}\n{}", mark.events, sent(kind, data));
  }
  if (mark.events < events_.size() || picture_.empty() || mark.picture == pictures_) return text;
  const auto now = std::chrono::steady_clock::now();
  if (now - mark.shown < kBetweenPictures) return text;
  mark.picture = pictures_;
  mark.shown = now;
  return text + picture_;
}

bool Story::over(const StoryMark& mark) const {
  const std::lock_guard lock(mutex_);
  return ended_ && mark.events >= events_.size();
}

std::string Story::lines(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const Event& event : events_) {
    if (event.kind == kind) text += event.data + "\n";
  }
  return text;
}

bool Story::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool Story::begun() const {
  const std::lock_guard lock(mutex_);
  return pictures_ > 0;
}

std::size_t Story::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace umf
