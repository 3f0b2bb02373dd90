// The walk that both forms of AB-MCTS share: down the tree until a node generates
// (docs/algorithm.md#ab-mcts).
#pragma once

#include "search/ab_tree.h"
#include "search/draws.h"
#include "search/search_setup.h"

namespace umf {

// What a node decides: go to a child, or generate with an action.
struct AbChoice {
  int child = -1, action = -1;
  static AbChoice go_to(int child) { return {.child = child}; }
  static AbChoice generate(int action) { return {.action = action}; }
  bool operator==(const AbChoice&) const = default;
};

// Generation number i uses draw i + 1 and decides with the stream (seed, i).
class AbSearch : public Search {
 public:
  std::optional<Trial> ask() final;
  void tell(const Trial& trial, const Outcome& outcome) final;
  int nodes() const final { return tree_.size(); }
  int depth() const final { return tree_.depth(); }
  const AbTree& tree() const { return tree_; }

 protected:
  AbSearch(Place root, int actions, std::uint64_t seed)
      : tree_(root, actions), actions_(actions), seed_(seed) {}

  // `node` is open: it can generate, or one of its open children can be gone to.
  virtual AbChoice choose(int node, Draws& draws) const = 0;
  // `node` has just joined the tree.
  virtual void learn(int node) = 0;

  int actions() const { return actions_; }

 private:
  AbTree tree_;
  int actions_;
  std::uint64_t seed_;
  std::uint64_t told_ = 0;
  std::optional<Trial> pending_;
  int generating_ = 0;  // the node that the pending trial starts from
};

}  // namespace umf
