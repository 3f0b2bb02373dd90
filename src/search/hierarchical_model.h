// The statistical model of AB-MCTS-M (docs/algorithm.md#ab-mcts) and exact draws from its
// posterior.
#pragma once

#include <array>
#include <vector>

#include "search/draws.h"

namespace umf {

// All the model needs to know of a group's scores.
struct Group {
  int count = 0;
  double mean = 0;
  double deviations = 0;  // sum of (score - mean)^2
  bool operator==(const Group&) const = default;
};

// Sums in sorted order: the same scores in another order give the same bits.
Group summarise(std::vector<double> scores);

// mu ~ N(prior_mean, 0.2^2), sigma_a ~ HalfNormal(0.2), sigma_y ~ HalfNormal(0.3); a group's level
// is alpha_j ~ N(mu, sigma_a^2), its scores are N(alpha_j, sigma_y^2). The levels and mu integrate
// out in closed form; what is left, a density over the two scales, is tabulated on a grid that is
// even in their logarithms. Scales below 1e-3 are left out, which keeps the posterior proper when
// all scores of every group are equal.
class HierarchicalModel {
 public:
  explicit HierarchicalModel(std::vector<Group> groups, double prior_mean = 0.5);

  // The next score of a group. Each draw takes its own scales: draws of different groups are
  // independent, as the library that defines AB-MCTS-M picks them. A group without scores is an
  // unseen one.
  double draw(int group, Draws& draws) const;
  double draw_unseen(Draws& draws) const;

  static constexpr int kCells = 64;  // per scale

 private:
  // Groups with the same number of scores enter the likelihood only through these sums.
  struct Pool {
    double count = 0;                         // scores in each of the groups
    double groups = 0, sum = 0, squares = 0;  // of the groups' means, relative to the prior mean
  };
  struct Scales {
    double between = 0, within = 0;  // variances: sigma_a^2, sigma_y^2
  };
  struct Level {
    double mean = 0, variance = 0;  // of mu, relative to the prior mean
  };

  void pool(const Group& group);
  void tabulate();
  double log_evidence(const Scales& scales) const;
  Scales draw_scales(Draws& draws) const;
  Level level(const Scales& scales) const;

  std::vector<Group> groups_;
  double prior_mean_;
  std::vector<Pool> pools_;
  double freedom_ = 0,
         deviations_ = 0;  // sums over the groups of count - 1 and of the squared deviations
  std::array<double, kCells * kCells> cumulative_;  // (sigma_y, sigma_a)
};

}  // namespace umf
