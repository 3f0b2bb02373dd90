// Cells of a window for those who draw them: their texts, byte for byte.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "decode/lexicon.h"

namespace umf {

// What a cell shows: its text; a list of bytes where these are no UTF-8 by themselves; "" for a
// special token, null for one that ends the text, and 0 for a mask.
nlohmann::ordered_json cell_json(const Lexicon& lexicon, Token id);

// All cells from the left: as above, but a number n for n masks and -n for n cells that end the
// text.
nlohmann::ordered_json window_json(const Lexicon& lexicon, std::span<const Token> cells);

}  // namespace umf
