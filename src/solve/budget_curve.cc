#include "solve/budget_curve.h"

#include <algorithm>

namespace umf {

BudgetCurve::BudgetCurve(std::vector<long> budgets) {
  std::sort(budgets.begin(), budgets.end());
  for (const long budget : budgets) points_.push_back({.budget = budget});
}

void BudgetCurve::count_hit(int passes, long nfe) {
  for (std::size_t i = open_; i < points_.size(); ++i) {
    points_[i].ledger.count_hit(passes, points_[i].budget - nfe);
  }
}

void BudgetCurve::close_up_to(long nfe, const Solution& so_far, Stop stopped,
                              const std::function<void(CurvePoint&)>& finish) {
  for (; open_ < points_.size() && points_[open_].budget <= nfe; ++open_) {
    CurvePoint& point = points_[open_];
    const long saved_capped = point.ledger.saved_capped;
    point.ledger = so_far.ledger;
    point.ledger.saved_capped = saved_capped;
    point.best = so_far.best;
    point.stopped = stopped;
    point.walk_seconds = so_far.walk_seconds;
    point.judge_seconds = so_far.judge_seconds;
    if (finish) finish(point);
  }
}

}  // namespace umf
