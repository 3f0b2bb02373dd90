// What happened in a solve, told to any number of viewers: who comes late hears all of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

// Pictures come no faster than this: two dozen a second look smooth.
inline constexpr std::chrono::milliseconds kBetweenPictures{40};

// Where a viewer is.
struct StoryMark {
  std::size_t events = 0;  // heard
  long picture = 0;        // seen last
  std::chrono::steady_clock::time_point shown{};
};

// Every method may be called from several threads.
class Story {
 public:
  explicit Story(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // An event that stays; `data` is one line of JSON. False when there is no room for it.
  bool tell(std::string_view kind, const std::string& data);
  // The newest picture replaces the one before it; it is no event of the story.
  void show(std::string_view kind, const std::string& data);
  // The last event: nothing comes after it.
  void end(std::string_view kind, const std::string& data);

  // What is new to this viewer, as server-sent events, some of it where it is much; empty when
  // nothing came in time. Pictures come at most a few dozen times a second.
  std::string next(StoryMark& mark, std::chrono::milliseconds patience) const;
  // Whether the viewer heard the end.
  bool over(const StoryMark& mark) const;

  // The data of all events of a kind, a line each.
  std::string lines(std::string_view kind) const;

  bool ended() const;
  bool begun() const;  // a picture was shown
  std::size_t bytes() const;

 private:
  std::string waiting(StoryMark& mark) const;
  bool add(std::string_view kind, const std::string& data, std::size_t most_bytes);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  struct Event {
    std::string kind, data;
  };
  std::vector<Event> events_;
  std::string picture_;
  long pictures_ = 0;
  std::size_t bytes_ = 0;
  bool ended_ = false;
};

}  // namespace umf
