// Progress on stderr: a live line on a terminal, a plain line every few seconds otherwise.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace umf {

class Progress {
 public:
  explicit Progress(bool quiet, std::string unit = "passes");
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void clear();  // removes the live line
  // Shows `done` of `total` and the time left, with `detail` behind it. Cheap to call often.
  void show(int done, int total, const std::string& detail);
  // The same as text, for those who show it themselves.
  std::string text(int done, int total, const std::string& detail) const;
  // Any text, made when it is time to show it.
  void show(const std::function<std::string()>& text);
  double seconds() const;  // since the start

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_, live_, shown_ = false;
  std::string unit_;
  Clock::time_point start_, last_;
};

}  // namespace umf
