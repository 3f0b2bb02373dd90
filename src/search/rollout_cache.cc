#include "search/rollout_cache.h"

#include <cassert>
#include <utility>

namespace umf {

std::uint64_t RolloutCache::key_of(StateId state, int action) {
  return std::uint64_t{static_cast<std::uint32_t>(state)} << 32 |
         static_cast<std::uint32_t>(action);
}

std::size_t RolloutCache::slot_of(std::uint64_t key) const {
  // The finalizer of MurmurHash3: neighbouring states must not share neighbouring slots.
  std::uint64_t hash = key ^ key >> 33;
  hash *= 0xFF51AFD7ED558CCDu;
  hash ^= hash >> 33;
  const std::size_t last = table_.size() - 1;
  std::size_t slot = hash & last;
  while (table_[slot].key != key && table_[slot].key != kEmpty) slot = (slot + 1) & last;
  return slot;
}

bool RolloutCache::enter(const Entry& entry) {
  if (2 * (used_ + 1) > table_.size()) grow();
  Entry& slot = table_[slot_of(entry.key)];
  if (slot.key != kEmpty) return false;
  slot = entry;
  ++used_;
  return true;
}

void RolloutCache::grow() {
  const std::vector<Entry> old =
      std::exchange(table_, std::vector<Entry>(table_.empty() ? 64 : 2 * table_.size()));
  for (const Entry& entry : old) {
    if (entry.key != kEmpty) table_[slot_of(entry.key)] = entry;
  }
}

void RolloutCache::insert(const Trial& trial, const Outcome& outcome) {
  assert(trial.draw == 0 && outcome.complete && outcome.feasible);
  assert(outcome.passes_at.size() == outcome.path.size());
  const auto rollout = static_cast<std::uint32_t>(rollouts_.size());
  auto place = static_cast<std::uint32_t>(places_.size());
  // Where the path joins a known one, all that follows is known too.
  if (!enter({key_of(trial.from, trial.action), place, rollout})) return;
  places_.insert(places_.end(), outcome.path.begin(), outcome.path.end());
  passes_.insert(passes_.end(), outcome.passes_at.begin(), outcome.passes_at.end());
  rollouts_.push_back({place, static_cast<std::uint32_t>(places_.size()), outcome.reward});
  while (place + 1 < places_.size()) {
    const StateId from = places_[place].state;
    if (!enter({key_of(from, trial.action), ++place, rollout})) return;
  }
}

bool RolloutCache::contains(StateId state, int action) const {
  return !table_.empty() && table_[slot_of(key_of(state, action))].key != kEmpty;
}

std::optional<Outcome> RolloutCache::find(StateId state, int action) const {
  if (table_.empty()) return std::nullopt;
  const Entry& entry = table_[slot_of(key_of(state, action))];
  if (entry.key == kEmpty) return std::nullopt;
  const Rollout& rollout = rollouts_[entry.rollout];
  Outcome outcome;
  outcome.path.assign(places_.begin() + entry.place, places_.begin() + rollout.end);
  const int before = entry.place == rollout.begin ? 0 : passes_[entry.place - 1];
  for (std::uint32_t place = entry.place; place < rollout.end; ++place)
    outcome.passes_at.push_back(passes_[place] - before);
  outcome.reward = rollout.reward;
  outcome.cached = true;
  return outcome;
}

}  // namespace umf
