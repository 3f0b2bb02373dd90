// Making a window shorter without touching its text.
#pragma once

#include <vector>

#include "decode/lexicon.h"

namespace umf {

// Removes up to `excess` padding and end-of-text cells, rightmost first, but neither the first
// end-of-text nor the first cell that ends the answer: the text stays what it is. Returns how many.
int drop_padding(std::vector<Token>& cells, const Lexicon& lexicon, int excess);

// Removes up to `excess` masks, rightmost first, keeping at least `least_masks`. Returns how many.
int drop_masks(std::vector<Token>& cells, const Lexicon& lexicon, int excess, int least_masks);

// Exactly `window` cells: padding is appended, or padding and then masks are dropped. False when it
// cannot be done with `least_masks` masks.
bool fit_window(std::vector<Token>& cells, const Lexicon& lexicon, int window, int least_masks);

}  // namespace umf
