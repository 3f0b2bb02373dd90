// UnMaskFork's tree search: UCT over deterministic actions, where known continuations cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "search/rollout_cache.h"
#include "search/search_setup.h"

namespace umf {

struct UnMaskForkOptions {
  double exploration = 1.0;
  bool expand_last_level = false;
  template <class Visitor>
  void visit(Visitor&& field) {
    field(exploration, "exploration", "UCT constant: larger tries the untested more");
    field(expand_last_level, "expand-last-level", "let the last checkpoint branch too");
  }
};

// docs/algorithm.md#the-search. A value: a copy goes its own way (speculation tries rewards on
// copies). States with negative ids stand for checkpoints of a rollout that still runs; what is
// known of them is that their incoming action goes on. One thread at a time.
class UnMaskFork final : public Search {
 public:
  using Options = UnMaskForkOptions;
  static constexpr SearchFacts kFacts{"unmaskfork",
                                      "tree search over deterministic actions with an exact cache"};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<UnMaskFork>(setup.actions, setup.root, setup.options.of<UnMaskFork>(),
                                        *setup.cache, setup.first_action);
  }

  using NodeId = std::int32_t;
  static constexpr NodeId kRoot = 0, kNone = -1;

  struct Node {
    double sum = 0;     // of the bounded rewards backed up, in the order of the backups
    double reward = 0;  // bounded, of the rollout that made the node; the root has none
    NodeId parent = kNone;
    StateId state = 0;
    std::int32_t masks = 0, visits = 0;
    std::uint32_t first_slot = 0;  // of its `actions` slots, once something is explored
    std::uint16_t action = 0;      // incoming; meaningless at the root
    std::uint16_t level = 0, explored = 0;
    bool exhausted = false;  // no unexplored action here or below
  };

  // `known` decides which unexplored action comes first; it must outlive the search and its copies.
  // There, action 0 of this search is called `first_action`.
  UnMaskFork(int actions, Place root, const UnMaskForkOptions& options, const RolloutCache& known,
             int first_action = 0);

  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;
  int nodes() const override { return static_cast<int>(nodes_.size()); }
  int depth() const override { return depth_; }

  int actions() const { return actions_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::vector<NodeId> children(NodeId id) const;  // in the order of their creation
  bool is_explored(NodeId id, int action) const;
  // The node that the last trial asked for starts from; kNone before asking and after telling.
  NodeId selected() const { return selected_; }
  std::size_t bytes() const;  // of the tree

  // From now on every comparison of two scores appends by how much the newcomer is ahead of what it
  // takes to win; nullptr ends this.
  void record_margins(std::vector<double>* margins) { margins_ = margins; }

 private:
  NodeId select() const;
  NodeId best_child(const Node& parent) const;
  double score(const Node& child, double log_parent_visits) const;
  int choose_action(NodeId id) const;
  bool is_known(const Node& node, int action) const;
  NodeId add_child(const Trial& trial, const Outcome& outcome);
  void mark_explored(NodeId id, std::int32_t slot);
  void back_up(NodeId id, double reward);
  void propagate_exhaustion(NodeId id);
  bool is_exhausted(const Node& node) const;

  int actions_, first_action_, depth_ = 0;
  UnMaskForkOptions options_;
  const RolloutCache* known_;
  std::vector<double>* margins_ = nullptr;
  std::vector<Node> nodes_;
  // What was explored at a node, in order: a child's id, or ~action for one that did not fit.
  std::vector<std::int32_t> slots_;
  NodeId selected_ = kNone;
  int chosen_ = 0;  // the action asked for at `selected_`
};

}  // namespace umf
