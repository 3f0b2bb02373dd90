#include "decode/replan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "decode/decoder.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
const Action kP2{.remask = Remask::kP2};

// Sure of cell i by `sureness[i]`, and of token 40 + i; nothing stands before the window.
ScriptedModel sure_of(std::vector<float> sureness) {
  const ModelInfo info = hashing_model(sdc_lexicon(), 1).info();
  return {info, [=](std::span<const Token>, int position) {
            std::vector<float> logits(info.vocabulary, 0.0f);
            logits[40 + position] = sureness[position];
            return logits;
          }};
}

TEST(Replan, TheLeastSureCellsAreMasksWhateverTheyHeld) {
  ScriptedModel model = sure_of({5, 9, 7, 6, 8});
  const Token mask = model.info().tokens.mask;
  const std::vector<Token> window = {99, mask, mask, mask, 98};
  const auto changes = [&](int masks_left) {
    return replan(model, {}, window, kP2, 0, masks_left, 1);
  };
  using Commits = std::vector<Commit>;
  EXPECT_EQ(changes(3), (Commits{{0, mask}, {1, 41}})) << "cell 0 again, and 2 and 3 stay masks";
  EXPECT_EQ(changes(2), (Commits{{0, mask}, {1, 41}, {2, 42}}));
  EXPECT_EQ(changes(1), (Commits{{0, mask}, {1, 41}, {2, 42}, {3, 43}}));
  EXPECT_EQ(changes(0), (Commits{{1, 41}, {2, 42}, {3, 43}})) << "what is kept does not change";
  EXPECT_EQ(changes(5), (Commits{{0, mask}, {4, mask}}));
  EXPECT_EQ(model.forward_passes(), 5);
}

TEST(Replan, OfEqualCellsTheLowerIsKept) {
  ScriptedModel model = sure_of({6, 6, 6, 6});
  const std::vector<Token> window(4, model.info().tokens.mask);
  EXPECT_EQ(replan(model, {}, window, kP2, 0, 2, 1), (std::vector<Commit>{{0, 40}, {1, 41}}));
}

TEST(Replan, TheActionsStrategyRanks) {
  const ModelInfo info = hashing_model(sdc_lexicon(), 1).info();
  // Cell 0: one token far ahead of many. Cell 1: two tokens ahead of all others.
  ScriptedModel model(info, [&](auto, int position) {
    std::vector<float> logits(info.vocabulary, position == 0 ? 0.0f : -20.0f);
    logits[40] = position == 0 ? 4.0f : 0.0f;
    if (position == 1) logits[41] = -0.1f;
    return logits;
  });
  const std::vector<Token> window(2, info.tokens.mask);
  const auto kept = [&](Strategy strategy) {
    return replan(model, {}, window, {.strategy = strategy, .remask = Remask::kP2}, 0, 1, 1)
        .front()
        .cell;
  };
  EXPECT_EQ(kept(Strategy::kLowConfidence), 1);
  EXPECT_EQ(kept(Strategy::kEntropy), 1);
  EXPECT_EQ(kept(Strategy::kMargin), 0);
}

TEST(Replan, PlainDecodingLeavesEvenSharesOfTheWindow) {
  ScriptedModel model = hashing_model(sdc_lexicon(), 3);
  const auto masks_left = [&](const DecodeOptions& options) {
    std::vector<long> masks;
    decode(model, {}, kP2, options, [&](const Decoding& now, auto) {
      masks.push_back(std::ranges::count(now.window, model.info().tokens.mask));
      return true;
    });
    return masks;
  };
  const auto dream = [](int steps) {
    return DecodeOptions{.length = 10, .schedule = Schedule::kDream, .steps = steps};
  };
  EXPECT_EQ(masks_left(dream(4)), (std::vector<long>{7, 5, 2, 0}));
  EXPECT_EQ(masks_left(dream(13)), (std::vector<long>{9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0}))
      << "it ends when nothing is masked";
  EXPECT_EQ(masks_left(dream(10)), masks_left({.length = 10}));
  EXPECT_EQ(masks_left({.length = 10, .per_step = 4}), (std::vector<long>{6, 2, 0}));
}

// An action that masks again, and one of another model that does not.
struct Revising {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada = hashing_model(llada_lexicon(), 2);
  NumberedWalks walker(bool closed_text = false, WalkMemo* memo = nullptr) {
    return {{{&dream, dream_lexicon().tokenizer, {1, 2}}, {&llada, llada_lexicon().tokenizer, {3}}},
            {{.model = 0, .remask = Remask::kP2},
             {.model = 1},
             {.model = 0, .temperature = 1, .remask = Remask::kP2, .seed = 5}},
            {.window = 16, .ratios = kRatios, .closed_text = closed_text},
            memo};
  }
};

