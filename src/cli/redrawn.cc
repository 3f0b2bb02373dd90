#include "cli/redrawn.h"

#include <fmt/core.h>

namespace umf {

// In one write, so that no half of a picture is seen.
void Redrawn::draw(const std::vector<std::string>& lines) {
  std::string text = lines_ > 0 ? fmt::format("\x1b[{}A\r", lines_) : "\r";
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  text += "\x1b[J";
  lines_ = lines.size();
  std::fwrite(text.data(), 1, text.size(), terminal_);
  std::fflush(terminal_);
}

void Redrawn::clear() {
  if (lines_ == 0) return;
  const std::string text = fmt::format("\x1b[{}A\r\x1b[J", lines_);
  lines_ = 0;
  std::fputs(text.c_str(), terminal_);
  std::fflush(terminal_);
}

}  // namespace umf
