// Passes over few rows, held to whole passes.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "support/engine_fixture.h"
#include "support/expect_error.h"

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

// A model, and a sequence with masks.
struct Asked {
  Asked(const std::string& name, const std::string& backend)
      : loaded(name.starts_with("large-") ? large_checkpoint(name, {.dtype = "BF16"})
                                          : tiny_checkpoint(name, {.dtype = "BF16"}),
               backend_named(backend)),
        tokens(sample_tokens(model().info(), kLength)),
        masks(masks_of(model().info(), tokens)) {}

  LanguageModel& model() { return loaded.model; }
  // Every other mask.
  std::vector<int> some() const {
    std::vector<int> some;
    for (std::size_t i = 0; i < masks.size(); i += 2) some.push_back(masks[i]);
    return some;
  }

  Loaded loaded;
  std::vector<Token> tokens;
  std::vector<int> masks;
};

class AnchoredPasses : public testing::TestWithParam<const char* /*backend*/> {
 protected:
  void SetUp() override {
    const std::string backend = GetParam();
    const std::string objection = backend == "cuda-fp8"         ? cuda_fp8_objection()
                                  : backend.starts_with("cuda") ? cuda_objection()
                                                                : "";
    if (!objection.empty()) GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  // Full, shifted and block attention, with and without a q/k norm; small models and those that a
  // GPU takes for large ones.
  static void with_each(const std::function<void(Asked&)>& test) {
    for (const char* model :
         {"tiny-llada", "tiny-dream", "tiny-sdc", "tiny-sdar", "tiny-a2d", "tiny-fdv2",
          "large-llada-gqa", "large-dream", "large-sdc", "large-sdar", "large-fdv2"}) {
      SCOPED_TRACE(model);
      Asked asked(model, GetParam());
      test(asked);
    }
  }
};

TEST_P(AnchoredPasses, AWholePassThatIsRememberedIsAWholePass) {
  with_each([](Asked& one) {
    const auto anchor = one.model().make_anchor();
    const auto exact = ask(one.model(), one.tokens, one.masks);
    expect_same(ask(one.model(), one.tokens, one.masks, anchor.get()), exact);
    expect_same(ask(one.model(), one.tokens, one.masks, anchor.get()), exact);
  });
}

TEST_P(AnchoredPasses, WhereNothingHasChangedTheyGiveWhatTheWholePassGave) {
  with_each([](Asked& one) {
    const auto anchor = one.model().make_anchor();
    ask(one.model(), one.tokens, one.masks, anchor.get());
    const auto exact = ask(one.model(), one.tokens, one.some());
    expect_same(ask(one.model(), one.tokens, one.some(), anchor.get(), one.some()), exact);
    expect_same(ask(one.model(), one.tokens, one.some(), anchor.get(), one.masks), exact);
  });
}

TEST_P(AnchoredPasses, OverAllRowsTheyAreWholePasses) {
  with_each([](Asked& one) {
    const auto anchor = one.model().make_anchor();
    std::vector<int> all(kLength);
    std::iota(all.begin(), all.end(), 0);
    ask(one.model(), one.tokens, one.masks, anchor.get());
    std::vector<Token> changed = one.tokens;
    for (const int position : {0, 3, 20, 21, 40}) changed[position] = 33;
    const auto left = masks_of(one.model().info(), changed);
    expect_same(ask(one.model(), changed, left, anchor.get(), all),
                ask(one.model(), changed, left));
  });
}

// What is seen of a row that is not active is what it was when it was computed.
TEST_P(AnchoredPasses, SeeChangesOfActiveRowsAlone) {
  with_each([](Asked& one) {
    const auto anchor = one.model().make_anchor();
    ask(one.model(), one.tokens, one.masks, anchor.get());
    const std::vector<int> active = one.some();
    std::vector<Token> changed = one.tokens;
    changed[one.masks[1]] = 33;
    const auto before = ask(one.model(), one.tokens, active);
    expect_same(ask(one.model(), changed, active, anchor.get(), active), before);
    changed = one.tokens;
    changed[active[0]] = 33;
    const std::vector<int> rest(active.begin() + 1, active.end());
    const auto after = ask(one.model(), changed, rest, anchor.get(), active);
    EXPECT_NE(after.back().confidence, before.back().confidence);
    expect_same(ask(one.model(), changed, rest, anchor.get(), active), after);
    expect_same(ask(one.model(), one.tokens, active, anchor.get(), active), before);
    // A new anchor forgets.
    expect_same(ask(one.model(), changed, rest, anchor.get()), ask(one.model(), changed, rest));
  });
}

// Cells that others wrote behind the block are not seen, and need not be there.
TEST_P(AnchoredPasses, WhatStandsBehindAllThatAWholePassSawIsLeftOut) {
  for (const char* model : {"tiny-sdar", "large-sdar", "tiny-nemotron", "large-nemotron"}) {
    SCOPED_TRACE(model);
    Asked one(model, GetParam());
    const std::vector<int> cells = {9, 10};
    const auto anchor = one.model().make_anchor();
    ask(one.model(), one.tokens, cells, anchor.get());
    std::vector<Token> changed = one.tokens;
    changed[8] = 33;
    const auto expected = ask(one.model(), changed, cells, anchor.get(), {8, 9, 10});
    changed[60] = 44;
    expect_same(ask(one.model(), changed, cells, anchor.get(), {8, 9, 10, 60}), expected);
  }
}

// In one block behind its context, which here is the first sixteen tokens.
TEST_P(AnchoredPasses, OfABlockBehindACausalContext) {
  for (const char* model : {"tiny-nemotron", "large-nemotron"}) {
    SCOPED_TRACE(model);
    Asked one(model, GetParam());
    one.tokens.resize(24);
    const std::vector<int> cells = {16, 17, 19, 22}, few = {17, 22};
    std::vector<int> all(24);
    std::iota(all.begin(), all.end(), 0);
    const auto anchor = one.model().make_anchor();
    const auto exact = ask(one.model(), one.tokens, cells);
    expect_same(ask(one.model(), one.tokens, cells, anchor.get()), exact);
    expect_same(ask(one.model(), one.tokens, few, anchor.get(), few),
                ask(one.model(), one.tokens, few));
    expect_same(ask(one.model(), one.tokens, cells, anchor.get(), cells), exact);
    std::vector<Token> changed = one.tokens;
    for (const int position : {3, 15, 18}) changed[position] = 33;
    expect_same(ask(one.model(), changed, cells, anchor.get(), all),
                ask(one.model(), changed, cells));
    EXPECT_ERROR(ask(one.model(), one.tokens, {3, 17}, anchor.get()),
                 "looks at one block in an anchored pass");
  }
}

TEST_P(AnchoredPasses, AnchorsDoNotMeet) {
  with_each([](Asked& one) {
    const auto first = one.model().make_anchor(), second = one.model().make_anchor();
    std::vector<Token> other = sample_tokens(one.model().info(), kLength, 5);
    const auto other_masks = masks_of(one.model().info(), other);
    const auto here = ask(one.model(), one.tokens, one.masks, first.get()),
               there = ask(one.model(), other, other_masks, second.get());
    expect_same(ask(one.model(), one.tokens, one.masks, first.get(), one.masks), here);
    expect_same(ask(one.model(), other, other_masks, second.get(), other_masks), there);
  });
}

TEST_P(AnchoredPasses, CostTheirShareOfAWholePass) {
  with_each([](Asked& one) {
    const auto share = [&](const std::vector<int>& active) {
      const Query query{
          .tokens = one.tokens, .positions = one.some(), .sampling = {}, .active = active};
      return one.model().share_of_pass(query);
    };
    std::vector<int> all(kLength);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(share({}), 1);
    EXPECT_EQ(share(all), 1);
    EXPECT_LT(share(one.some()), share(one.masks));
    EXPECT_LT(share(one.masks), 1);
    EXPECT_GT(share(one.some()), 0.05);
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, AnchoredPasses,
                         testing::Values("cpu", "cpu-bf16", "reference", "cuda", "cuda-f32",
                                         "cuda-w8", "cuda-fp8"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace umf
