// Which ways to unmask suit a data set: what is measured, and what is concluded from it
// (docs/tuning.md).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/result.h"
#include "bench/run_directory.h"
#include "bench/statistics.h"
#include "decode/action.h"

namespace umf {

// One way to unmask: a model, or several together, with a commit rule.
struct TunedAction {
  std::string models;  // one name, or all of them joined by '+'
  Ensemble ensemble = Ensemble::kNone;
  CommitRule commit;

  std::string name() const;  // of its configuration: "dream-tau-0.99", "relay-tau-0.99"
  std::string text() const;  // as --action takes it
};

// What is measured first: every model with every rule, `one` before all others; then relays and
// polls of all models where there are several.
std::vector<TunedAction> actions_to_measure(const std::vector<std::string>& models);

// How one configuration did.
struct Score {
  std::vector<bool> solved;     // of each problem: the hidden tests, or the visible ones where it
                                // has no others
  int visible = 0;              // so many passed the visible tests
  long passes = 0, spared = 0;  // forward passes, and cells that were filled without any: sums

  int count() const;  // of those that are solved
};
// On the same problems: more is solved, or as much with fewer passes.
bool better(const Score& a, const Score& b);
Paired pair_up(const Score& first, const Score& second);

// Scores on the same problems: those that every configuration of the run was judged on.
struct Scores {
  int problems = 0, left_out = 0;
  std::vector<Score> of;  // in the order of the configurations
};
// Each configuration has one budget.
Scores scores_of(const Manifest& manifest, const std::map<ResultKey, Result>& results);

// Actions by number.
struct TunedChoice {
  std::vector<int> rules;  // one per model; the most solved per pass first
  int best_model = 0;      // the `one` of the model that solves most with it; of equals the cheaper
  std::vector<int> ensembles;  // a relay and a poll; none where there is one model
};

// Per model the rule with the fewest passes that solves at most `loss` points less than `one`; of
// equals the one that solves more, then the one with the larger bound. Of relays and of polls the
// one with the fewest passes to expect where the chosen rule of every model follows a failure: its
// own, and the share that it fails of all theirs.
TunedChoice choose_actions(std::span<const TunedAction> actions, const Scores& scores, double loss);

// Whether an ensemble is worth having by itself: it solves as much as the best model one cell at a
// time, and costs no more.
bool pays_alone(const Score& ensemble, const Score& best_model);

// A search that is measured.
struct TunedSearch {
  std::string name;
  std::vector<int> actions;  // in order
};

// What is measured then: a search over the chosen rule of every model, and behind it one for each
// ensemble, in their order, with that as the first action. With one model a search over its
// chosen rule, which gives one answer, and one over that and the two others that solve most per
// pass.
std::vector<TunedSearch> searches_to_measure(std::span<const TunedAction> actions,
                                             const Scores& scores, const TunedChoice& choice);

// The best; of equals the first.
int best_search(const Scores& scores);

}  // namespace umf
