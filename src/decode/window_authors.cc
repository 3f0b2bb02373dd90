#include "decode/window_authors.h"

namespace umf {
namespace {

// A change of tokenizer keeps all bytes of text in their order: whoever wrote the first byte of a
// new token is its author.
std::vector<int> by_bytes(std::span<const Token> from, const Lexicon& from_lexicon,
                          const std::vector<int>& authors, std::span<const Token> to,
                          const Lexicon& to_lexicon) {
  std::vector<int> of_byte;
  for (std::size_t cell = 0; cell < from.size(); ++cell)
    of_byte.insert(of_byte.end(), text_of(from_lexicon, from[cell]).size(), authors[cell]);
  std::vector<int> converted(to.size(), kNobody);
  std::size_t at = 0;
  for (std::size_t cell = 0; cell < to.size(); ++cell) {
    const std::size_t size = text_of(to_lexicon, to[cell]).size();
    if (size > 0 && at < of_byte.size()) converted[cell] = of_byte[at];
    at += size;
  }
  return converted;
}

}  // namespace

void WindowAuthors::learn(const Trial& trial, const Outcome& outcome) {
  if (outcome.cached) return;
  for (const Place& place : outcome.path) {
    if (known_.contains(place.state)) continue;
    known_[place.state] = of(trial, states_.at(place.state).cells);
  }
}

std::vector<int> WindowAuthors::of(const Trial& trial, std::span<const Token> window) const {
  std::vector<int> authors(window.size(), kNobody);
  const std::optional<WindowState> entered = states_.enter(trial);
  if (!entered) return authors;
  const Token mask = states_.setup().lexicon_of_action(trial.action).tokens.mask;
  const std::vector<int> before = inherited(trial, *entered);
  for (std::size_t cell = 0; cell < window.size(); ++cell) {
    if (window[cell] == mask) continue;
    const bool kept = cell < before.size() && entered->cells[cell] == window[cell];
    authors[cell] = kept ? before[cell] : trial.action;
  }
  return authors;
}

std::vector<int> WindowAuthors::inherited(const Trial& trial, const WindowState& entered) const {
  const auto known = known_.find(trial.from);
  if (known == known_.end()) return std::vector<int>(entered.cells.size(), kNobody);
  const WindowState from = states_.at(trial.from);
  if (from.lexicon == entered.lexicon) return known->second;
  return by_bytes(from.cells, states_.lexicon_of(from), known->second, entered.cells,
                  states_.lexicon_of(entered));
}

}  // namespace umf
