#include "decode/authors.h"

#include <cassert>

namespace umf {

std::vector<int> carried_over(const std::vector<int>& authors, std::span<const Token> from,
                              const Lexicon& from_lexicon, std::span<const Token> to,
                              const Lexicon& to_lexicon) {
  std::vector<int> of_byte;
  for (std::size_t cell = 0; cell < from.size(); ++cell)
    of_byte.insert(of_byte.end(), text_of(from_lexicon, from[cell]).size(), authors[cell]);
  std::vector<int> carried(to.size(), kNobody);
  std::size_t at = 0;
  for (std::size_t cell = 0; cell < to.size(); ++cell) {
    const std::size_t size = text_of(to_lexicon, to[cell]).size();
    if (size > 0 && at < of_byte.size()) carried[cell] = of_byte[at];
    at += size;
  }
  return carried;
}

Replay::Replay(const States& states, const Trial& trial, const Outcome& outcome)
    : states_(states), outcome_(outcome) {
  const std::optional<WindowState> entered = states.enter(trial);
  assert(entered.has_value());
  window_ = *entered;  // NOLINT(bugprone-unchecked-optional-access)
}

void Replay::change_ids() {
  const std::optional<WindowState> recut = states_.setup().in_ids_of(next().model, window_);
  assert(recut.has_value() && recut->lexicon == next().lexicon);
  window_ = *recut;  // NOLINT(bugprone-unchecked-optional-access)
}

void Replay::write() {
  if (changes_ids()) change_ids();
  window_.cells[next().cell] = next().token;
  ++next_;
}

void Authors::learn(const Trial& trial, const Outcome& outcome) {
  if (outcome.cached) return;
  if (states_.setup().actions()[trial.action].others.empty())
    learn_alone(trial, outcome);
  else
    learn_together(trial, outcome);
  for (const Opening& opening : outcome.openings) {
    std::vector<int> authors = known_.at(outcome.path.back().state);
    for (const int cell : opening.cells) authors[cell] = kNobody;
    authors.insert(authors.begin() + opening.insert_at, opening.inserted, kNobody);
    authors.resize(authors.size() - opening.inserted);
    known_.try_emplace(opening.place.state, std::move(authors));
  }
}

void Authors::learn_alone(const Trial& trial, const Outcome& outcome) {
  for (const Place& place : outcome.path) {
    if (known_.contains(place.state)) continue;
    const WindowState state = states_.at(place.state);
    known_[place.state] = of(trial, states_.lexicon_of(state), state.cells);
  }
}

void Authors::learn_together(const Trial& trial, const Outcome& outcome) {
  const WalkSetup& setup = states_.setup();
  Replay replay(states_, trial, outcome);
  std::vector<int> authors = inherited(trial, replay.window());
  for (const Place& place : outcome.path) {
    while (!replay.done() && setup.masks_in(replay.window()) > place.masks) {
      if (replay.changes_ids()) {
        const WindowState before = replay.window();
        replay.change_ids();
        authors = carried_over(authors, before.cells, setup.lexicon_of(before),
                               replay.window().cells, setup.lexicon_of(replay.window()));
      }
      authors[replay.next().cell] = setup.author(trial.action, replay.next().model);
      replay.write();
    }
    known_.try_emplace(place.state, authors);
  }
}

std::vector<int> Authors::of(const Trial& trial, const Lexicon& lexicon,
                             std::span<const Token> window, std::span<const int> writers) const {
  std::vector<int> authors(window.size(), kNobody);
  const std::optional<WindowState> entered = states_.enter(trial);
  if (!entered) return authors;
  const std::vector<int> before = inherited(trial, *entered);
  for (std::size_t cell = 0; cell < window.size(); ++cell) {
    if (window[cell] == lexicon.tokens.mask) continue;
    if (!writers.empty()) {
      const int writer = writers[cell];
      authors[cell] = writer < 0 ? before[~writer] : states_.setup().author(trial.action, writer);
    } else {
      const bool kept = cell < before.size() && entered->cells[cell] == window[cell];
      authors[cell] = kept ? before[cell] : trial.action;
    }
  }
  return authors;
}

std::vector<int> Authors::inherited(const Trial& trial, const WindowState& entered) const {
  const auto known = known_.find(trial.from);
  if (known == known_.end()) return std::vector<int>(entered.cells.size(), kNobody);
  const WindowState from = states_.at(trial.from);
  if (from.lexicon == entered.lexicon) return known->second;
  return carried_over(known->second, from.cells, states_.lexicon_of(from), entered.cells,
                      states_.lexicon_of(entered));
}

std::vector<AuthoredText> Authors::text(StateId state, int otherwise) const {
  const WindowState window = states_.at(state);
  const Lexicon& lexicon = states_.lexicon_of(window);
  std::vector<AuthoredText> pieces;
  const auto known = known_.find(state);
  for (std::size_t cell = 0; cell < window.cells.size(); ++cell) {
    if (ends_text(lexicon.tokens, window.cells[cell])) break;
    const bool written = known != known_.end() && known->second[cell] != kNobody;
    const int author = written ? known->second[cell] : otherwise;
    for (const char byte : text_of(lexicon, window.cells[cell])) {
      // A character of several bytes belongs to whoever began it.
      const bool goes_on = !pieces.empty() && (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
      if (!goes_on && (pieces.empty() || pieces.back().author != author))
        pieces.push_back({"", author});
      pieces.back().bytes += byte;
    }
  }
  return pieces;
}

}  // namespace umf
