#include "search/ab_mcts_a.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "search/search_testing.h"

namespace umf {
namespace {

// The batch formula of the text, with the mean and the deviations in two passes.
NormalInverseChiSquare batch(const std::vector<double>& scores) {
  const double n = scores.size();
  double m = 0, s = 0;
  for (const double y : scores) m += y / n;
  for (const double y : scores) s += (y - m) * (y - m);
  return {n * m / (1 + n), 1 + n, 1 + n, (0.1 + s + n * m * m / (1 + n)) / (1 + n)};
}

void expect_batch(const ScorePosterior& posterior, const std::vector<double>& scores) {
  const NormalInverseChiSquare now = posterior.gaussian(), expected = batch(scores);
  EXPECT_NEAR(now.mean, expected.mean, 1e-12);
  EXPECT_EQ(now.kappa, expected.kappa);
  EXPECT_EQ(now.nu, expected.nu);
  EXPECT_NEAR(now.tau2, expected.tau2, 1e-12);
  double sum = 0;
  for (const double y : scores) sum += y;
  EXPECT_NEAR(posterior.beta().a, 0.5 + sum, 1e-12);
  EXPECT_NEAR(posterior.beta().b, 0.5 + scores.size() - sum, 1e-12);
}

// docs/algorithm.md#ab-mcts-a-posteriors
TEST(ScorePosterior, EqualsTheBatchFormulaAfterEverySequence) {
  for (std::uint64_t sequence = 0; sequence < 20; ++sequence) {
    Draws draws(9, sequence);
    ScorePosterior posterior;
    std::vector<double> scores;
    for (int i = 0; i < 50; ++i) {
      scores.push_back(draws.below(4) == 0 ? 1.0 : draws.uniform());
      posterior.observe(scores.back());
      expect_batch(posterior, scores);
    }
  }
}

TEST(ScorePosterior, WithoutScoresIsThePrior) {
  const NormalInverseChiSquare prior = ScorePosterior().gaussian();
  EXPECT_EQ(prior.mean, 0);
  EXPECT_EQ(prior.kappa, 1);
  EXPECT_EQ(prior.nu, 1);
  EXPECT_EQ(prior.tau2, 0.1);
  EXPECT_EQ(ScorePosterior().beta().a, 0.5);
}

TEST(ScorePosterior, DrawsHaveTheMomentsOfTheMean) {
  const NormalInverseChiSquare posterior{.mean = 0.3, .kappa = 4, .nu = 10, .tau2 = 0.2};
  Draws draws(1, 0);
  double sum = 0, squares = 0;
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    const double x = posterior.draw(draws) - 0.3;
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0, 0.003);
  // A Student t: variance tau2 / kappa * nu / (nu - 2).
  EXPECT_NEAR(squares / count, 0.2 / 4 * 10 / 8, 0.002);
}

std::vector<double> subtree_scores(const AbTree& tree, int node) {
  std::vector<double> scores = {tree[node].score};
  for (const int child : tree[node].children) {
    const std::vector<double> below = subtree_scores(tree, child);
    scores.insert(scores.end(), below.begin(), below.end());
  }
  return scores;
}

// docs/algorithm.md#ab-mcts-a-posteriors, for every posterior of a whole tree.
TEST(AbMctsA, PosteriorsAreThoseOfTheTree) {
  ToyWorld world;
  AbMctsA search(world.root(), 2, 1, {});
  run(search, world, 300);
  const AbTree& tree = search.tree();
  std::vector<double> by_action[2];
  for (int node = 0; node < tree.size(); ++node) {
    std::vector<double> direct, below;
    for (const int child : tree[node].children) {
      direct.push_back(tree[child].score);
      for (const int grandchild : tree[child].children) {
        const std::vector<double> scores = subtree_scores(tree, grandchild);
        below.insert(below.end(), scores.begin(), scores.end());
      }
    }
    if (!direct.empty()) expect_batch(search.beliefs(node).generating, direct);
    // A direct generation never touches CONT of its own parent.
    EXPECT_EQ(search.beliefs(node).continuing.count(), below.size());
    if (!below.empty()) expect_batch(search.beliefs(node).continuing, below);
    if (node == 0) continue;
    expect_batch(search.beliefs(node).itself, subtree_scores(tree, node));
    by_action[tree[node].action].push_back(tree[node].score);
  }
  for (int action = 0; action < 2; ++action)
    expect_batch(search.action_scores(action), by_action[action]);
}

TEST(AbMctsA, RefusesAnUnknownFamily) {
  EXPECT_THROW(AbMctsA({0, 8}, 2, 1, {.family = "gamma"}), Error);
}

}  // namespace
}  // namespace umf
