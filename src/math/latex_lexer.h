// LaTeX mathematics as tokens.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

// A text that the grammar does not cover. Part of the work: its reader tries the next candidate.
struct NotUnderstood : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class TokenKind {
  kNumber,        // digits, with an optional point or exponent
  kLetter,        // one letter
  kDifferential,  // d and a letter: "dx"
  kCommand,       // one of the known commands, with its backslash
  kGroup,         // a command that takes its argument raw: \text, \overline, \begin; `argument`
  kCharacter,     // anything else
  kEnd,
};

struct LatexToken {
  TokenKind kind;
  std::string text;           // "\text"
  std::string argument = {};  // "cm"
  std::size_t begin = 0, end = 0;
};

// Commands are found by their longest known beginning, as the reference does it: "\quadx" is \quad
// and x. White space and its commands are dropped, and so are styles around what is mathematics:
// \text{cm} is a group, \text{\frac12} the braces and what is in them. Ends with kEnd. Throws
// NotUnderstood for an unknown command, MathLimit for a text that is too long.
std::vector<LatexToken> latex_tokens(std::string_view text);

// Does the command set its argument in another style, such as \text and \mathbf?
bool is_style(std::string_view command);

// Is the argument of a style mathematics, rather than words? Words have two letters in a row, names
// of things end in digits, and 12:30, 3-4 or 10 000 in a text is no arithmetic.
bool is_mathematics(std::string_view text);

// "alpha" for "\alpha", "\Re" for itself; empty for what is no letter.
std::string letter_of_command(const std::string& command);

}  // namespace umf
