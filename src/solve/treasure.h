// TReASURe: a beam of partly masked windows, each scored by what one pass would fill in
// (docs/algorithm.md#treasure).
#pragma once

#include "search/search_setup.h"
#include "solve/solve.h"

namespace umf {

struct TreasureOptions {
  int beam = 0;
  int children = 4;

  template <class Visitor>
  void visit(Visitor&& field) {
    field(beam, "beam", "windows kept after every token; 0 for the budget in windows");
    field(children, "children", "draws from each of them, all from one forward pass");
  }
};

// Every child is a rollout: its path is the child and its completion. One forward pass is spent for
// each parent, so that any budget is met exactly, whatever the policy. The answer is the best final
// reward; where the search ends before any window is full, the best completion so far. A completion
// whose reward is enough ends it. Throws Error for options that do not fit: a curve, as the beam
// depends on the budget.
Solution treasure(World& world, int action, const TreasureOptions& options,
                  const SolveOptions& limits, const Observer& observer = {});

struct Treasure {
  using Options = TreasureOptions;
  static constexpr SearchFacts kFacts{
      "treasure",
      "TReASURe: a beam of windows, scored by their completions at every pass",
      {.anytime = false, .resumable = false, .works_ahead = false, .one_action = true}};
  static Solution run(World& world, const SearchSetup& setup, const SolveOptions& limits,
                      const Observer& observer) {
    return treasure(world, 0, setup.options.of<Treasure>(), limits, observer);
  }
};

}  // namespace umf
