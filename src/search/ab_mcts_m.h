// AB-MCTS-M: going wider or deeper by draws from a hierarchical model of the scores
// (docs/algorithm.md#ab-mcts).
#pragma once

#include <string>
#include <vector>

#include "search/ab_search.h"

namespace umf {

class HierarchicalModel;

struct AbMctsMOptions {
  std::string strategy = "multiarm_bandit_thompson";
  double prior_mean = 0.5;
  bool pruning = true;

  template <class Visitor>
  void visit(Visitor&& field) {
    field(strategy, "strategy",
          "how actions are chosen: multiarm_bandit_thompson, multiarm_bandit_ucb or stack");
    field(prior_mean, "prior-mean", "the score expected before any is seen");
    field(pruning, "pruning", "leave children whose scores are nearly all the same");
  }
};

// At least 4 scores, and the most frequent one, in whole percent, makes up at least 75 % of them.
bool prunable(const std::vector<double>& scores);

// Which child to go to, by index; nothing says to generate. `values` and `pruned` are the
// children's; `generating` is missing where no action can be used. A pruned winner hands over to
// the best child that is not pruned, even where generating ranked second: as published.
std::optional<int> winning_child(const std::vector<double>& values, const std::vector<bool>& pruned,
                                 std::optional<double> generating);

class AbMctsM : public AbSearch {
 public:
  using Options = AbMctsMOptions;
  static constexpr SearchFacts kFacts{"ab-mcts-m",
                                      "wider or deeper by a hierarchical model of the scores"};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<AbMctsM>(setup.root, setup.actions, setup.seed,
                                     setup.options.of<AbMctsM>());
  }

  // Throws Error for an unknown strategy.
  AbMctsM(Place root, int actions, std::uint64_t seed, const AbMctsMOptions& options);
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;

 private:
  enum class Strategy { kThompson, kUcb, kStack };
  struct Observation {
    double score;
    int action;
  };
  struct Option {
    AbChoice choice;
    double value;
  };

  AbChoice choose(int node, Draws& draws) const override;
  void learn(int node) override;

  AbChoice choose_jointly(int node, Draws& draws) const;
  AbChoice choose_stacked(int node, Draws& draws) const;
  int choose_action(int node, Draws& draws) const;
  int thompson_action(const std::vector<int>& usable, Draws& draws) const;
  int ucb_action(const std::vector<int>& usable) const;
  static Strategy parse(const std::string& name);

  // Scores of the node's subtree, the node included; with an action only those that it made.
  static constexpr int kAnyAction = -1;
  std::vector<double> scores(int node, int action = kAnyAction) const;
  HierarchicalModel fit_children(int node, int action = kAnyAction) const;
  bool pruned(int child) const;

  AbMctsMOptions options_;
  Strategy strategy_;
  std::vector<std::vector<Observation>> subtree_ = {{}};  // by node; the root's are all of the tree
};

}  // namespace umf
