#include "decode/walk_setup.h"

#include <gtest/gtest.h>

#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));

TEST(WalkSetup, TheRootIsEnteredAsMasksOfEveryLexicon) {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada = hashing_model(llada_lexicon(), 2);
  for (const auto policy : {WindowPolicy::kPreserveMasks, WindowPolicy::kFixedWindow}) {
    const States states(
        {{{&dream, dream_lexicon().tokenizer, {1}}, {&llada, llada_lexicon().tokenizer, {1}}},
         {{.model = 0}, {.model = 1}},
         {.window = 16, .ratios = kRatios, .policy = policy}});
    const auto masks = [](const Lexicon& lexicon) {
      return std::vector<Token>(16, lexicon.tokens.mask);
    };
    EXPECT_EQ(states.enter({0, 0}), (WindowState{0, masks(dream_lexicon())}));
    EXPECT_EQ(states.enter({0, 1}), (WindowState{1, masks(llada_lexicon())}));
  }
}

TEST(WalkSetup, WithoutBlocksNoMaskIsSetApart) {
  ScriptedModel plain = hashing_model(sdc_lexicon(), 1);
  ScriptedModel blocks = hashing_model(sdc_lexicon(), 1, /*block=*/4);
  const WalkSetup setup(
      {{&plain, sdc_lexicon().tokenizer, {40}}, {&blocks, sdc_lexicon().tokenizer, {40}}},
      {{.model = 0}, {.model = 1}}, {.window = 16, .ratios = kRatios});
  const std::vector<Token> window(16, sdc_lexicon().tokens.mask);
  EXPECT_EQ(setup.active_masks(window, 0, 0), std::nullopt);
  EXPECT_EQ(setup.active_masks(window, 1, 1), 3) << "the prompt's token is in the first block";
}

TEST(WalkSetup, TheFirstCellOfAShiftedBlockIsAskedForAlone) {
  ModelInfo info = hashing_model(sdc_lexicon(), 1, /*block=*/4).info();
  info.shifted = true;
  ScriptedModel model(info, [](auto, int) { return std::vector<float>(300, 0.0f); });
  const auto masks = [&](int prompt, std::vector<Token> window) {
    const WalkSetup setup({{&model, sdc_lexicon().tokenizer, std::vector<Token>(prompt, 40)}}, {{}},
                          {.window = 8, .ratios = kRatios});
    window.resize(8, sdc_lexicon().tokens.mask);
    return setup.active_masks(window, 0, 0);
  };
  EXPECT_EQ(masks(2, {}), 2);
  EXPECT_EQ(masks(2, {41}), 1);
  EXPECT_EQ(masks(2, {41, 41}), 1) << "position 4";
  EXPECT_EQ(masks(2, {41, 41, 41}), 3);
  EXPECT_EQ(masks(4, {}), 1);
  EXPECT_EQ(masks(0, {}), 4) << "nothing stands before position 0";
}

TEST(WalkSetup, AnActionAsksForThePartOfTheBlockThatHoldsTheFirstMask) {
  const auto masks = [&](int block, int part, int prompt, std::vector<Token> window) {
    ScriptedModel model = hashing_model(sdc_lexicon(), 1, block);
    const WalkSetup setup({{&model, sdc_lexicon().tokenizer, std::vector<Token>(prompt, 40)}},
                          {{.block = part}}, {.window = 16, .ratios = kRatios});
    window.resize(16, sdc_lexicon().tokens.mask);
    return setup.active_masks(window, 0, 0);
  };
  EXPECT_EQ(masks(8, 4, 0, {}), 4);
  EXPECT_EQ(masks(8, 4, 3, {}), 1) << "parts of the model's blocks count from its prompt's start";
  EXPECT_EQ(masks(8, 4, 3, {41}), 4);
  EXPECT_EQ(masks(8, 4, 3, {41, 41, 41}), 2);
  EXPECT_EQ(masks(0, 4, 3, {}), 4) << "parts of the window from its own";
  EXPECT_EQ(masks(0, 4, 3, {41, 41, 41}), 1);
  EXPECT_EQ(masks(0, 4, 3, {41, 41, 41, 41, 41}), 3);
  EXPECT_EQ(masks(0, 6, 3, {41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41, 41}), 4)
      << "the last one may be shorter";
}

TEST(WalkSetup, WhatDoesNotFitTogetherIsRefused) {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  const auto make = [&](std::vector<Action> actions, const WalkOptions& options,
                        std::vector<Token> prompt = {}) {
    WalkSetup({{&dream, dream_lexicon().tokenizer, std::move(prompt)}}, std::move(actions),
              options);
  };
  EXPECT_ERROR(make({}, {}), "at least one action");
  EXPECT_ERROR(make({{.model = 1}}, {}), "names model 1, but there are 1");
  EXPECT_ERROR(make({{.allow_mask = true}}, {}), "allow-mask");
  EXPECT_ERROR(make({{.temperature = -1}}, {}), "temperature");
  EXPECT_ERROR(make({{.block = 4, .remask = Remask::kCap}}, {}), "block=0");
  EXPECT_ERROR(make({{.grow = true}}, {}), "grow needs blocks");
  ScriptedModel blocks = hashing_model(dream_lexicon(), 1, /*block=*/4);
  EXPECT_ERROR(WalkSetup({{&blocks, dream_lexicon().tokenizer, {}}}, {{.block = 8}}, {}),
               "block=8 is no part of that");
  EXPECT_ERROR(make({{}}, {.window = 0}), "at least 1 cell");
  EXPECT_ERROR(make({{}}, {.window = 10, .block_length = 4}), "not a multiple of the block length");
  EXPECT_ERROR(make({{}}, {}, {dream_lexicon().tokens.mask}), "mask token");
}

}  // namespace
}  // namespace umf
