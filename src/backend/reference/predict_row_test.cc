#include "backend/reference/predict_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace umf {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Logits of the probabilities (0.5, 0.25, 0.25).
const std::vector<float> kHalf = {std::log(0.5f), std::log(0.25f), std::log(0.25f)};

TEST(PredictRow, GivesTheScoresOfTheDefinition) {
  const Prediction p = predict_row(kHalf, 0, {});
  EXPECT_EQ(p.token, 0);
  EXPECT_NEAR(p.confidence, 0.5, 1e-6);
  EXPECT_NEAR(p.margin, 0.25, 1e-6);
  EXPECT_NEAR(p.entropy, 1.03972, 1e-5);
}

TEST(PredictRow, TopPKeepsTheTokenThatCrossesTheThreshold) {
  const Prediction p = predict_row(kHalf, 0, {.top_p = 0.6f, .tempered_scores = true});
  EXPECT_NEAR(p.confidence, 2.0 / 3, 1e-6);  // two tokens stay, of equal ones the lower id
  EXPECT_NEAR(p.margin, 1.0 / 3, 1e-6);
  EXPECT_NEAR(predict_row(kHalf, 0, {.top_p = 0.4f, .tempered_scores = true}).confidence, 1.0,
              1e-6);
}

TEST(PredictRow, TopKKeepsTies) {
  const Prediction p = predict_row(kHalf, 0, {.top_k = 2, .tempered_scores = true});
  EXPECT_NEAR(p.confidence, 0.5, 1e-6);
}

TEST(PredictRow, TiesGoToTheLowestId) {
  EXPECT_EQ(predict_row(std::vector<float>{1, 3, 3, 2}, 0, {}).token, 1);
}

TEST(PredictRow, LladaScoresIgnoreTemperatureAndDreamScoresDoNot) {
  const Sampling plain{.temperature = 0.1f};
  const Sampling tempered{.temperature = 0.1f, .tempered_scores = true};
  const Prediction a = predict_row(kHalf, 0, plain), b = predict_row(kHalf, 0, tempered);
  EXPECT_EQ(a.token, b.token);
  EXPECT_NEAR(a.entropy, 1.03972, 1e-5);
  EXPECT_LT(b.entropy, 0.05);
}

TEST(PredictRow, TheProbabilityIsThatOfTemperatureOneUnfiltered) {
  const Sampling sharp{.temperature = 0.1f,
                       .top_p = 0.5f,
                       .tempered_scores = true,
                       .last = {0},
                       .plain_probability = true};
  const Prediction p = predict_row(kHalf, 0, sharp);
  EXPECT_EQ(p.token, 0);
  EXPECT_NEAR(p.probability, 0.5, 1e-6);
  EXPECT_EQ(predict_row(kHalf, 0, {}).probability, 0) << "where nobody asks";
}

TEST(PredictRow, GumbelNoiseEqualsTheReferencesForm) {
  // argmax of exp(l) / (-ln u)^T, as the reference writes it, for many states.
  const std::vector<float> logits = {0.3f, -1.0f, 0.8f, 0.1f, -0.4f};
  for (std::uint64_t state = 0; state < 500; ++state) {
    const Sampling sampling{.temperature = 0.7f, .noise = {state, 1}};
    int best = 0;
    double largest = -1;
    for (int token = 0; token < 5; ++token) {
      const double u = open_unit(noise_word(sampling.noise, 9, token));
      const double value = std::exp(double{logits[token]}) / std::pow(-std::log(u), 0.7);
      if (value > largest) largest = value, best = token;
    }
    EXPECT_EQ(predict_row(logits, 9, sampling).token, best);
  }
}

TEST(PredictRow, DrawsFollowTheTemperedDistribution) {
  int first = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    first += predict_row(kHalf, i, {.temperature = 1.0f, .noise = {5, 5}}).token == 0;
  }
  EXPECT_NEAR(first / double{kDraws}, 0.5, 0.015);
}

TEST(PredictRow, GreedyIgnoresTheNoise) {
  for (std::uint64_t state = 0; state < 50; ++state) {
    EXPECT_EQ(predict_row(kHalf, 0, {.noise = {state, 0}}).token, 0);
  }
}

TEST(PredictRow, ForbiddenTokensHoldNoProbability) {
  const Prediction p = predict_row(kHalf, 0, {.never = {0}});
  EXPECT_EQ(p.token, 1);
  EXPECT_NEAR(p.confidence, 0.5, 1e-6);
}

TEST(PredictRow, LastTokensAreChosenButHoldNoConfidence) {
  const Prediction chosen = predict_row(kHalf, 0, {.last = {0}});
  EXPECT_EQ(chosen.token, 0);
  EXPECT_EQ(chosen.confidence, 0.0f);
  const Prediction other = predict_row(kHalf, 0, {.last = {2}});
  EXPECT_NEAR(other.confidence, 2.0 / 3, 1e-6) << "the others are renormalised without it";
}

TEST(PredictRow, BiasActsBeforeTheTemperature) {
  const Prediction p = predict_row(kHalf, 0, {.bias = {{0, -2.0f}}});
  EXPECT_EQ(p.token, 1);
}

TEST(PredictRow, OddNumbersNeverSpread) {
  const Prediction nan = predict_row(std::vector<float>{std::nanf(""), 1, 0}, 0, {});
  EXPECT_EQ(nan.token, 1);
  EXPECT_TRUE(std::isfinite(nan.confidence) && std::isfinite(nan.entropy));
  const Prediction infinite = predict_row(std::vector<float>{0, kInfinity, 1}, 0, {});
  EXPECT_EQ(infinite.token, 1);
  EXPECT_EQ(infinite.confidence, 1.0f);
  const Prediction nothing = predict_row(std::vector<float>{-kInfinity, -kInfinity}, 0, {});
  EXPECT_EQ(nothing.confidence, 0.0f);
  EXPECT_TRUE(std::isfinite(nothing.entropy));
}

}  // namespace
}  // namespace umf
