#include "search/hierarchical_model.h"

#include <algorithm>
#include <cmath>

#include "base/elementary.h"

namespace umf {
namespace {

constexpr double kPriorPrecision = 1 / (0.2 * 0.2);  // of mu

// The cells of one scale, even in its logarithm.
struct Axis {
  double step;
  std::array<double, HierarchicalModel::kCells> log, square, log_weight;  // at the cells' centres

  Axis(double low, double high, double prior_scale) {
    step = (elementary::log(high) - elementary::log(low)) / HierarchicalModel::kCells;
    for (int i = 0; i < HierarchicalModel::kCells; ++i) {
      log[i] = elementary::log(low) + (i + 0.5) * step;
      square[i] = elementary::exp(2 * log[i]);
      // The half-normal density, and the Jacobian of the logarithm.
      log_weight[i] = -square[i] / (2 * prior_scale * prior_scale) + log[i];
    }
  }

  // The square of a scale that is uniform, in its logarithm, within a cell.
  double square_in_cell(int cell, double u) const {
    return elementary::exp(2 * (log[cell] + (u - 0.5) * step));
  }
};

const Axis& between_axis() {
  static const Axis axis(1e-3, 1.0, 0.2);
  return axis;
}

const Axis& within_axis() {
  static const Axis axis(1e-3, 1.5, 0.3);
  return axis;
}

}  // namespace

Group summarise(std::vector<double> scores) {
  if (scores.empty()) return {};
  std::sort(scores.begin(), scores.end());
  Group group{.count = static_cast<int>(scores.size())};
  for (const double score : scores) group.mean += score;
  group.mean /= group.count;
  // Rounding in the mean of equal scores would feign a spread.
  if (scores.front() == scores.back()) group.mean = scores.front();
  for (const double score : scores) group.deviations += (score - group.mean) * (score - group.mean);
  return group;
}

HierarchicalModel::HierarchicalModel(std::vector<Group> groups, double prior_mean)
    : groups_(std::move(groups)), prior_mean_(prior_mean) {
  for (const Group& group : groups_) pool(group);
  tabulate();
}

void HierarchicalModel::pool(const Group& group) {
  if (group.count == 0) return;
  const auto same = [&group](const Pool& pool) { return pool.count == group.count; };
  auto pool = std::find_if(pools_.begin(), pools_.end(), same);
  if (pool == pools_.end())
    pool = pools_.insert(pool, Pool{.count = static_cast<double>(group.count)});
  const double mean = group.mean - prior_mean_;
  pool->groups += 1;
  pool->sum += mean;
  pool->squares += mean * mean;
  freedom_ += group.count - 1;
  deviations_ += group.deviations;
}

void HierarchicalModel::tabulate() {
  const Axis &between = between_axis(), &within = within_axis();
  double most = -INFINITY;
  for (int y = 0, cell = 0; y < kCells; ++y) {
    const double row =
        within.log_weight[y] - freedom_ * within.log[y] - deviations_ / (2 * within.square[y]);
    for (int a = 0; a < kCells; ++a, ++cell) {
      cumulative_[cell] =
          row + between.log_weight[a] + log_evidence({between.square[a], within.square[y]});
      most = std::max(most, cumulative_[cell]);
    }
  }
  double sum = 0;
  for (double& cell : cumulative_) cell = sum += elementary::exp(cell - most);
}

// ln p(means | scales) up to a constant, with v = sigma_a^2 + sigma_y^2 / n for a group of n
// scores: sum -ln(v)/2 - ln(P)/2 + (b^2/P - q)/2.
double HierarchicalModel::log_evidence(const Scales& scales) const {
  double precision = kPriorPrecision, b = 0, q = 0, log_variances = 0, product = 1;
  for (const Pool& pool : pools_) {
    const double variance = scales.between + scales.within / pool.count, inverse = 1 / variance;
    precision += pool.groups * inverse;
    b += pool.sum * inverse;
    q += pool.squares * inverse;
    // One logarithm for many variances: none is below 1e-6, so the product is taken out in time.
    if (pool.groups > 1) {
      log_variances += pool.groups * elementary::log(variance);
    } else if ((product *= variance) < 1e-250) {
      log_variances += elementary::log(product);
      product = 1;
    }
  }
  log_variances += elementary::log(product * precision);
  return 0.5 * (b * b / precision - q - log_variances);
}

HierarchicalModel::Scales HierarchicalModel::draw_scales(Draws& draws) const {
  const double u = draws.uniform() * cumulative_.back();
  const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end() - 1, u);
  const int cell = static_cast<int>(found - cumulative_.begin());
  Scales scales;
  scales.between = between_axis().square_in_cell(cell % kCells, draws.uniform());
  scales.within = within_axis().square_in_cell(cell / kCells, draws.uniform());
  return scales;
}

HierarchicalModel::Level HierarchicalModel::level(const Scales& scales) const {
  double precision = kPriorPrecision, b = 0;
  for (const Pool& pool : pools_) {
    const double inverse = 1 / (scales.between + scales.within / pool.count);
    precision += pool.groups * inverse;
    b += pool.sum * inverse;
  }
  return {b / precision, 1 / precision};
}

// mu, alpha and the score are normal one upon the other: one draw with the sum of their variances.
double HierarchicalModel::draw(int group, Draws& draws) const {
  const Group& seen = groups_[group];
  if (seen.count == 0) return draw_unseen(draws);
  const Scales scales = draw_scales(draws);
  const Level mu = level(scales);
  const double noise = scales.within / seen.count;
  const double k =
      scales.between / (scales.between + noise);  // how much the group's own mean counts
  const double mean = (1 - k) * mu.mean + k * (seen.mean - prior_mean_);
  const double variance = (1 - k) * (1 - k) * mu.variance + k * noise + scales.within;
  return prior_mean_ + mean + std::sqrt(variance) * draws.normal();
}

double HierarchicalModel::draw_unseen(Draws& draws) const {
  const Scales scales = draw_scales(draws);
  const Level mu = level(scales);
  const double variance = mu.variance + scales.between + scales.within;
  return prior_mean_ + mu.mean + std::sqrt(variance) * draws.normal();
}

}  // namespace umf