TEST(Replan, AWalkCostsItsMasksAndGoesOnFromEveryCheckpoint) {
  Revising revising;
  NumberedWalks walker = revising.walker();
  const Token mask = dream_lexicon().tokens.mask;
  for (const int before : {0, 1, 2}) {
    const StateId from = walker.walk({0, before}, INT_MAX).path[2].state;
    for (const int action : {0, 2}) {
      for (const StateId start : {StateId{0}, from}) {
        int last = walker.states.masks(start);
        const Outcome whole = walker.walk({start, action}, INT_MAX, [&](const Pass& pass) {
          EXPECT_EQ(std::ranges::count(pass.window, mask), --last) << "one mask less";
          return true;
        });
        EXPECT_EQ(whole.passes, walker.states.masks(start));
        EXPECT_GT(std::ranges::count(whole.writes, mask, &Write::token), 0) << "none masked again";
        for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
          const Outcome rest = walker.walk({whole.path[i].state, action}, INT_MAX);
          EXPECT_EQ(rest.path, std::vector(whole.path.begin() + i + 1, whole.path.end()));
        }
      }
    }
  }
}

TEST(Replan, NoTextIsClosedWhereItMayBeMaskedAgain) {
  Revising revising;
  NumberedWalks plain = revising.walker(), closed = revising.walker(/*closed_text=*/true);
  for (int action = 0; action < 3; ++action) {
    const Outcome expected = plain.walk({0, action}, INT_MAX);
    const Outcome outcome = closed.walk({0, action}, INT_MAX);
    EXPECT_EQ(outcome.path, expected.path);
    EXPECT_EQ(outcome.spared, 0);
  }
}

TEST(Replan, WalksBesideAnActionThatMasksAgainAreNotThoseWithoutIt) {
  ScriptedModel model = hashing_model(sdc_lexicon(), 1);
  const auto key = [&](std::vector<Action> actions) {
    return walk_keys({{{&model, sdc_lexicon().tokenizer, {1}}},
                      std::move(actions),
                      {.window = 16, .ratios = kRatios, .closed_text = true}})
        .front();
  };
  EXPECT_NE(key({{}, kP2}), key({{}}));
  EXPECT_EQ(key({{}, {.temperature = 1}}), key({{}}));
}

TEST(Replan, WhatItDoesNotGoWithIsRefusedOrTakesItsPlace) {
  ScriptedModel model = hashing_model(sdc_lexicon(), 1),
                blocks = hashing_model(sdc_lexicon(), 1, 4);
  const auto walks = [](ScriptedModel& of, const Action& action, int block_length = 0) {
    WalkSetup({{&of, sdc_lexicon().tokenizer, {}}}, {action},
              {.window = 16, .ratios = kRatios, .block_length = block_length});
  };
  const auto plain = [&](const DecodeOptions& options, const Action& action = kP2) {
    decode(model, {}, action, options, [](const auto&, auto) { return true; });
  };
  EXPECT_ERROR(walks(blocks, kP2), "remask=p2 ranks all cells");
  EXPECT_ERROR(walks(model, kP2, 8), "leave out the block length");
  EXPECT_ERROR(plain({.length = 8, .schedule = Schedule::kLlada}), "the steady and the dream");
  EXPECT_ERROR(plain({.length = 8, .threshold = 0.5f}), "without blocks and a threshold");
  EXPECT_ERROR(plain({.length = 8, .block_length = 4}), "without blocks and a threshold");
  ModelInfo info = model.info();
  info.strategy = "low-confidence";
  info.remask = "p2";
  for (const char* fields : {"commit=tau:0.9", "strategy=random", "order-temperature=1",
                             "anchor=checkpoint", "block=4,grow=true"}) {
    SCOPED_TRACE(fields);
    Action action = recommended_action(info);
    choose_fields(action, "temperature=0.5");
    EXPECT_EQ(action.remask, Remask::kP2);
    choose_fields(action, fields);
    EXPECT_EQ(action.remask, Remask::kNone);
    action = recommended_action(info);
    choose_fields(action, std::string(fields) + ",remask=p2");
    EXPECT_ERROR(walks(model, action), "it goes with a strategy that looks");
    EXPECT_ERROR(plain({.length = 8}, action), "it goes with a strategy that looks");
  }
  const ModelInfo* const one[] = {&info};
  EXPECT_EQ(recommended_action(one, {.threshold = 0.5f}).remask, Remask::kNone);
  EXPECT_EQ(recommended_action(one, {.schedule = Schedule::kDream}).remask, Remask::kP2);
  const ModelInfo* const two[] = {&info, &info};
  for (const Action& member : members_of(recommended_action(two)))
    EXPECT_EQ(member.remask, Remask::kNone) << "models that write together mask nothing again";
}

}  // namespace
}  // namespace umf
