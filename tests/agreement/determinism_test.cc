// Same state, same action, same bytes: whatever the threads, the batch, the order and the
// instructions.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/engine_fixture.h"

namespace umf {
namespace {

std::vector<Sampling> samplings(const ModelInfo& info) {
  return {{.never = {info.tokens.mask}},
          {.temperature = 0.1f, .top_p = 0.95f, .tempered_scores = true, .noise = {1, 2}},
          {.temperature = 1.0f, .top_k = 20, .noise = {3, 4}},
          {.bias = {{5, 2.0f}}, .last = {7}}};
}

// Every prediction for several sequences and samplings.
std::vector<std::vector<Prediction>> predictions(Model& model, bool as_batch, bool reversed) {
  struct Case {
    std::vector<Token> tokens;
    std::vector<int> positions;
    Sampling sampling;
  };
  std::vector<Case> cases;
  for (const int length : {5, 33, 70}) {
    for (const Sampling& sampling : samplings(model.info())) {
      std::vector<Token> tokens = sample_tokens(model.info(), length, length);
      cases.push_back({tokens, masks_of(model.info(), tokens), sampling});
    }
  }
  if (reversed) std::reverse(cases.begin(), cases.end());
  std::vector<Query> queries;
  for (const Case& c : cases) queries.push_back({c.tokens, c.positions, c.sampling});
  std::vector<std::vector<Prediction>> answers;
  if (as_batch) {
    answers = model.predict(queries);
  } else {
    for (const Query& query : queries) answers.push_back(model.predict({&query, 1}).front());
  }
  if (reversed) std::reverse(answers.begin(), answers.end());
  return answers;
}

class Determinism : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

// docs/algorithm.md#batch-independence
TEST_P(Determinism, PredictionsAreTheSameBytesOnEveryPath) {
  const auto& [name, type] = GetParam();
  const auto directory = tiny_checkpoint(name, {.dtype = type});
  Loaded plain(directory, make_cpu_backend(1, "scalar"));
  const auto expected = predictions(plain.model, false, false);
  EXPECT_EQ(predictions(plain.model, true, false), expected) << "in a batch";
  EXPECT_EQ(predictions(plain.model, false, true), expected) << "in another order";
  for (const std::string& target : cpu_targets()) {
    for (const int threads : {1, 2, 3, 5}) {
      if (target == "scalar" && threads != 3) continue;  // slow, and its pool is the same
      Loaded loaded(directory, make_cpu_backend(threads, target));
      EXPECT_EQ(predictions(loaded.model, true, true), expected)
          << target << ", " << threads << " threads";
    }
  }
}

TEST_P(Determinism, APositionDoesNotDependOnWhichOthersAreWanted) {
  const auto& [name, type] = GetParam();
  Loaded loaded(tiny_checkpoint(name, {.dtype = type}), make_cpu_backend(2, ""));
  const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 61);
  const std::vector<int> positions = masks_of(loaded.model.info(), tokens);
  const Query together{tokens, positions, {}};
  const std::vector<Prediction> expected = loaded.model.predict({&together, 1}).front();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Query alone{tokens, {&positions[i], 1}, {}};
    EXPECT_EQ(loaded.model.predict({&alone, 1}).front().front(), expected[i])
        << "position " << positions[i];
  }
}

INSTANTIATE_TEST_SUITE_P(AllModels, Determinism,
                         testing::Combine(testing::ValuesIn(std::begin(kDiffusionModels),
                                                            std::end(kDiffusionModels)),
                                          testing::Values("F32", "BF16", "F16")),
                         [](const auto& info) {
                           std::string name =
                               std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace umf
