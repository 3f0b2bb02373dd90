#include "search/searches.h"

#include <fmt/format.h>

#include "base/error.h"

namespace umf {
namespace {

void need_one_action(std::string_view name, const SearchSetup& setup) {
  if (setup.actions == 1) return;
  throw Error(fmt::format(
      "search '{}' takes one action, and {} were given. Give one, or use 'pair' for two models.",
      name, setup.actions));
}

std::unique_ptr<Search> make_unmaskfork(const SearchSetup& setup) {
  return std::make_unique<UnMaskFork>(setup.actions, setup.root, setup.options.unmaskfork,
                                      *setup.cache, setup.first_action);
}

std::unique_ptr<Search> make_best_of_n(const SearchSetup& setup) {
  need_one_action("best-of-n", setup);
  return std::make_unique<BestOfN>(setup.root, 0, setup.options.best_of_n);
}

// The action remasks by itself: one trajectory, and no reward is used on the way
// (docs/algorithm.md#remdm).
std::unique_ptr<Search> make_remdm(const SearchSetup& setup) {
  need_one_action("remdm", setup);
  return std::make_unique<BestOfN>(setup.root, 0, BestOfNOptions{.samples = 1});
}

std::unique_ptr<Search> make_dts(const SearchSetup& setup) {
  need_one_action("dts", setup);
  return std::make_unique<Dts>(setup.root, 0, setup.seed, setup.options.dts);
}

std::unique_ptr<Search> make_ab_mcts_m(const SearchSetup& setup) {
  return std::make_unique<AbMctsM>(setup.root, setup.actions, setup.seed, setup.options.ab_mcts_m);
}

std::unique_ptr<Search> make_ab_mcts_a(const SearchSetup& setup) {
  return std::make_unique<AbMctsA>(setup.root, setup.actions, setup.seed, setup.options.ab_mcts_a);
}

// The first half of the actions is the first model's, the other half the second's.
std::unique_ptr<Search> make_pair_of_searches(const SearchSetup& setup) {
  const std::string& method = setup.options.pair.method;
  if (method == "pair")
    throw Error("search 'pair' cannot be the method of a pair. Name another search.");
  if (setup.actions < 2 || setup.actions % 2 != 0) {
    throw Error(fmt::format(
        "search 'pair' takes the same number of actions for each of two models, and {} were given.",
        setup.actions));
  }
  SearchSetup half = setup;
  half.actions = setup.actions / 2;
  std::unique_ptr<Search> first = make_search(method, half);
  half.first_action = half.actions;
  return std::make_unique<Pair>(std::move(first), make_search(method, half), half.actions,
                                setup.options.pair.passes);
}

constexpr SearchEntry kSearches[] = {
    {"unmaskfork", "tree search over deterministic actions with an exact cache", make_unmaskfork},
    {"best-of-n", "independent rollouts of one action", make_best_of_n},
    {"pair", "one method, once per model with half of the budget", make_pair_of_searches,
     /*anytime=*/false},
    {"dts", "DTS*: diffusion tree sampling with maximisation, one action", make_dts},
    {"ab-mcts-m", "wider or deeper by a hierarchical model of the scores", make_ab_mcts_m},
    {"ab-mcts-a", "wider or deeper by conjugate posteriors at every node", make_ab_mcts_a},
    {"remdm", "ReMDM: one trajectory that masks cells again, as long as the budget", make_remdm,
     /*anytime=*/false},
};

}  // namespace

std::span<const SearchEntry> searches() { return kSearches; }

std::unique_ptr<Search> make_search(std::string_view name, const SearchSetup& setup) {
  std::string known;
  for (const SearchEntry& entry : kSearches) {
    if (entry.name == name) return entry.make(setup);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(fmt::format("unknown search '{}'. Known are {}.", name, known));
}

}  // namespace umf
