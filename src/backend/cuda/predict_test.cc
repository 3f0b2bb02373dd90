// Predictions on the device against the plain definition.
#include <fmt/core.h>

#include <limits>

#include "backend/cuda/device_testing.h"
#include "backend/cuda/kernels.h"
#include "backend/reference/predict_row.h"
#include "base/error.h"

namespace umf {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DeviceSampling, HoldsEveryEditOrRefuses) {
  const DeviceSampling device = device_sampling(
      {.temperature = 0.5f, .never = {3}, .bias = {{5, 2.0f}}, .last = {7, 8}, .noise = {1, 2}});
  EXPECT_EQ(device.edits, 4);
  EXPECT_EQ(device.token[0], 5);
  EXPECT_EQ(device.bias[0], 2.0f);
  EXPECT_EQ(device.edit[1], DeviceSampling::kNever);
  EXPECT_EQ(device.noise.high, 2u);
  EXPECT_THROW(device_sampling({.never = std::vector<Token>(17, 1)}), Error);
}

std::vector<Sampling> samplings() {
  std::vector<Sampling> all;
  for (const float temperature : {0.0f, 0.1f, 0.7f, 1.0f}) {
    for (const float top_p : {1.0f, 0.95f, 0.4f, 0.0f}) {
      for (const int top_k : {0, 1, 20, 1000000}) {
        for (const bool tempered : {false, true}) {
          all.push_back({.temperature = temperature,
                         .top_p = top_p,
                         .top_k = top_k,
                         .tempered_scores = tempered,
                         .never = {3},
                         .bias = {{5, 1.5f}},
                         .last = {7},
                         .noise = {11, 13},
                         .plain_probability = top_k != 1});
        }
      }
    }
  }
  return all;
}

class Predictions : public OnDevice {
 protected:
  void expect_same(const std::vector<float>& logits, int rows, const Sampling& sampling) {
    const int vocabulary = static_cast<int>(logits.size()) / rows;
    Bench gpu(make());
    const Matrix matrix = gpu.logits(logits, rows, vocabulary);
    std::vector<Prediction> out(rows);
    gpu.backend->predict(matrix, iota(rows, 100), sampling, out);
    for (int i = 0; i < rows; ++i) compare(logits, i, vocabulary, sampling, out[i]);
  }

  static void compare(const std::vector<float>& logits, int row, int vocabulary,
                      const Sampling& sampling, const Prediction& actual) {
    const std::span<const float> numbers(logits.data() + static_cast<std::size_t>(row) * vocabulary,
                                         vocabulary);
    const Prediction wanted = predict_row(numbers, 100 + row, sampling);
    SCOPED_TRACE(fmt::format("row {}, temperature {}, top-p {}, top-k {}, tempered {}", row,
                             sampling.temperature, sampling.top_p, sampling.top_k,
                             sampling.tempered_scores));
    EXPECT_EQ(actual.token, wanted.token);
    EXPECT_NEAR(actual.confidence, wanted.confidence, 1e-4);
    EXPECT_NEAR(actual.margin, wanted.margin, 1e-4);
    EXPECT_NEAR(actual.entropy, wanted.entropy, 1e-3);
    EXPECT_NEAR(actual.probability, wanted.probability, 1e-4);
  }
};

TEST_P(Predictions, AgreeForEverySampling) {
  constexpr int kRows = 16, kVocabulary = 1003;
  const auto logits = bf16_numbers(kRows * kVocabulary, 21, 3.0f);
  Bench gpu(make());
  const Matrix matrix = gpu.logits(logits, kRows, kVocabulary);
  for (const Sampling& sampling : samplings()) {
    std::vector<Prediction> out(kRows);
    gpu.backend->predict(matrix, iota(kRows, 100), sampling, out);
    for (int i = 0; i < kRows; ++i) compare(logits, i, kVocabulary, sampling, out[i]);
  }
}

TEST_P(Predictions, AgreeForAWholeVocabulary) {
  constexpr int kRows = 8, kVocabulary = 126464;
  const auto logits = bf16_numbers(static_cast<std::size_t>(kRows) * kVocabulary, 22, 2.5f);
  expect_same(logits, kRows, {});
  expect_same(logits, kRows, {.temperature = 1.0f, .noise = {5, 6}});
  expect_same(logits, kRows,
              {.temperature = 0.2f, .top_p = 0.95f, .tempered_scores = true, .noise = {7, 8}});
}

TEST_P(Predictions, ThroughAHeadAreTheSameInPartsOfEverySize) {
  constexpr int kInputs = 64, kVocabulary = 1003, kRows = 33, kWanted = 32;
  Bench gpu(make());
  const auto head = gpu.linear(bf16_numbers(kVocabulary * kInputs, 31, 0.5f), kVocabulary, kInputs);
  const Matrix hidden = gpu.matrix(bf16_numbers(kRows * kInputs, 32, 1.0f), kRows, kInputs);
  const std::vector<Sampling> ways = {{}, {.temperature = 1, .top_p = 0.9f, .noise = {1, 2}}};
  std::vector<Prediction> expected;
  for (const int part : {33, 32, 16, 5, 1}) {
    std::vector<Prediction> out(ways.size() * kWanted);
    gpu.backend->predict_through(*head, hidden, gpu.backend->allocate_logits(part, kVocabulary),
                                 iota(kWanted, 100), ways, out);
    if (expected.empty()) expected = out;
    EXPECT_EQ(out, expected) << part << " rows at a time";
  }
}

TEST_P(Predictions, TiesGoToTheLowestIds) {
  constexpr int kRows = 8;
  for (const int vocabulary : {640, 20000}) {  // the ties of the second fit into no list
    std::vector<float> logits(static_cast<std::size_t>(kRows) * vocabulary);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i * 7 % 5);
    for (const float top_p : {1.0f, 0.9f, 0.5f, 0.1f}) {
      expect_same(logits, kRows, {.top_p = top_p, .tempered_scores = true});
      expect_same(logits, kRows,
                  {.temperature = 1.0f, .top_p = top_p, .tempered_scores = true, .noise = {1, 1}});
    }
  }
}

TEST_P(Predictions, OddNumbersNeverSpread) {
  constexpr int kRows = 8, kVocabulary = 64;
  const auto logits = bf16_numbers(kRows * kVocabulary, 23);
  // Infinities cannot pass through the product that makes the logits; a bias brings them.
  for (const float odd : {kInfinity, -kInfinity}) {
    for (const float temperature : {0.0f, 0.5f}) {
      expect_same(logits, kRows, {.temperature = temperature, .bias = {{9, odd}}, .noise = {3, 3}});
      expect_same(logits, kRows,
                  {.temperature = temperature,
                   .top_p = 0.8f,
                   .tempered_scores = true,
                   .bias = {{9, odd}},
                   .noise = {3, 3}});
    }
  }
}

UMF_ON_DEVICE(Predictions);

}  // namespace
}  // namespace umf
