// Progress on stderr: a live line on a terminal, a plain line every few seconds otherwise.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "setup/pace.h"

namespace umf {

// "40 s", "12 min", "3 h 20 min".
std::string time_in_words(double seconds);

class Progress {
 public:
  explicit Progress(bool quiet, std::string unit = "passes");
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void clear();  // removes the live line
  // Work ends after so many seconds from the first step, if nothing ends it before.
  void set_limit(double seconds) { limit_seconds_ = seconds; }
  // Shows `done` of `total` and the time left, with `detail` behind it. Cheap to call often.
  void show(int done, int total, const std::string& detail);
  // The same as text, for those who show it themselves.
  std::string text(int done, int total, const std::string& detail);
  // Any text, made when it is time to show it.
  void show(const std::function<std::string()>& text);
  double seconds() const;  // since the start

 private:
  void count(int done);

  using Clock = std::chrono::steady_clock;
  bool quiet_, live_, shown_ = false;
  std::string unit_;
  Clock::time_point start_, last_;
  Pace pace_;
  std::optional<double> limit_seconds_;
  double first_step_ = -1;  // seconds(); negative: none yet
};

}  // namespace umf
