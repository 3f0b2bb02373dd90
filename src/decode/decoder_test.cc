#include "decode/decoder.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/expect_error.h"
#include "support/scripted_model.h"

namespace umf {
namespace {

constexpr Token kMask = 9, kEnd = 8, kTurn = 7;
constexpr int kVocabulary = 10;

ModelInfo info(int block = 0, bool tempered = false) {
  return {.name = "scripted",
          .family = "test",
          .tokens = {.mask = kMask,
                     .end_of_text = kEnd,
                     .end_of_turn = kTurn,
                     .padding = kEnd,
                     .ends = {kTurn, kEnd}},
          .vocabulary = kVocabulary,
          .max_length = 1000,
          .block = block,
          .tempered_scores = tempered};
}

// Logits that prefer `token` by `margin`.
std::vector<float> prefer(Token token, float margin) {
  std::vector<float> logits(kVocabulary, 0.0f);
  logits[token] = margin;
  return logits;
}

// Prefers token position % 5, surest in the middle of the window, so that the order is not trivial.
std::vector<float> middle_first(std::span<const Token> tokens, int position) {
  const float middle = static_cast<float>(tokens.size()) / 2;
  return prefer(position % 5, 10.0f - std::abs(position - middle));
}

bool go_on(const Decoding&, std::span<const Commit>) { return true; }

std::vector<int> order_of(Model& model, const Action& action, const DecodeOptions& options) {
  std::vector<int> order;
  decode(model, std::vector<Token>{1, 2}, action, options,
         [&](const Decoding&, std::span<const Commit> commits) {
           for (const Commit& commit : commits) order.push_back(commit.cell);
           return true;
         });
  return order;
}

TEST(Decoder, CommitsOneTokenPerPassBestFirst) {
  ScriptedModel model(info(), middle_first);
  EXPECT_EQ(order_of(model, {}, {.length = 6}), (std::vector<int>{2, 1, 3, 0, 4, 5}));
  EXPECT_EQ(model.forward_passes(), 6);
}

TEST(Decoder, TiesGoToTheLeftmostMask) {
  ScriptedModel model(info(), [](auto, int) { return prefer(3, 2); });
  for (const Strategy strategy :
       {Strategy::kEntropy, Strategy::kLowConfidence, Strategy::kMargin}) {
    EXPECT_EQ(order_of(model, {.strategy = strategy}, {.length = 4}),
              (std::vector<int>{0, 1, 2, 3}));
  }
}

TEST(Decoder, BlocksAreFinishedFromTheLeft) {
  ScriptedModel model(info(), middle_first);
  const std::vector<int> order = order_of(model, {}, {.length = 8, .block_length = 4});
  EXPECT_EQ(std::set<int>(order.begin(), order.begin() + 4), (std::set<int>{0, 1, 2, 3}));
}

TEST(Decoder, SeveralTokensPerPassTakeFewerPasses) {
  ScriptedModel model(info(), middle_first);
  const Decoding result = decode(model, {}, {}, {.length = 10, .per_step = 4}, go_on);
  EXPECT_EQ(result.passes, 3);
  EXPECT_EQ(std::count(result.window.begin(), result.window.end(), kMask), 0);
}

TEST(Decoder, ReferenceSchedulesSpendTheirSteps) {
  ScriptedModel model(info(), middle_first);
  EXPECT_EQ(
      decode(model, {}, {}, {.length = 8, .schedule = Schedule::kLlada, .steps = 4}, go_on).passes,
      4);
  const Decoding dream = decode(model, {}, {}, {.length = 8, .schedule = Schedule::kDream}, go_on);
  EXPECT_EQ(dream.passes, 8);  // the empty first pass is spent, though nothing is computed for it
  EXPECT_EQ(std::count(dream.window.begin(), dream.window.end(), kMask), 0);
}

TEST(Decoder, TheModelIsAskedForTheMasksOfTheBlockAlone) {
  ScriptedModel model(info(), middle_first);
  decode(model, {}, {}, {.length = 8, .block_length = 4}, go_on);
  EXPECT_EQ(model.predictions(), 2 * (4 + 3 + 2 + 1));
}

TEST(Decoder, ChanceNeedsNoPredictionsForCellsThatStayMasked) {
  ScriptedModel model(info(), middle_first);
  decode(model, {}, {.strategy = Strategy::kRandom}, {.length = 8}, go_on);
  EXPECT_EQ(model.predictions(), 8);
}

TEST(Decoder, RandomAndOriginDependOnTheSeedAndOnNothingElse) {
  ScriptedModel model(info(), middle_first);
  for (const Strategy strategy : {Strategy::kRandom, Strategy::kOrigin}) {
    const auto first = order_of(model, {.strategy = strategy, .seed = 1}, {.length = 32});
    EXPECT_EQ(first, order_of(model, {.strategy = strategy, .seed = 1}, {.length = 32}));
    EXPECT_NE(first, order_of(model, {.strategy = strategy, .seed = 2}, {.length = 32}));
    EXPECT_EQ(first.size(), 32);
  }
}

TEST(Decoder, OriginSpendsAtMostOnePassPerCell) {
  ScriptedModel model(info(), middle_first);
  for (const Schedule schedule : {Schedule::kSteady, Schedule::kDream}) {
    const Decoding result = decode(model, {}, {.strategy = Strategy::kOrigin},
                                   {.length = 40, .schedule = schedule}, go_on);
    EXPECT_LE(result.passes, 40);
    EXPECT_EQ(std::count(result.window.begin(), result.window.end(), kMask), 0);
  }
}

TEST(Decoder, OrderTemperatureDrawsAmongTheCells) {
  ScriptedModel model(info(), middle_first);
  const auto best = order_of(model, {}, {.length = 16});
  const auto drawn = order_of(model, {.order_temperature = 5}, {.length = 16});
  EXPECT_NE(best, drawn);
  EXPECT_EQ(drawn, order_of(model, {.order_temperature = 5}, {.length = 16}));
  EXPECT_EQ(std::set<int>(drawn.begin(), drawn.end()).size(), 16) << "a cell was drawn twice";
}

TEST(Decoder, ThresholdCommitsEverythingThatIsSure) {
  ScriptedModel model(info(),
                      [](auto, int position) { return prefer(1, position < 6 ? 20.0f : 0.1f); });
  const Decoding result = decode(model, {}, {}, {.length = 8, .threshold = 0.9f}, go_on);
  EXPECT_EQ(result.passes, 3);  // six at once, then one by one
}

TEST(Decoder, TheMaskTokenIsNotWrittenUnlessAllowed) {
  ScriptedModel model(info(), [](auto, int) { return prefer(kMask, 20); });
  const Decoding result = decode(model, {}, {}, {.length = 4}, go_on);
  EXPECT_EQ(std::count(result.window.begin(), result.window.end(), kMask), 0);
  const Decoding as_reference = decode(model, {}, {.allow_mask = true}, {.length = 4}, go_on);
  EXPECT_EQ(as_reference.passes, 4);
  EXPECT_EQ(std::count(as_reference.window.begin(), as_reference.window.end(), kMask), 4);
}

TEST(Decoder, CellsThatEndTheTextComeLastWhenAsked) {
  // Cells 0 and 1 are very sure of the end of text and of the turn.
  const auto script = [](auto, int position) {
    return position < 2 ? prefer(position == 0 ? kEnd : kTurn, 20) : prefer(1, 1);
  };
  ScriptedModel model(info(), script);
  const std::vector<Token> none;
  std::vector<int> order;
  const auto note = [&](const Decoding&, std::span<const Commit> commits) {
    for (const Commit& commit : commits) order.push_back(commit.cell);
    return true;
  };
  decode(model, none, {}, {.length = 4}, note);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  order.clear();
  decode(model, none, {.eos_last = true}, {.length = 4}, note);
  EXPECT_EQ(order, (std::vector<int>{2, 3, 0, 1}));
}

TEST(Decoder, AForbiddenEndIsNeverWritten) {
  ScriptedModel model(info(), [](auto, int) { return prefer(kEnd, 20); });
  const Decoding result = decode(model, {}, {.forbid_eos = true}, {.length = 4}, go_on);
  EXPECT_EQ(std::count(result.window.begin(), result.window.end(), kEnd), 0);
}

TEST(Decoder, PaddingIsHeldBackWhileMuchIsMasked) {
  ScriptedModel model(info(), [](auto, int) {
    std::vector<float> logits = prefer(kEnd, 4);
    logits[1] = 2;
    return logits;
  });
  const Decoding result = decode(model, {}, {.eos_penalty = 3}, {.length = 8}, go_on);
  EXPECT_GT(std::count(result.window.begin(), result.window.end(), 1), 0);
  EXPECT_GT(std::count(result.window.begin(), result.window.end(), kEnd), 0) << "the penalty fades";
  const Decoding factor = decode(model, {}, {.pad_factor = 1e-12f}, {.length = 8}, go_on);
  EXPECT_EQ(std::count(factor.window.begin(), factor.window.end(), kEnd), 0);
}

TEST(Decoder, AttentionBlocksCountFromTheStartOfThePrompt) {
  ScriptedModel model(info(/*block=*/4), [](auto, int) { return prefer(1, 1); });
  std::vector<int> asked;
  ScriptedModel counting(info(4), [&](auto, int position) {
    asked.push_back(position);
    return prefer(1, 1);
  });
  const std::vector<Token> prompt(5, 2);
  decode(counting, prompt, {}, {.length = 8}, go_on);
  // The first block holds positions 5..7: three masks, then two, then one; then 8..11; then 12.
  EXPECT_EQ(asked.size(), (3 + 2 + 1) + (4 + 3 + 2 + 1) + 1);
  EXPECT_EQ(asked.back(), 12);
}

// Commits of a model with blocks of 4 whose last cells are surest, prompt of `before` tokens.
std::vector<std::vector<int>> shifted_passes(int before, DecodeOptions options,
                                             const Action& action = {}) {
  ModelInfo shifted = info(4);
  shifted.shifted = true;
  ScriptedModel model(
      shifted, [](auto, int position) { return prefer(1, 1.0f + static_cast<float>(position)); });
  std::vector<std::vector<int>> passes;
  decode(model, std::vector<Token>(before, 2), action, options,
         [&](const Decoding&, std::span<const Commit> commits) {
           auto& pass = passes.emplace_back();
           for (const Commit& commit : commits) pass.push_back(before + commit.cell);
           return true;
         });
  return passes;
}

TEST(Decoder, TheFirstCellOfAShiftedBlockIsWrittenBeforeTheOthers) {
  using Passes = std::vector<std::vector<int>>;
  EXPECT_EQ(shifted_passes(2, {.length = 6}), (Passes{{3}, {2}, {4}, {7}, {6}, {5}}));
  EXPECT_EQ(shifted_passes(4, {.length = 4}), (Passes{{4}, {7}, {6}, {5}}));
  EXPECT_EQ(shifted_passes(0, {.length = 4}), (Passes{{3}, {2}, {1}, {0}}))
      << "there is no row before the first";
  EXPECT_EQ(shifted_passes(3, {.length = 5}, {.commit = {CommitRule::Kind::kTau, 0.01f}}),
            (Passes{{3}, {4}, {5, 6, 7}}));
}

// Commits of a model with a causal context and blocks of 4.
std::vector<std::vector<int>> passes_behind(int prompt, DecodeOptions options,
                                            const Action& action = {}) {
  ModelInfo causal = info(4);
  causal.causal_context = true;
  ScriptedModel model(
      causal, [](auto, int position) { return prefer(1, 1.0f + static_cast<float>(position)); });
  std::vector<std::vector<int>> passes;
  decode(model, std::vector<Token>(prompt, 2), action, options,
         [&](const Decoding&, std::span<const Commit> commits) {
           auto& pass = passes.emplace_back();
           for (const Commit& commit : commits) pass.push_back(commit.cell);
           return true;
         });
  return passes;
}

TEST(Decoder, BlocksBehindACausalContextBeginWithTheWindowAndWithTheirFirstCell) {
  using Passes = std::vector<std::vector<int>>;
  for (const int prompt : {1, 3, 4, 7})
    EXPECT_EQ(passes_behind(prompt, {.length = 6}), (Passes{{0}, {3}, {2}, {1}, {4}, {5}}))
        << prompt;
  EXPECT_EQ(passes_behind(0, {.length = 4}), (Passes{{3}, {2}, {1}, {0}}))
      << "there is no row before the first";
  EXPECT_EQ(passes_behind(3, {.length = 8}, {.commit = {CommitRule::Kind::kTau, 0.01f}}),
            (Passes{{0}, {1, 2, 3}, {4}, {5, 6, 7}}));
  EXPECT_EQ(passes_behind(3, {.length = 4}, {.block = 2}), (Passes{{0}, {1}, {3}, {2}}));
}

TEST(Decoder, WhatACausalContextCannotDoIsRefused) {
  EXPECT_ERROR(passes_behind(1, {.length = 8, .block_length = 8}),
               "works on one block of 4 at a time; a block length of 8");
  EXPECT_ERROR(passes_behind(1, {.length = 8}, {.allow_mask = true}), "with allow-mask");
  EXPECT_ERROR(passes_behind(1, {.length = 8}, {.edit = 0.5f}), "does not decode in blocks that");
  EXPECT_ERROR(passes_behind(1, {.length = 8}, {.remask = Remask::kP2}), "ranks all cells");
}

TEST(Decoder, BlocksOfAttentionMayBeFilledInParts) {
  using Passes = std::vector<std::vector<int>>;
  EXPECT_EQ(shifted_passes(3, {.length = 6, .block_length = 2}),
            (Passes{{3}, {4}, {5}, {7}, {6}, {8}}));
  EXPECT_EQ(shifted_passes(3, {.length = 6}, {.block = 2}), (Passes{{3}, {4}, {5}, {7}, {6}, {8}}));
  ScriptedModel model(info(4), middle_first), full(info(), middle_first);
  EXPECT_EQ(order_of(model, {.block = 2}, {.length = 5}), (std::vector<int>{1, 0, 2, 3, 4}))
      << "a length that they do not divide";
  EXPECT_EQ(order_of(full, {.block = 3}, {.length = 5}), (std::vector<int>{1, 2, 0, 3, 4}));
  EXPECT_EQ(order_of(full, {.block = 9}, {.length = 5}), order_of(full, {}, {.length = 5}));
  EXPECT_EQ(order_of(full, {.block = 3}, {.length = 4, .block_length = 2}),
            order_of(full, {}, {.length = 4, .block_length = 2}))
      << "an option goes before the action";
}

TEST(Decoder, AGrowingWindowShowsTheModelNoLaterMasks) {
  std::vector<int> lengths;  // of the sequences that the model sees, prompt included
  ScriptedModel model(info(), [&](std::span<const Token> tokens, int position) {
    if (lengths.empty() || lengths.back() != std::ssize(tokens))
      lengths.push_back(static_cast<int>(tokens.size()));
    return prefer(position == 5 ? kEnd : 1, 5);
  });
  const std::vector<Token> prompt = {2, 2};
  const auto run = [&](const Action& action, const DecodeOptions& options) {
    lengths.clear();
    return decode(model, prompt, action, options, go_on).window;
  };
  const Action grow{.block = 3, .grow = true};
  EXPECT_EQ(run(grow, {.length = 8, .stop_at_end = false}).size(), 8);
  EXPECT_EQ(lengths, (std::vector<int>{5, 8, 10}));
  EXPECT_EQ(run(grow, {.length = 8}), (std::vector<Token>{1, 1, 1, kEnd, kEnd, kEnd}))
      << "it stops behind the block in which the text ended";
  EXPECT_EQ(lengths, (std::vector<int>{5, 8}));
  run(grow, {.length = 8, .block_length = 8});
  EXPECT_EQ(lengths, (std::vector<int>{10})) << "one block is the whole window";
  EXPECT_ERROR(run({.grow = true}, {.length = 8}), "grow needs blocks");
}

TEST(Decoder, TheRecommendedActionHasTheFamilysBlocksAndLeavesOutWhatOptionsDecide) {
  ModelInfo model = info(8);
  model.strategy = "low-confidence";
  model.commit = "tau:0.9";
  const ModelInfo* const models[] = {&model};
  const auto text = [&](const DecodeOptions& options) {
    const Action action = recommended_action(models, options);
    return fmt::format("{} {}{}", name_of(action.commit), action.block,
                       action.grow ? " grown" : "");
  };
  EXPECT_EQ(text({}), "tau:0.9 0");
  model.block_length = 4;
  EXPECT_EQ(text({}), "tau:0.9 4");
  EXPECT_EQ(text({.per_step = 2}), "one 4");
  model.block_length = 3;
  EXPECT_EQ(text({}), "tau:0.9 0") << "parts that do not make up a block";
  model.block = 0;
  model.grow = true;
  EXPECT_EQ(text({.threshold = 0.5f}), "one 3 grown");
  EXPECT_EQ(text({.schedule = Schedule::kDream}), "one 0") << "it has no blocks";
}

TEST(Decoder, AnEndAmongTheNewCellsStopsABlockModel) {
  const auto script = [](auto, int position) { return prefer(position == 6 ? kEnd : 1, 5); };
  ScriptedModel model(info(4), script);
  // An end of turn in the prompt's share of the first block does not count.
  const Decoding result =
      decode(model, std::vector<Token>{2, 2, 2, 2, kEnd}, {}, {.length = 8}, go_on);
  EXPECT_EQ(result.window, (std::vector<Token>{1, kEnd, kEnd}));
  const Decoding whole = decode(model, std::vector<Token>{2, 2, 2, 2, kEnd}, {},
                                {.length = 8, .stop_at_end = false}, go_on);
  EXPECT_EQ(whole.window.size(), 8);
}

TEST(Decoder, AnObserverCanStopIt) {
  ScriptedModel model(info(), middle_first);
  const Decoding result = decode(model, {}, {}, {.length = 8},
                                 [](const Decoding& now, auto) { return now.passes < 3; });
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(std::count(result.window.begin(), result.window.end(), kMask), 5);
}

TEST(Decoder, ContradictionsAreRefused) {
  ScriptedModel model(info(), middle_first), blocks(info(4), middle_first);
  const auto run = [](Model& m, const DecodeOptions& options, const Action& action = {}) {
    decode(m, std::vector<Token>{1}, action, options, go_on);
  };
  EXPECT_ERROR(run(model, {.length = 0}), "at least 1");
  EXPECT_ERROR(run(model, {.length = 1000}), "do not fit the context of 1000");
  EXPECT_ERROR(run(model, {.length = 10, .block_length = 4}), "not a multiple of the block length");
  EXPECT_ERROR(run(blocks, {.length = 12, .block_length = 6}), "decodes in blocks of 4");
  EXPECT_ERROR(run(blocks, {.length = 9, .block_length = 3}), "neither a multiple nor a part");
  EXPECT_ERROR(run(blocks, {.length = 9}, {.block = 3}), "block=3 is no part of that");
  EXPECT_ERROR(run(blocks, {.length = 8}, {.block = 8}), "block=8 is no part of that");
  EXPECT_ERROR(run(model, {.length = 8}, {.block = -1}), "block must be 0 or more");
  EXPECT_ERROR(run(blocks, {.length = 8, .schedule = Schedule::kDream}), "has no blocks");
  EXPECT_ERROR(
      run(model, {.length = 8, .schedule = Schedule::kLlada, .steps = 3, .block_length = 4}),
      "shared equally");
  EXPECT_ERROR(run(model, {.length = 8, .schedule = Schedule::kDream, .block_length = 4}),
               "has no blocks");
  EXPECT_ERROR(
      run(model, {.length = 8, .schedule = Schedule::kLlada}, {.strategy = Strategy::kOrigin}),
      "no quota");
  EXPECT_ERROR(decode(model, std::vector<Token>{kMask}, {}, {.length = 4}, go_on), "mask token");
}

}  // namespace
}  // namespace umf
