#include "decode/state_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/random.h"

namespace umf {
namespace {

std::uint64_t hash_of(const WindowState& state) {
  return noise_key(static_cast<std::uint64_t>(state.lexicon),
                   static_cast<std::uint64_t>(state.steps_left), state.cells)
      .low;
}

}  // namespace

StateTable::StateTable(int window, std::vector<Token> masks)
    : window_(window), masks_(std::move(masks)) {
  entries_.push_back({.begin = 0, .length = 0, .masks = window, .lexicon = 0, .steps_left = 0});
}

StateId StateTable::intern(const WindowState& state) {
  const Token mask = masks_[state.lexicon];
  const auto masks = static_cast<int>(std::count(state.cells.begin(), state.cells.end(), mask));
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
                        .steps_left = state.steps_left});
    by_hash_.emplace(hash, id);
  } catch (...) {
    entries_.resize(id);
    cells_.resize(begin);
    throw;
  }
  return id;
}

WindowState StateTable::at(StateId id) const {
  assert(id >= 0 && id < size());
  if (id == 0) return {0, std::vector<Token>(window_, masks_[0]), 0};
  const Entry& entry = entries_[id];
  const std::span<const Token> stored = cells(entry);
  return {entry.lexicon, {stored.begin(), stored.end()}, entry.steps_left};
}

std::span<const Token> StateTable::cells(const Entry& entry) const {
  return std::span(cells_).subspan(entry.begin, entry.length);
}

bool StateTable::is_root(const WindowState& state, int masks) const {
  return masks == window_ && static_cast<int>(state.cells.size()) == window_ &&
         state.steps_left == 0;
}

bool StateTable::equal(const Entry& entry, const WindowState& state) const {
  return entry.lexicon == state.lexicon && entry.steps_left == state.steps_left &&
         std::ranges::equal(cells(entry), state.cells);
}

}  // namespace umf
