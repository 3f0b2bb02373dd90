// Windows from one tokenizer to another: the same text, byte for byte, and the same special cells.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/lexicon.h"

namespace umf {

// What becomes of the window's length when its text takes more or fewer tokens than before.
enum class WindowPolicy {
  kPreserveMasks,  // the number of masks stays, and with it the cost of a rollout; the length
                   // drifts
  kFixedWindow,  // the length stays: padding comes and goes, and masks go where that is not enough
};

WindowPolicy parse_window_policy(const std::string& name);  // "preserve-masks" or "fixed-window"
const char* name_of(WindowPolicy policy);

// The cells in the target's ids: special cells by role, one for one; every run of text between them
// by its bytes, alone (docs/algorithm.md#changing-the-tokenizer-on-the-way). The identity when the
// lexicons are the same.
std::vector<Token> convert_cells(std::span<const Token> cells, const Lexicon& from,
                                 const Lexicon& to);

struct WindowBounds {
  WindowPolicy policy = WindowPolicy::kPreserveMasks;
  int window = 0;       // nominal cells
  int least_masks = 1;  // one more than the next checkpoint has
  int context = 0;      // cells that fit the target model beside its prompt
};

// The converted window as the policy wants it; nothing when it does not fit, which makes
// the action infeasible.
std::optional<std::vector<Token>> convert(std::span<const Token> cells, const Lexicon& from,
                                          const Lexicon& to, const WindowBounds& bounds);

// One token per byte: what remains where an encoding does not give the bytes back.
std::vector<Token> single_byte_tokens(const Tokenizer& tokenizer, std::string_view bytes);

}  // namespace umf
