// Passes over few rows, held to whole passes.
#include <gtest/gtest.h>

#include <numeric>

#include "support/engine_fixture.h"

namespace umf {
namespace {

constexpr int kLength = 70;

std::vector<Prediction> ask(Model& model, const std::vector<Token>& tokens,
                            const std::vector<int>& positions, Anchor* anchor = nullptr,
                            const std::vector<int>& active = {}) {
  const Query query{.tokens = tokens,
                    .positions = positions,
                    .sampling = {.plain_probability = true},
                    .anchor = anchor,
                    .active = active};
  return model.predict({&query, 1}).front();
}

void expect_same(const std::vector<Prediction>& actual, const std::vector<Prediction>& expected) {
  EXPECT_TRUE(actual == expected);
}

class AnchoredPasses
    : public testing::TestWithParam<std::tuple<const char* /*model*/, const char* /*backend*/>> {
 protected:
  void SetUp() override {
    const std::string name = std::get<0>(GetParam()), backend = std::get<1>(GetParam());
    const std::string objection = backend == "cuda-fp8"         ? cuda_fp8_objection()
                                  : backend.starts_with("cuda") ? cuda_objection()
                                                                : "";
    if (!objection.empty()) GTEST_SKIP() << "no GPU to test on: " << objection;
    const TinyOptions options{.dtype = "BF16"};
    loaded_ = std::make_unique<Loaded>(name.starts_with("large-") ? large_checkpoint(name, options)
                                                                  : tiny_checkpoint(name, options),
                                       backend_named(backend));
    tokens_ = sample_tokens(model().info(), kLength);
    masks_ = masks_of(model().info(), tokens_);
  }

  LanguageModel& model() { return loaded_->model; }
  // Every other mask.
  std::vector<int> some() const {
    std::vector<int> some;
    for (std::size_t i = 0; i < masks_.size(); i += 2) some.push_back(masks_[i]);
    return some;
  }

  std::unique_ptr<Loaded> loaded_;
  std::vector<Token> tokens_;
  std::vector<int> masks_;
};

TEST_P(AnchoredPasses, AWholePassThatIsRememberedIsAWholePass) {
  const auto anchor = model().make_anchor();
  const auto exact = ask(model(), tokens_, masks_);
  expect_same(ask(model(), tokens_, masks_, anchor.get()), exact);
  expect_same(ask(model(), tokens_, masks_, anchor.get()), exact);
}

TEST_P(AnchoredPasses, WhereNothingHasChangedTheyGiveWhatTheWholePassGave) {
  const auto anchor = model().make_anchor();
  ask(model(), tokens_, masks_, anchor.get());
  const auto exact = ask(model(), tokens_, some());
  expect_same(ask(model(), tokens_, some(), anchor.get(), some()), exact);
  expect_same(ask(model(), tokens_, some(), anchor.get(), masks_), exact);
}

TEST_P(AnchoredPasses, OverAllRowsTheyAreWholePasses) {
  const auto anchor = model().make_anchor();
  std::vector<int> all(kLength);
  std::iota(all.begin(), all.end(), 0);
  ask(model(), tokens_, masks_, anchor.get());
  std::vector<Token> changed = tokens_;
  for (const int position : {0, 3, 20, 21, 40}) changed[position] = 33;
  const auto left = masks_of(model().info(), changed);
  expect_same(ask(model(), changed, left, anchor.get(), all), ask(model(), changed, left));
}

// What is seen of a row that is not active is what it was when it was computed.
TEST_P(AnchoredPasses, SeeChangesOfActiveRowsAlone) {
  const auto anchor = model().make_anchor();
  ask(model(), tokens_, masks_, anchor.get());
  const std::vector<int> active = some();
  std::vector<Token> changed = tokens_;
  changed[masks_[1]] = 33;
  const auto before = ask(model(), tokens_, active);
  expect_same(ask(model(), changed, active, anchor.get(), active), before);
  changed = tokens_;
  changed[active[0]] = 33;
  const std::vector<int> rest(active.begin() + 1, active.end());
  const auto after = ask(model(), changed, rest, anchor.get(), active);
  EXPECT_NE(after.back().confidence, before.back().confidence);
  expect_same(ask(model(), changed, rest, anchor.get(), active), after);
  expect_same(ask(model(), tokens_, active, anchor.get(), active), before);
  // A new anchor forgets.
  expect_same(ask(model(), changed, rest, anchor.get()), ask(model(), changed, rest));
}

TEST_P(AnchoredPasses, AnchorsDoNotMeet) {
  const auto first = model().make_anchor(), second = model().make_anchor();
  std::vector<Token> other = sample_tokens(model().info(), kLength, 5);
  const auto other_masks = masks_of(model().info(), other);
  const auto here = ask(model(), tokens_, masks_, first.get()),
             there = ask(model(), other, other_masks, second.get());
  expect_same(ask(model(), tokens_, masks_, first.get(), masks_), here);
  expect_same(ask(model(), other, other_masks, second.get(), other_masks), there);
}

TEST_P(AnchoredPasses, CostTheirShareOfAWholePass) {
  const auto share = [&](const std::vector<int>& active) {
    const Query query{.tokens = tokens_, .positions = some(), .sampling = {}, .active = active};
    return model().share_of_pass(query);
  };
  std::vector<int> all(kLength);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(share({}), 1);
  EXPECT_EQ(share(all), 1);
  EXPECT_LT(share(some()), share(masks_));
  EXPECT_LT(share(masks_), 1);
  EXPECT_GT(share(some()), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Families, AnchoredPasses,
                         testing::Combine(testing::Values("tiny-llada", "tiny-dream", "tiny-sdc",
                                                          "large-llada-gqa", "large-dream",
                                                          "large-sdc"),
                                          testing::Values("cpu", "cpu-bf16", "reference", "cuda",
                                                          "cuda-f32", "cuda-fp8")),
                         [](const auto& info) {
                           std::string name =
                               std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace umf
