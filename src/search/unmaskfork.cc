#include "search/unmaskfork.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/elementary.h"

namespace umf {
namespace {

// A child must be ahead by more than this: equal scores go to the earliest child, whatever the
// rounding.
constexpr double kTie = 1e-12;

}  // namespace

UnMaskFork::UnMaskFork(int actions, Place root, const UnMaskForkOptions& options,
                       const RolloutCache& known, int first_action)
    : actions_(actions), first_action_(first_action), options_(options), known_(&known) {
  nodes_.push_back({.state = root.state, .masks = root.masks});
  nodes_[kRoot].exhausted = root.masks == 0 || actions == 0;
}

std::optional<Trial> UnMaskFork::ask() {
  if (nodes_[kRoot].exhausted) return std::nullopt;
  if (selected_ == kNone) {
    selected_ = select();
    chosen_ = choose_action(selected_);
  }
  return Trial{.from = nodes_[selected_].state, .action = chosen_};
}

void UnMaskFork::tell([[maybe_unused]] const Trial& trial, const Outcome& outcome) {
  assert(selected_ != kNone && trial.from == nodes_[selected_].state && trial.action == chosen_);
  NodeId changed = selected_;
  if (outcome.feasible) {
    changed = add_child(trial, outcome);
    back_up(changed, nodes_[changed].reward);
  } else {
    mark_explored(selected_, ~chosen_);
  }
  propagate_exhaustion(changed);
  selected_ = kNone;
}

UnMaskFork::NodeId UnMaskFork::select() const {
  NodeId id = kRoot;
  while (nodes_[id].explored == actions_) id = best_child(nodes_[id]);
  return id;
}

UnMaskFork::NodeId UnMaskFork::best_child(const Node& parent) const {
  const double log_visits = elementary::log(static_cast<double>(parent.visits));
  NodeId best = kNone;
  double best_score = 0;
  for (int i = 0; i < actions_; ++i) {
    const NodeId id = slots_[parent.first_slot + i];
    if (id < 0 || nodes_[id].exhausted) continue;
    const double challenge = score(nodes_[id], log_visits);
    if (margins_ && best != kNone) margins_->push_back(challenge - (best_score + kTie));
    if (best == kNone || challenge > best_score + kTie) {
      best = id;
      best_score = challenge;
    }
  }
  assert(best != kNone);
  return best;
}

double UnMaskFork::score(const Node& child, double log_parent_visits) const {
  const double visits = child.visits;
  return child.sum / visits + options_.exploration * std::sqrt(log_parent_visits / visits);
}

int UnMaskFork::choose_action(NodeId id) const {
  int first = actions_;
  for (int action = 0; action < actions_; ++action) {
    if (is_explored(id, action)) continue;
    if (is_known(nodes_[id], action)) return action;
    first = std::min(first, action);
  }
  assert(first < actions_);
  return first;
}

bool UnMaskFork::is_known(const Node& node, int action) const {
  return node.state < 0 ? action == node.action
                        : known_->contains(node.state, first_action_ + action);
}

UnMaskFork::NodeId UnMaskFork::add_child(const Trial& trial, const Outcome& outcome) {
  assert(!outcome.path.empty());
  const Place place = outcome.path.front();
  // Only the end follows: what branches here would differ in the last stretch alone
  // (docs/algorithm.md#what-the-paper-leaves-open, D6).
  const bool last_level =
      outcome.complete && outcome.path.size() <= 2 && !options_.expand_last_level;
  const auto child = static_cast<NodeId>(nodes_.size());
  const int level = nodes_[selected_].level + 1;
  mark_explored(selected_, child);
  nodes_.push_back({.reward = bounded(outcome.reward),
                    .parent = selected_,
                    .state = place.state,
                    .masks = place.masks,
                    .action = static_cast<std::uint16_t>(trial.action),
                    .level = static_cast<std::uint16_t>(level),
                    .exhausted = place.masks == 0 || last_level});
  depth_ = std::max(depth_, level);
  return child;
}

void UnMaskFork::mark_explored(NodeId id, std::int32_t slot) {
  Node& node = nodes_[id];
  if (node.explored == 0) {
    node.first_slot = static_cast<std::uint32_t>(slots_.size());
    slots_.resize(slots_.size() + actions_);
  }
  slots_[node.first_slot + node.explored++] = slot;
}

void UnMaskFork::back_up(NodeId id, double reward) {
  for (; id != kNone; id = nodes_[id].parent) {
    ++nodes_[id].visits;
    nodes_[id].sum += reward;
  }
}

void UnMaskFork::propagate_exhaustion(NodeId id) {
  for (; id != kNone; id = nodes_[id].parent) {
    if (!is_exhausted(nodes_[id])) return;
    nodes_[id].exhausted = true;
  }
}

bool UnMaskFork::is_exhausted(const Node& node) const {
  if (node.exhausted) return true;
  if (node.explored < actions_) return false;
  const auto first = slots_.begin() + node.first_slot;
  return std::all_of(first, first + actions_,
                     [&](std::int32_t slot) { return slot < 0 || nodes_[slot].exhausted; });
}

std::vector<UnMaskFork::NodeId> UnMaskFork::children(NodeId id) const {
  std::vector<NodeId> found;
  for (int i = 0; i < nodes_[id].explored; ++i) {
    const std::int32_t slot = slots_[nodes_[id].first_slot + i];
    if (slot >= 0) found.push_back(slot);
  }
  return found;
}

bool UnMaskFork::is_explored(NodeId id, int action) const {
  for (int i = 0; i < nodes_[id].explored; ++i) {
    const std::int32_t slot = slots_[nodes_[id].first_slot + i];
    if ((slot < 0 ? ~slot : nodes_[slot].action) == action) return true;
  }
  return false;
}

std::size_t UnMaskFork::bytes() const {
  return nodes_.capacity() * sizeof(Node) + slots_.capacity() * sizeof(slots_[0]);
}

}  // namespace umf
