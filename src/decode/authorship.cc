#include "decode/authorship.h"

#include <cassert>

namespace umf {
namespace {

// The authors of all text bytes of `reached`, given those of `entered`, which has as many cells.
std::vector<int> inherit(const std::vector<int>& before, const WindowState& entered,
                         const WindowState& reached, const Lexicon& lexicon, int action) {
  assert(entered.cells.size() == reached.cells.size());
  std::vector<int> after;
  auto known = before.begin();
  for (std::size_t i = 0; i < reached.cells.size(); ++i) {
    const std::size_t old = text_of(lexicon, entered.cells[i]).size();
    if (entered.cells[i] == reached.cells[i])
      after.insert(after.end(), known, known + static_cast<std::ptrdiff_t>(old));
    else
      after.insert(after.end(), text_of(lexicon, reached.cells[i]).size(), action);
    known += static_cast<std::ptrdiff_t>(old);
  }
  return after;
}

}  // namespace

std::vector<AuthoredText> authorship(const States& states, std::span<const StateId> path,
                                     std::span<const int> actions) {
  assert(!path.empty() && path.size() == actions.size());
  std::vector<int> authors;
  StateId from = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    // The action went this way, so the window did fit its model.
    const auto fitting = states.enter({from, actions[i]});
    assert(fitting.has_value());
    const WindowState& entered = *fitting;  // NOLINT(bugprone-unchecked-optional-access)
    authors = inherit(authors, entered, states.at(path[i]), states.lexicon_of(entered), actions[i]);
    from = path[i];
  }
  const WindowState end = states.at(path.back());
  const Lexicon& lexicon = states.lexicon_of(end);
  std::vector<AuthoredText> pieces;
  auto author = authors.begin();
  for (const Token cell : end.cells) {
    if (ends_text(lexicon.tokens, cell)) break;
    for (const char byte : text_of(lexicon, cell)) {
      // A character of several bytes belongs to whoever began it.
      const bool goes_on = !pieces.empty() && (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
      if (!goes_on && (pieces.empty() || pieces.back().action != *author))
        pieces.push_back({"", *author});
      pieces.back().bytes += byte;
      ++author;
    }
  }
  return pieces;
}

}  // namespace umf
