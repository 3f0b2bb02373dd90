#include "server/story.h"

#include <fmt/core.h>

#include <algorithm>

namespace umf {
namespace {

constexpr std::size_t kBytesAtOnce = 1 << 18;
constexpr std::chrono::milliseconds kBetweenPictures{40};

std::string sent(std::string_view kind, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", kind, data);
}

}  // namespace

bool Story::tell(std::string_view kind, const std::string& data) {
  const std::lock_guard lock(mutex_);
  if (ended_) return true;
  std::string event = fmt::format("id: {}\n{}", events_.size() + 1, sent(kind, data));
  if (bytes_ + event.size() > most_bytes_) return false;
  bytes_ += event.size();
  events_.push_back(std::move(event));
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
  if (ended_) return;
  events_.push_back(fmt::format("id: {}\n{}", events_.size() + 1, sent(kind, data)));
  bytes_ += events_.back().size();
  picture_.clear();
  ended_ = true;
  news_.notify_all();
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
  while (mark.events < events_.size() && text.size() < kBytesAtOnce) text += events_[mark.events++];
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
