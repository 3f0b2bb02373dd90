#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace umf {

bool stderr_is_live() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

bool stderr_has_colour() {
  const char* refused = std::getenv("NO_COLOR");
  return stderr_is_live() && (refused == nullptr || *refused == '\0');
}

TerminalSize stderr_size() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace umf
