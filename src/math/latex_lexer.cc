#include "math/latex_lexer.h"

#include <algorithm>
#include <map>

#include "math/expr.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr std::size_t kTextLimit = 16 << 10, kTokenLimit = 4096;

enum class CommandKind {
  kLetter,
  kSign,     // means something to the grammar
  kDropped,  // white space and sizes of brackets
  // From here on, not found as beginnings of longer words: \\dots is not \\dot and s, \\overset not
  // \\over and set.
  kInfix,
  kSwitch,  // a change of style or size to the end of its group, or a mark without a meaning
  kStyle,   // of its argument
  kGroup,   // takes its argument raw for other reasons
};

const std::map<std::string_view, CommandKind>& commands() {
  static const auto table = [] {
    std::map<std::string_view, CommandKind> all;
    const auto add = [&all](CommandKind kind, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) all.emplace(name, kind);
    };
    add(CommandKind::kLetter,
        {"alpha",         "beta",     "gamma",    "delta",    "epsilon", "varepsilon",
         "zeta",          "eta",      "theta",    "vartheta", "iota",    "kappa",
         "lambda",        "mu",       "nu",       "xi",       "omicron", "rho",
         "varrho",        "sigma",    "varsigma", "tau",      "upsilon", "phi",
         "varphi",        "chi",      "psi",      "omega",    "Gamma",   "Delta",
         "Theta",         "Lambda",   "Xi",       "Pi",       "Sigma",   "Upsilon",
         "Phi",           "Psi",      "Omega",    "ell",      "hbar",    "angle",
         "measuredangle", "triangle", "square",   "imath",    "jmath"});
    add(CommandKind::kSign,
        {// operators and relations
         "cdot", "times", "ast", "div", "mod", "pm", "mp", "pi", "infty", "le", "leq", "leqslant",
         "lt", "ge", "geq", "geqslant", "gt", "ne", "neq", "equiv", "approx", "simeq", "in",
         "notin", "cup", "bigcup", "cap", "bigcap", "setminus", "backslash", "smallsetminus", "to",
         "rightarrow", "choose", "colon", "circ", "degree", "prime", "%", "frac", "sqrt", "binom",
         "dbinom", "tbinom", "sum", "prod", "int", "lim", "emptyset", "varnothing", "partial",
         // functions
         "log", "lg", "ln", "exp", "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos",
         "arctan", "arccot", "arcsec", "arccsc", "sinh", "cosh", "tanh", "coth", "arcsinh",
         "arccosh", "arctanh", "arsinh", "arcosh", "artanh", "max", "min", "gcd", "lcm",
         // brackets
         "{", "}", "(", ")", "[", "]", "lbrace", "rbrace", "lvert", "rvert", "vert", "lfloor",
         "rfloor", "lceil", "rceil", "lbrack", "rbrack", "lparen", "rparen", "\\", "Re", "Im"});
    add(CommandKind::kDropped,
        {",",      ";",        ":",         " ",    "quad", "qquad", "left",         "right",
         "bigl",   "bigr",     "Bigl",      "Bigr", "big",  "Big",   "displaystyle", "textstyle",
         "limits", "nolimits", "thinspace", "space"});
    add(CommandKind::kInfix, {"over", "atop"});
    add(CommandKind::kSwitch,
        {"bf", "rm", "it", "sf", "tt", "tiny", "small", "large", "Large", "LARGE", "huge", "Huge",
         "checkmark", "blacksquare", "newline", "hfill"});
    add(CommandKind::kStyle,
        {"text",   "mbox",   "textbf",     "textit", "textrm", "textnormal", "textsf",
         "texttt", "mathbf", "mathrm",     "mathit", "mathsf", "mathtt",     "mathnormal",
         "bm",     "pmb",    "boldsymbol", "emph",   "hbox",   "underline"});
    add(CommandKind::kGroup, {"begin", "end", "overline", "bar", "vec", "hat", "tilde", "widehat",
                              "widetilde", "dot", "ddot", "check", "mathbb", "overrightarrow",
                              "overleftarrow", "operatorname", "mathcal", "mathfrak", "mathscr"});
    return all;
  }();
  return table;
}

