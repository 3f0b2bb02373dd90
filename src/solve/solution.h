// What a search gives back: the best answer, what it cost, and why it ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "search/trial.h"

namespace umf {

enum class Stop { kBudget, kExhausted, kReward, kTime, kInterrupted, kError };
const char* name_of(Stop stop);

// A judged end. Its text is the world's to give.
struct Candidate {
  StateId end = 0;
  double reward = 0;  // raw: may be NaN (the judge failed) or infinite
  bool complete = true;
  long iteration = 0;         // of the rollout that found it, from 1
  std::vector<int> actions;   // one per level, from the root to the end
  std::vector<StateId> path;  // the states they lead to; the end is the last
  std::string why;
  std::vector<TestVerdict> tests;  // the verdict's, where it has any
};

// SelectBest (docs/algorithm.md#select-best): the higher raw reward; of equals the complete one.
// What failed (NaN) ranks below every number. Whoever was there first stays when neither is better.
bool better(const Candidate& challenger, const Candidate& best);

struct ActionUse {
  long nfe = 0;
  std::optional<double> best_reward;  // raw, ranked like candidates
};

// The counts, as the paper's tables define them (docs/algorithm.md#what-is-counted). Only rollouts
// that ran to their end or to the budget count as misses; passes count when they are made.
struct Ledger {
  long nfe = 0, hits = 0, misses = 0;
  long saved_full = 0, saved_capped = 0;  // capped by the NFE that were left at that moment
  long spared = 0;                        // passes that closed texts made unnecessary
  long partial = 0;                       // of the passes, those over few rows
  double equivalents = 0;                 // all passes by their arithmetic, in passes over all rows
  long switches = 0;
  long evaluations = 0;  // misses that were scored
  long judged =
      0;  // of these, how many asked the judge; the others ended where one had ended before
  int last_model = -1;
  std::vector<ActionUse> actions;

  long rollouts() const { return hits + misses; }
  double hit_rate() const { return rollouts() == 0 ? 0.0 : static_cast<double>(hits) / rollouts(); }

  void count_hit(int passes, long nfe_left);
  void count_passes(int action, int passes);
  void count_passes(int action, const Outcome& outcome);
  void count_miss(int model);
  void count_reward(int action, double reward);
};

// What a smaller budget would have given.
struct CurvePoint {
  long budget = 0;
  Stop stopped = Stop::kBudget;
  std::optional<Candidate> best;
  Ledger ledger;
  double walk_seconds = 0, judge_seconds = 0;  // inside a rollout in proportion to its passes
};

struct Solution {
  std::optional<Candidate> best;  // nothing when no rollout was made
  Ledger ledger;
  Stop stopped = Stop::kBudget;
  std::string message;  // what failed, when stopped by an error

  std::vector<CurvePoint> curve;                // smallest budget first
  long curve_passes = 0, curve_judgements = 0;  // made for the curve alone; not in the ledger
  double curve_seconds = 0;                     // for these; not in those below
  int nodes = 1, depth = 0;                     // of the search's tree
  double walk_seconds = 0, judge_seconds = 0;
};

}  // namespace umf
