// The tree of AB-MCTS (docs/algorithm.md#ab-mcts): unbounded branching, one node per generation.
#pragma once

#include <algorithm>
#include <vector>

#include "search/search.h"

namespace umf {

struct AbNode {
  Place place;
  int parent = -1, action = -1;  // what made it; none for the root
  int level = 0;
  double score = 0;  // of the rollout that made it, inside [0, 1]
  std::vector<int>
      usable;  // the actions that can generate here, in list order; none at the last checkpoint
  std::vector<int> children;
};

class AbTree {
 public:
  AbTree(Place root, int actions) {
    for (int action = 0; action < actions; ++action) actions_.push_back(action);
    nodes_.push_back({.place = root});
    if (root.masks > 0) nodes_[0].usable = actions_;
  }

  const AbNode& operator[](int node) const { return nodes_[node]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  int depth() const { return depth_; }

  // The node that `outcome` generated under `parent`. A path that shows only the end after its
  // first state starts at the last checkpoint.
  int add(int parent, int action, const Outcome& outcome) {
    const int id = size(), level = nodes_[parent].level + 1;
    const bool last = outcome.path.size() <= 2 || outcome.path.front().masks == 0;
    nodes_.push_back({.place = outcome.path.front(),
                      .parent = parent,
                      .action = action,
                      .level = level,
                      .score = bounded(outcome.reward),
                      .usable = last ? std::vector<int>() : actions_});
    nodes_[parent].children.push_back(id);
    depth_ = std::max(depth_, level);
    return id;
  }

  // `action` does not fit the node's state.
  void forbid(int node, int action) { std::erase(nodes_[node].usable, action); }

  bool can_generate(int node) const { return !nodes_[node].usable.empty(); }

  // Something can be generated at the node or below.
  bool open(int node) const { return can_generate(node) || !open_children(node).empty(); }

  // The children that a walk may go to.
  std::vector<int> open_children(int node) const {
    std::vector<int> open_ones;
    for (const int child : nodes_[node].children) {
      if (open(child)) open_ones.push_back(child);
    }
    return open_ones;
  }

 private:
  std::vector<int> actions_;
  std::vector<AbNode> nodes_;  // 0 is the root
  int depth_ = 0;
};

}  // namespace umf
