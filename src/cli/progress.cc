#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace umf {
namespace {

bool stderr_is_live() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

Progress::Progress(bool quiet, std::string unit)
    : quiet_(quiet),
      live_(stderr_is_live()),
      unit_(std::move(unit)),
      start_(Clock::now()),
      last_(start_) {}

void Progress::clear() {
  if (live_ && std::exchange(shown_, false)) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(int done, int total, const std::string& detail) {
  if (quiet_) return;
  const auto now = Clock::now();
  const auto interval = live_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (now - last_ < interval) return;
  last_ = now;
  shown_ = true;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double left = done > 0 ? spent / done * (total - done) : 0;
  fmt::print(stderr, "{}{}/{} {}, {:.1f}/s, {:.0f} s left  {}{}", live_ ? "\r" : "", done, total,
             unit_, done / spent, left, detail, live_ ? "\x1b[K" : "\n");
  std::fflush(stderr);
}

}  // namespace umf
