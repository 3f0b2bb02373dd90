#include "decode/states.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/random.h"
#include "decode/decoder.h"
#include "decode/openings.h"

namespace umf {
namespace {

std::uint64_t hash_of(const WindowState& state) {
  return noise_key(static_cast<std::uint64_t>(state.lexicon) << 32 |
                       static_cast<std::uint32_t>(state.writer),
                   static_cast<std::uint64_t>(state.steps_left), state.cells)
      .low;
}

}  // namespace

States::States(WalkSetup setup) : setup_(std::move(setup)) {
  entries_.push_back({.begin = 0,
                      .length = 0,
                      .masks = setup_.options().window,
                      .lexicon = 0,
                      .steps_left = 0,
                      .writer = -1});
}

StateId States::intern(const WindowState& state) {
  const int masks = setup_.masks_in(state);
  if (is_root(state, masks)) return 0;
  const std::uint64_t hash = hash_of(state);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (equal(entries_[known->second], state)) return known->second;
  }
  const StateId id = size();
  const std::size_t begin = cells_.size();
  cells_.insert(cells_.end(), state.cells.begin(), state.cells.end());
  try {
    entries_.push_back({.begin = begin,
                        .length = static_cast<int>(state.cells.size()),
                        .masks = masks,
                        .lexicon = state.lexicon,
                        .steps_left = state.steps_left,
                        .writer = state.writer});
    by_hash_.emplace(hash, id);
  } catch (...) {
    entries_.resize(id);
    cells_.resize(begin);
    throw;
  }
  return id;
}

WindowState States::at(StateId id) const {
  assert(id >= 0 && id < size());
  if (id == 0) return {0, std::vector<Token>(masks(0), setup_.lexicons().front().tokens.mask), 0};
  const Entry& entry = entries_[id];
  const std::span<const Token> stored = cells(entry);
  return {entry.lexicon, {stored.begin(), stored.end()}, entry.steps_left, entry.writer};
}

std::span<const Token> States::cells(const Entry& entry) const {
  return std::span(cells_).subspan(entry.begin, entry.length);
}

bool States::is_root(const WindowState& state, int masks) const {
  const int window = setup_.options().window;
  return masks == window && std::cmp_equal(state.cells.size(), window) && state.steps_left == 0;
}

bool States::equal(const Entry& entry, const WindowState& state) const {
  return entry.lexicon == state.lexicon && entry.steps_left == state.steps_left &&
         entry.writer == state.writer && std::ranges::equal(cells(entry), state.cells);
}

std::string States::text(WindowState state) const {
  const Lexicon& lexicon = lexicon_of(state);
  std::erase(state.cells, lexicon.tokens.mask);
  return answer_text(*lexicon.tokenizer, lexicon.tokens, state.cells);
}

Place States::place(const WindowState& state) {
  const StateId id = intern(state);
  return {id, masks(id)};
}

Outcome States::number(const Walk& walk) {
  Outcome outcome{.passes_at = walk.passes_at,
                  .passes = walk.passes,
                  .spared = walk.spared,
                  .partial = walk.partial,
                  .equivalents = walk.equivalents,
                  .complete = walk.complete,
                  .feasible = walk.feasible,
                  .writes = walk.writes};
  for (const WindowState& state : walk.path) outcome.path.push_back(place(state));
  return outcome;
}

std::vector<Opening> States::openings(StateId end, const Verdict& verdict) {
  const WindowState state = at(end);
  std::vector<Opening> found;
  for (Opening& opening : openings_of(state.cells, lexicon_of(state), verdict)) {
    opening.place = place(opened(state, opening, lexicon_of(state).tokens.mask));
    found.push_back(std::move(opening));
  }
  return found;
}

Branching States::number(const WindowBranching& branching) {
  Branching result{.interrupted = branching.interrupted, .feasible = branching.feasible};
  for (const auto& [child, completion] : branching.branches) {
    const Place first = place(child);
    const Branch branch{first, intern(completion)};
    if (std::ranges::find(result.branches, branch) == result.branches.end())
      result.branches.push_back(branch);
  }
  return result;
}

}  // namespace umf
