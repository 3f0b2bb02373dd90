// When the time of a search is up.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace umf {

// The clock begins with the first forward pass, so that loading a model takes nothing from the
// search. begin() and over() may be called by any thread while walks are made.
class Deadline {
 public:
  // `earlier` gives the seconds that earlier runs of the same search took; it may be empty.
  explicit Deadline(double seconds, std::function<double()> earlier = {});

  void begin();  // later calls change nothing
  bool over() const;

  // While it lives the time is not up: for walks that only complete what was found in time.
  class Extension {
   public:
    explicit Extension(Deadline* deadline);  // may be null
    ~Extension();
    Extension(const Extension&) = delete;
    Extension& operator=(const Extension&) = delete;

   private:
    Deadline* deadline_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  const double seconds_;
  const std::function<double()> earlier_;
  std::atomic<Clock::rep> begun_ = 0;  // 0: not yet
  std::atomic<bool> extended_ = false;
};

}  // namespace umf
