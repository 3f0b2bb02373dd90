#include "setup/progress.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "setup/say.h"
#include "setup/terminal.h"

namespace umf {

Progress::Progress(bool quiet, std::string unit)
    : quiet_(quiet),
      live_(is_live_terminal(stderr)),
      unit_(std::move(unit)),
      start_(Clock::now()),
      last_(start_) {}

void Progress::clear() {
  if (live_ && std::exchange(shown_, false)) std::fputs("\r\x1b[K", stderr);
}

std::string time_in_words(double seconds) {
  const long minutes = std::lround(seconds / 60);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

void Progress::show(int done, int total, const std::string& detail) {
  count(done);
  show([&] { return text(done, total, detail); });
}

void Progress::count(int done) {
  if (first_step_ < 0) first_step_ = seconds();
  pace_.note(done, seconds());
}

std::string Progress::text(int done, int total, const std::string& detail) {
  count(done);
  std::optional<double> left = pace_.seconds_left(total);
  if (limit_seconds_) {
    const double of_time = std::max(0.0, first_step_ + *limit_seconds_ - seconds());
    left = std::min(left.value_or(of_time), of_time);
  }
  return fmt::format(
      "{}{} {}, {:.1f}/s{}  {}", done, total > 0 ? fmt::format("/{}", total) : std::string(), unit_,
      pace_.per_second(), left ? fmt::format(", {} left", time_in_words(*left)) : "", detail);
}

void Progress::show(const std::function<std::string()>& text) {
  if (quiet_) return;
  const auto now = Clock::now();
  const auto interval = live_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (now - last_ < interval) return;
  last_ = now;
  shown_ = true;
  // A live line that went on below itself could not be written over.
  if (live_)
    say("\r{}\x1b[K", fitting(text(), terminal_size(stderr).columns));
  else
    say("{}\n", text());
  std::fflush(stderr);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace umf
