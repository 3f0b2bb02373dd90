#include "cli/progress.h"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include "cli/terminal.h"

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

void Progress::show(int done, int total, const std::string& detail) {
  show([&] { return text(done, total, detail); });
}

std::string Progress::text(int done, int total, const std::string& detail) const {
  const double spent = seconds();
  const double left = done > 0 ? spent / done * (total - done) : 0;
  return fmt::format("{}/{} {}, {:.1f}/s, {:.0f} s left  {}", done, total, unit_, done / spent,
                     left, detail);
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
    fmt::print(stderr, "\r{}\x1b[K", fitting(text(), stderr_size().columns));
  else
    fmt::print(stderr, "{}\n", text());
  std::fflush(stderr);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace umf
