#include "search/hierarchical_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace umf {
namespace {

using Scores = std::vector<std::vector<double>>;  // by group

struct Moments {
  double mean = 0, sd = 0;
};

Moments moments_of(const std::function<double()>& draw, int count = 100000) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean)};
}

HierarchicalModel fit(const Scores& scores) {
  std::vector<Group> groups;
  for (const std::vector<double>& group : scores) groups.push_back(summarise(group));
  return HierarchicalModel(groups);
}

// The same posterior by another road: the scores are jointly normal given the scales, so their
// density and the conditional of one more score come from a dense covariance matrix; the scales are
// summed over an even grid.
class DenseOracle {
 public:
  explicit DenseOracle(const Scores& scores) {
    for (int g = 0; g < scores.size(); ++g)
      for (const double y : scores[g]) group_.push_back(g), y_.push_back(y - 0.5);
  }

  // Of the next score in `group`; a number beyond the groups is an unseen one.
  Moments predictive(int group) const {
    const int cells = 160;
    double weight = 0, sum = 0, squares = 0;
    for (int i = 0; i < cells * cells; ++i) {
      const double sa = (i / cells + 0.5) / cells * 1.0, sy = (i % cells + 0.5) / cells * 1.5;
      const auto [log_density, mean, variance] = given_scales(group, sa, sy);
      const double w = std::exp(log_density - sa * sa / (2 * 0.04) - sy * sy / (2 * 0.09));
      weight += w;
      sum += w * mean;
      squares += w * (mean * mean + variance);
    }
    const double mean = sum / weight;
    return {0.5 + mean, std::sqrt(squares / weight - mean * mean)};
  }

 private:
  struct Given {
    double log_density, mean, variance;
  };

  // Eliminates the scores one by one: what is left of the new score is its conditional.
  Given given_scales(int group, double sa, double sy) const {
    std::vector<int> groups = group_;
    groups.push_back(group);
    const int n = groups.size();
    std::vector<double> c(n * n), mean(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        c[i * n + j] = 0.04 + (groups[i] == groups[j] ? sa * sa : 0) + (i == j ? sy * sy : 0);
    double log_density = 0;
    for (int k = 0; k + 1 < n; ++k) {
      const double residual = y_[k] - mean[k], pivot = c[k * n + k];
      log_density -= 0.5 * (residual * residual / pivot + std::log(pivot));
      for (int i = k + 1; i < n; ++i) {
        const double gain = c[i * n + k] / pivot;
        mean[i] += gain * residual;
        for (int j = k + 1; j < n; ++j) c[i * n + j] -= gain * c[k * n + j];
      }
    }
    return {log_density, mean[n - 1], c[n * n - 1]};
  }

  std::vector<int> group_;
  std::vector<double> y_;  // relative to the prior mean
};

// docs/algorithm.md#ab-mcts-m-model: sqrt(0.2^2 + 0.2^2 + 0.3^2) = 0.412.
TEST(HierarchicalModel, WithoutDataTheUnseenGroupIsThePrior) {
  const HierarchicalModel model({});
  Draws draws(1, 0);
  const Moments m = moments_of([&] { return model.draw_unseen(draws); });
  EXPECT_NEAR(m.mean, 0.5, 0.005);
  EXPECT_NEAR(m.sd, 0.412, 0.004);
}

TEST(HierarchicalModel, AgreesWithADenseIntegration) {
  const Scores data_sets[] = {{{0.5}},
                              {{0.0, 0.3}, {0.9}},
                              {{0.2, 0.4, 0.3}, {0.8, 0.6}, {0.1}},
                              {{1.0}, {0.0}, {0.5, 0.55}},
                              {{0.1, 0.2}, {0.9, 0.8}, {0.0, 0.25}}};
  for (const Scores& scores : data_sets) {
    const HierarchicalModel model = fit(scores);
    const DenseOracle oracle(scores);
    Draws draws(2, 0);
    for (int group = 0; group <= scores.size(); ++group) {
      const bool unseen = group == scores.size();
      const Moments drawn =
          moments_of([&] { return unseen ? model.draw_unseen(draws) : model.draw(group, draws); });
      const Moments expected = oracle.predictive(group);
      EXPECT_NEAR(drawn.mean, expected.mean, 0.008);
      EXPECT_NEAR(drawn.sd, expected.sd, 0.008);
    }
  }
}

// docs/algorithm.md#ab-mcts-m-model
TEST(HierarchicalModel, DegenerateDataGiveFiniteDraws) {
  const HierarchicalModel model = fit({{0, 0, 0}, {0, 0}});
  Draws draws(3, 0);
  const Moments child = moments_of([&] { return model.draw(0, draws); });
  const Moments unseen = moments_of([&] { return model.draw_unseen(draws); });
  EXPECT_NEAR(child.mean, 0.000, 0.001);
  EXPECT_NEAR(child.sd, 0.004, 0.002);
  EXPECT_NEAR(unseen.mean, 0.06, 0.015);
  EXPECT_NEAR(unseen.sd, 0.18, 0.02);
}

TEST(HierarchicalModel, ThousandsOfEqualScoresGiveFiniteDraws) {
  const HierarchicalModel model =
      fit({std::vector<double>(5000, 0.1), std::vector<double>(3, 1.0)});
  Draws draws(3, 1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(std::isfinite(model.draw(0, draws)));
    EXPECT_TRUE(std::isfinite(model.draw(1, draws)));
    EXPECT_TRUE(std::isfinite(model.draw_unseen(draws)));
  }
}

TEST(HierarchicalModel, ManyGroupSizesDoNotUnderflow) {
  Scores scores;
  for (int size = 1; size <= 90; ++size) scores.emplace_back(size, 0.3);
  const HierarchicalModel model = fit(scores);
  Draws draws(3, 2);
  for (int i = 0; i < 1000; ++i) EXPECT_NEAR(model.draw_unseen(draws), 0.3, 0.02);
}

// docs/algorithm.md#ab-mcts-m-model
TEST(HierarchicalModel, PermutingAGroupsScoresChangesNothing) {
  std::vector<double> scores = {0.1, 0.7, 0.3, 0.30000001, 0.99};
  const Group group = summarise(scores);
  const HierarchicalModel model = fit({scores, {0.2, 0.4}});
  while (std::next_permutation(scores.begin(), scores.end())) {
    ASSERT_EQ(summarise(scores), group);
  }
  std::reverse(scores.begin(), scores.end());
  const HierarchicalModel permuted = fit({scores, {0.4, 0.2}});
  Draws a(4, 0), b(4, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(model.draw(0, a), permuted.draw(0, b));
}

TEST(HierarchicalModel, EqualScoresHaveNoDeviations) {
  const Group group = summarise(std::vector<double>(10, 0.1));
  EXPECT_EQ(group.mean, 0.1);
  EXPECT_EQ(group.deviations, 0);
}

TEST(HierarchicalModel, GroupWithoutScoresIsDrawnAsUnseen) {
  const HierarchicalModel model = fit({{0.2, 0.3}, {}});
  Draws a(5, 0), b(5, 0);
  EXPECT_EQ(model.draw(1, a), model.draw_unseen(b));
}

TEST(HierarchicalModel, PriorMeanShiftsTheUnseenGroup) {
  const HierarchicalModel low({}, 0.25), middle({});
  Draws a(6, 0), b(6, 0);
  EXPECT_NEAR(low.draw_unseen(a) + 0.25, middle.draw_unseen(b), 1e-12);
}

}  // namespace
}  // namespace umf
