// What smaller budgets would have given, taken from one run at the largest.
#pragma once

#include <functional>

#include "solve/solution.h"

namespace umf {

// A larger budget replays the smaller one (docs/algorithm.md#larger-budget-replays), so a smaller
// budget's result is the state of the run when its NFE are spent. Only savings differ before that:
// they are capped by the smaller budget.
class BudgetCurve {
 public:
  explicit BudgetCurve(std::vector<long> budgets);

  void count_hit(int passes, long nfe);
  // Gives every open budget up to `nfe` the run's state as its result and closes it; `finish` may
  // add what the smaller budget would have done last.
  void close_up_to(long nfe, const Solution& so_far, Stop stopped,
                   const std::function<void(CurvePoint&)>& finish = {});
  std::vector<CurvePoint> points() && { return std::move(points_); }

 private:
  std::vector<CurvePoint> points_;  // smallest budget first
  std::size_t open_ = 0;            // index of the smallest budget that has no result yet
};

}  // namespace umf
