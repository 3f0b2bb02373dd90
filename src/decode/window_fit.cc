#include "decode/window_fit.h"

#include <algorithm>
#include <utility>

namespace umf {
namespace {

// Erases up to `count` of the cells for which `droppable(index)`, rightmost first.
template <class Droppable>
int erase_from_right(std::vector<Token>& cells, int count, const Droppable& droppable) {
  int erased = 0;
  for (int i = static_cast<int>(cells.size()) - 1; i >= 0 && erased < count; --i) {
    if (!droppable(i)) continue;
    cells.erase(cells.begin() + i);
    ++erased;
  }
  return erased;
}

}  // namespace

int drop_padding(std::vector<Token>& cells, const Lexicon& lexicon, int excess) {
  const SpecialTokens& tokens = lexicon.tokens;
  const auto first_end =
      std::find_first_of(cells.begin(), cells.end(), tokens.ends.begin(), tokens.ends.end()) -
      cells.begin();
  const auto first_end_of_text =
      std::find(cells.begin(), cells.end(), tokens.end_of_text) - cells.begin();
  return erase_from_right(cells, excess, [&](int i) {
    return i != first_end && i != first_end_of_text &&
           (cells[i] == tokens.end_of_text || cells[i] == lexicon.padding());
  });
}

int drop_masks(std::vector<Token>& cells, const Lexicon& lexicon, int excess, int least_masks) {
  const Token mask = lexicon.tokens.mask;
  const auto masks = static_cast<int>(std::count(cells.begin(), cells.end(), mask));
  return erase_from_right(cells, std::min(excess, masks - least_masks),
                          [&](int i) { return cells[i] == mask; });
}

bool fit_window(std::vector<Token>& cells, const Lexicon& lexicon, int window, int least_masks) {
  if (std::cmp_less(cells.size(), window)) cells.resize(window, lexicon.padding());
  int excess = static_cast<int>(cells.size()) - window;
  excess -= drop_padding(cells, lexicon, excess);
  excess -= drop_masks(cells, lexicon, excess, least_masks);
  return excess == 0;
}

}  // namespace umf
