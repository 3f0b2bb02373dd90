#include "solve/solution.h"

#include <algorithm>
#include <cmath>

namespace umf {
namespace {

// 1 when `a` ranks above `b`, -1 when below: NaN < -inf < numbers < +inf.
int compare_rewards(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(b) - std::isnan(a);
  return (a > b) - (a < b);
}

}  // namespace

const char* name_of(Stop stop) {
  switch (stop) {
    case Stop::kBudget:
      return "budget";
    case Stop::kExhausted:
      return "exhausted";
    case Stop::kReward:
      return "reward";
    case Stop::kTime:
      return "time";
    case Stop::kInterrupted:
      return "interrupted";
    case Stop::kError:
      return "error";
  }
  return "";
}

bool better(const Candidate& challenger, const Candidate& best) {
  const int order = compare_rewards(challenger.reward, best.reward);
  return order != 0 ? order > 0 : challenger.complete && !best.complete;
}

void Ledger::count_hit(int passes, long nfe_left) {
  ++hits;
  saved_full += passes;
  saved_capped += std::min<long>(passes, nfe_left);
}

void Ledger::count_passes(int action, int passes) {
  nfe += passes;
  equivalents += passes;
  actions[action].nfe += passes;
}

void Ledger::count_passes(int action, const Outcome& outcome) {
  nfe += outcome.passes;
  partial += outcome.partial;
  equivalents += outcome.equivalents;
  actions[action].nfe += outcome.passes;
}

void Ledger::count_miss(int model) {
  ++misses;
  switches += last_model >= 0 && last_model != model;
  last_model = model;
}

void Ledger::count_reward(int action, double reward) {
  ++evaluations;
  std::optional<double>& best = actions[action].best_reward;
  if (!best || compare_rewards(reward, *best) > 0) best = reward;
}

}  // namespace umf
