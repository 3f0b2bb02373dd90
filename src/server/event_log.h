// The events of a solve, for any number of viewers: whoever comes late gets all of them.
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

// Up to where a viewer has read.
struct LogPosition {
  std::size_t events = 0;
  long picture = 0;  // the last one
  std::chrono::steady_clock::time_point shown{};
};

// Events are kept as text, a tenth of what their values would take. Every method may be called from
// several threads.
class EventLog {
 public:
  explicit EventLog(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // `data` is one line of JSON. False when there is no room for it.
  bool append(std::string_view kind, const std::string& data);
  // The newest picture replaces the one before it; it is no event of the log.
  void show(std::string_view kind, const std::string& data);
  // The last event: nothing comes after it.
  void end(std::string_view kind, const std::string& data);

  // What is new to this viewer, as server-sent events, some of it where it is much; empty when
  // nothing came in time. Pictures come at most a few dozen times a second.
  std::string next(LogPosition& position, std::chrono::milliseconds patience) const;
  // Whether the viewer has the last event.
  bool over(const LogPosition& position) const;

  // The data of all events of a kind, a line each.
  std::string lines(std::string_view kind) const;

  bool ended() const;
  bool begun() const;  // a picture was shown
  std::size_t bytes() const;

 private:
  std::string waiting(LogPosition& position) const;
  bool add(std::string_view kind, const std::string& data, std::size_t most_bytes);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
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
