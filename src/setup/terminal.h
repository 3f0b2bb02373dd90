// What a terminal can show. Colours only there, and never when NO_COLOR is set.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace umf {

// Whether the stream is a terminal that understands more than plain text.
bool is_live_terminal(std::FILE* stream);

struct TerminalSize {
  int columns = 0, rows = 0;  // 0: no terminal
};
TerminalSize terminal_size(std::FILE* stream);  // now: users change it

// The beginning of a text that stays on one line of so many columns, in whole characters. Not the
// last column: what stands there makes some terminals begin a new line. A byte counts as a column.
// Some terminals do not tell their size: with 0 columns everything fits.
std::string_view fitting(std::string_view text, int columns);

// The code of the colour that one of several authors has everywhere.
std::string_view author_colour(int number);

class Paint {
 public:
  explicit Paint(std::FILE* stream);

  bool on() const { return on_; }
  std::string bold(std::string_view text) const { return with("1", text); }
  std::string dim(std::string_view text) const { return with("2", text); }
  std::string good(std::string_view text) const { return with("32", text); }
  std::string bad(std::string_view text) const { return with("31", text); }
  // One of several authors, each in a colour of its own.
  std::string author(int number, std::string_view text) const;

 private:
  std::string with(std::string_view code, std::string_view text) const;

  bool on_;
};

// Control characters other than newline and tab become U+FFFD: a model's text must not command the
// terminal.
std::string harmless(std::string_view text);

}  // namespace umf