bool is_kind(std::string_view name, CommandKind kind) {
  const auto found = commands().find(name);
  return found != commands().end() && found->second == kind;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<LatexToken> run() {
    if (text_.size() > kTextLimit) throw MathLimit("an answer of too many characters");
    while (at_ < text_.size()) {
      step();
      if (tokens_.size() > kTokenLimit) throw MathLimit("an answer of too many tokens");
    }
    push(TokenKind::kEnd, "", at_);
    return std::move(tokens_);
  }

 private:
  void push(TokenKind kind, std::string text, std::size_t begin) {
    tokens_.push_back({kind, std::move(text), {}, begin, at_});
  }

  void step() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    if (is_space(c) || c == '~') {
      ++at_;
    } else if (is_digit(c) || (c == '.' && next_is_digit(at_ + 1))) {
      number();
    } else if (c == '\\') {
      command();
    } else if (c == 'd' && differential()) {
    } else if (is_letter(c)) {
      ++at_;
      push(TokenKind::kLetter, std::string(1, c), begin);
    } else {
      at_ += character_length(text_, at_);
      push(TokenKind::kCharacter, std::string(text_.substr(begin, at_ - begin)), begin);
    }
  }

  bool next_is_digit(std::size_t at) const { return at < text_.size() && is_digit(text_[at]); }

  void skip_digits() {
    while (next_is_digit(at_)) ++at_;
  }

  void number() {
    const std::size_t begin = at_;
    skip_digits();
    if (at_ < text_.size() && text_[at_] == '.' && next_is_digit(at_ + 1)) {
      ++at_;
      skip_digits();
    }
    if (at_ < text_.size() && text_[at_] == 'E') {
      std::size_t digits = at_ + 1;
      if (digits < text_.size() && (text_[digits] == '-' || text_[digits] == '+')) ++digits;
      if (next_is_digit(digits)) {
        at_ = digits;
        skip_digits();
      }
    }
    push(TokenKind::kNumber, std::string(text_.substr(begin, at_ - begin)), begin);
  }

  bool differential() {
    std::size_t letter = at_ + 1;
    while (letter < text_.size() && is_space(text_[letter])) ++letter;
    if (letter >= text_.size() || !is_letter(text_[letter])) return false;
    const std::size_t begin = at_;
    at_ = letter + 1;
    push(TokenKind::kDifferential, std::string("d") + text_[letter], begin);
    return true;
  }

  bool ends_at(std::size_t length) const {
    return at_ + 1 + length >= text_.size() || !is_letter(text_[at_ + 1 + length]);
  }

  void command() {
    const std::size_t begin = at_;
    std::size_t longest = 0;
    CommandKind kind{};
    const std::size_t most = std::min<std::size_t>(text_.size() - at_ - 1, 16);
    for (std::size_t length = 1; length <= most; ++length) {
      const auto found = commands().find(text_.substr(at_ + 1, length));
      if (found == commands().end()) continue;
      if (found->second >= CommandKind::kInfix && !ends_at(length)) continue;
      longest = length;
      kind = found->second;
    }
    if (longest == 0) throw NotUnderstood("an unknown command");
    at_ += 1 + longest;
    const std::string name(text_.substr(begin, 1 + longest));
    if (kind == CommandKind::kStyle && at_mathematics()) return;
    if (kind == CommandKind::kStyle || kind == CommandKind::kGroup) return group(name, begin);
    if (kind == CommandKind::kDropped || kind == CommandKind::kSwitch) return;
    push(TokenKind::kCommand, name, begin);
  }

  bool at_mathematics() {
    skip_spaces();
    if (next_is_digit(at_)) return true;
    if (at_ >= text_.size() || text_[at_] != '{') return false;
    const std::size_t end = after_closing_brace(text_, at_);
    return end != std::string_view::npos && is_mathematics(text_.substr(at_ + 1, end - at_ - 2));
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  void group(const std::string& name, std::size_t begin) {
    skip_spaces();
    if (at_ >= text_.size()) throw NotUnderstood("a command without its argument");
    std::string argument;
    if (text_[at_] == '{') {
      const std::size_t end = after_closing_brace(text_, at_);
      if (end == std::string_view::npos) throw NotUnderstood("a brace that is never closed");
      argument = text_.substr(at_ + 1, end - at_ - 2);
      at_ = end;
    } else {
      if (!is_letter(text_[at_]) && !is_digit(text_[at_])) {
        throw NotUnderstood("a command without its argument");
      }
      argument = text_[at_++];
    }
    push(TokenKind::kGroup, name, begin);
    tokens_.back().argument = std::move(argument);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<LatexToken> tokens_;
};

}  // namespace

std::vector<LatexToken> latex_tokens(std::string_view text) { return Lexer(text).run(); }

bool is_mathematics(std::string_view text) {
  bool command = false, digit = false, sign = false, range = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (c == '\\' && is_letter(next)) {
      std::size_t end = at + 1;
      while (end < text.size() && is_letter(text[end])) ++end;
      command = true;
      const bool style = is_style(text.substr(at, end - at));
      const std::size_t close = style ? text.find_first_of("{}", end + 1) : std::string_view::npos;
      // Words inside a style of their own do not count.
      const bool words = close < text.size() && text[end] == '{' && text[close] == '}';
      at = (words ? close : end - 1);
      continue;
    }
    if (c == '\\') {
      ++at;  // a space or a bracket
      continue;
    }
    if (is_letter(c) && (is_letter(next) || is_digit(next))) return false;
    if (is_digit(c) && is_space(next)) {
      const std::size_t behind = text.find_first_not_of(" \t\n", at + 1);
      if (behind != std::string_view::npos && is_digit(text[behind])) return false;
    }
    if (is_beyond_ascii(c) || c == '?' || c == '!' || c == ';') return false;
    digit = digit || is_digit(c);
    sign = sign || c == '=' || c == '+' || c == '*' || c == '/' || c == '^' || c == '|';
    range = range || ((c == ':' || c == '-') && at > 0 && is_digit(text[at - 1]) && is_digit(next));
  }
  return command || sign || (digit && !range);
}

bool is_style(std::string_view command) {
  return command.starts_with("\\") && is_kind(command.substr(1), CommandKind::kStyle);
}

std::string letter_of_command(const std::string& command) {
  if (command == "\\Re" || command == "\\Im") return command;
  const std::string_view name = std::string_view(command).substr(1);
  if (name == "imath") return "i";
  if (name == "jmath") return "j";
  return is_kind(name, CommandKind::kLetter) ? lower_case(name) : "";
}

}  // namespace umf
