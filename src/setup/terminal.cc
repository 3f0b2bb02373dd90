#include "setup/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>

namespace umf {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_live_terminal(std::FILE* stream) {
  const std::string_view terminal = environment("TERM");
  return ::isatty(::fileno(stream)) != 0 && !terminal.empty() && terminal != "dumb";
}

TerminalSize terminal_size(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

std::string_view fitting(std::string_view text, int columns) {
  if (columns == 0 || text.size() < static_cast<std::size_t>(columns)) return text;
  std::size_t end = static_cast<std::size_t>(columns - 1);
  const auto inside_character = [&] {
    return (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;
  };
  while (end > 0 && inside_character()) --end;
  return text.substr(0, end);
}

Paint::Paint(std::FILE* stream)
    : on_(is_live_terminal(stream) && environment("NO_COLOR").empty()) {}

std::string_view author_colour(int number) {
  constexpr std::string_view kColours[] = {"36", "33", "35", "34", "32", "31"};
  return kColours[static_cast<std::size_t>(number) % std::size(kColours)];
}

std::string Paint::author(int number, std::string_view text) const {
  return with(author_colour(number), text);
}

std::string Paint::with(std::string_view code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string harmless(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    if (control)
      safe += "\xEF\xBF\xBD";
    else
      safe += c;
  }
  return safe;
}

}  // namespace umf
