// AB-MCTS-A: going wider or deeper by draws from conjugate posteriors kept at every node
// (docs/algorithm.md#ab-mcts).
#pragma once

#include <string>
#include <vector>

#include "search/ab_search.h"
#include "search/score_posterior.h"

namespace umf {

struct AbMctsAOptions {
  std::string family = "gaussian";

  template <class Visitor>
  void visit(Visitor&& field) {
    field(family, "family", "distribution of the scores: gaussian or beta");
  }
};

// The library also keeps a posterior per node and action; nothing reads it when actions are chosen
// over the whole tree, so it is left out here.
class AbMctsA : public AbSearch {
 public:
  using Options = AbMctsAOptions;
  static constexpr SearchFacts kFacts{"ab-mcts-a",
                                      "wider or deeper by conjugate posteriors at every node"};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<AbMctsA>(setup.root, setup.actions, setup.seed,
                                     setup.options.of<AbMctsA>());
  }

  struct Beliefs {
    ScorePosterior generating;  // GEN: scores of direct children
    ScorePosterior continuing;  // CONT: scores from further below
    ScorePosterior itself;      // as its parent sees it: its own score and those of its subtree
  };

  // Throws Error for an unknown family.
  AbMctsA(Place root, int actions, std::uint64_t seed, const AbMctsAOptions& options);
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;
  const Beliefs& beliefs(int node) const { return beliefs_[node]; }
  const ScorePosterior& action_scores(int action) const { return by_action_[action]; }

 private:
  AbChoice choose(int node, Draws& draws) const override;
  void learn(int node) override;
  bool goes_deeper(int node, Draws& draws) const;
  int choose_child(const std::vector<int>& open, Draws& draws) const;
  int choose_action(int node, Draws& draws) const;
  double draw(const ScorePosterior& posterior, Draws& draws) const;

  bool beta_;
  std::vector<Beliefs> beliefs_ = {{}};    // by node
  std::vector<ScorePosterior> by_action_;  // over the whole tree
};

}  // namespace umf
