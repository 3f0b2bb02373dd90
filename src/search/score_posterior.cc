#include "search/score_posterior.h"

#include <cmath>

namespace umf {

double NormalInverseChiSquare::draw(Draws& draws) const {
  const double variance = nu * tau2 / 2 / draws.gamma(nu / 2);
  return mean + std::sqrt(variance / kappa) * draws.normal();
}

// Welford's update: no difference of large sums.
void ScorePosterior::observe(double score) {
  ++count_;
  sum_ += score;
  const double before = score - mean_;
  mean_ += before / count_;
  deviations_ += before * (score - mean_);
}

NormalInverseChiSquare ScorePosterior::gaussian() const {
  const NormalInverseChiSquare prior;
  const double n = count_, shift = prior.mean - mean_;
  NormalInverseChiSquare posterior;
  posterior.kappa = prior.kappa + n;
  posterior.nu = prior.nu + n;
  posterior.mean = (prior.kappa * prior.mean + n * mean_) / posterior.kappa;
  posterior.tau2 =
      (prior.nu * prior.tau2 + deviations_ + n * prior.kappa * shift * shift / posterior.kappa) /
      posterior.nu;
  return posterior;
}

Beta ScorePosterior::beta() const {
  const Beta prior;
  return {prior.a + sum_, prior.b + (count_ - sum_)};
}

}  // namespace umf
