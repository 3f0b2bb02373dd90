// What AB-MCTS-A (docs/algorithm.md#ab-mcts) believes about a source of scores, and draws from it.
#pragma once

#include "search/draws.h"

namespace umf {

// A normal with unknown mean and variance: s2 ~ InvGamma(nu/2, nu tau2/2), mean ~ N(mean,
// s2/kappa).
struct NormalInverseChiSquare {
  double mean = 0, kappa = 1, nu = 1, tau2 = 0.1;  // the prior
  double draw(Draws& draws) const;                 // of the mean, not of a score
};

struct Beta {
  double a = 0.5, b = 0.5;  // the prior
  double draw(Draws& draws) const { return draws.beta(a, b); }
};

// The scores seen, for either family.
class ScorePosterior {
 public:
  void observe(double score);
  NormalInverseChiSquare gaussian() const;
  Beta beta() const;
  int count() const { return count_; }

 private:
  int count_ = 0;
  double sum_ = 0, mean_ = 0;
  double deviations_ = 0;  // sum of (score - mean)^2
};

}  // namespace umf
