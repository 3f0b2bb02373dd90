// Committed cells that are rewritten: inside the block under work, and nowhere else.
#include "decode/editing.h"

#include <gtest/gtest.h>

#include <climits>

#include "decode/decoder.h"
#include "decode/walk_testing.h"
#include "support/expect_error.h"

namespace umf {
namespace {

constexpr Token kMask = 9;

// Blocks of four; surely the token that `wish` says.
ScriptedModel model_of(const std::function<Token(std::span<const Token>, int)>& wish,
                       float sureness = 12) {
  return {{.name = "scripted",
           .tokens = {.mask = kMask, .end_of_text = 8, .ends = {8}},
           .vocabulary = 10,
           .max_length = 100,
           .block = 4},
          [=](std::span<const Token> tokens, int position) {
            std::vector<float> logits(10, 0.0f);
            logits[wish(tokens, position)] = sureness;
            return logits;
          }};
}

struct Decoded {
  std::vector<Token> window;
  std::vector<std::vector<Commit>> passes;
};

// Behind a prompt of two cells, which share the first block with two of the window.
Decoded run(ScriptedModel& model, float edit) {
  const std::vector<Token> prompt = {1, 1};
  Decoded result;
  result.window = decode(model, prompt, {.edit = edit}, {.length = 6},
                         [&](const Decoding&, std::span<const Commit> commits) {
                           result.passes.emplace_back(commits.begin(), commits.end());
                           return true;
                         })
                      .window;
  return result;
}

// Cell 0 is written with a 3, and wanted to be a 4 as soon as its neighbour is there.
Token second_thought(std::span<const Token> tokens, int position) {
  if (position < 2) return 7;  // the prompt's cells are asked about by nobody
  if (position == 2) return tokens[3] == kMask ? 3 : 4;
  return position == 3 ? 5 : 6;
}

TEST(Editing, ABlockIsEditedUntilNothingChanges) {
  ScriptedModel model = model_of(second_thought);
  const Decoded edited = run(model, 0.9f);
  EXPECT_EQ(edited.window, (std::vector<Token>{4, 5, 6, 6, 6, 6}));
  ASSERT_EQ(edited.passes.size(), 9) << "two, one that edits, one that does not, four, one";
  EXPECT_EQ(edited.passes[2], (std::vector<Commit>{{0, 4}}));
  EXPECT_TRUE(edited.passes[3].empty());
  EXPECT_TRUE(edited.passes[8].empty());
  ScriptedModel other = model_of(second_thought);
  const Decoded kept = run(other, 1);
  EXPECT_EQ(kept.window, (std::vector<Token>{3, 5, 6, 6, 6, 6}));
  EXPECT_EQ(kept.passes.size(), 6);
}

TEST(Editing, ATokenMustBeSurerThanTheBound) {
  ScriptedModel unsure = model_of(second_thought, 3);  // 0.69
  EXPECT_EQ(run(unsure, 0.9f).window.front(), 3);
  ScriptedModel again = model_of(second_thought, 3);
  EXPECT_EQ(run(again, 0.5f).window.front(), 4);
}

TEST(Editing, ACellThatIsNeverContentIsLeftAfterSixteenPasses) {
  ScriptedModel model = model_of([](std::span<const Token> tokens, int position) -> Token {
    if (position == 2) return tokens[2] == 4 ? 3 : 4;
    return 6;
  });
  const Decoded result = run(model, 0.5f);
  EXPECT_EQ(result.passes.size(), 2 + kMostEditingPasses + 4 + 1);
  EXPECT_EQ(result.passes[1], (std::vector<Commit>{{0, 3}, {1, 6}})) << "in one pass";
}

TEST(Editing, EarlierBlocksAreFinal) {
  // What stands in the first block would be changed as soon as the second has begun.
  ScriptedModel model = model_of([](std::span<const Token> tokens, int position) -> Token {
    return position < 4 && tokens[4] != kMask ? 2 : 5;
  });
  EXPECT_EQ(run(model, 0.5f).window, std::vector<Token>(6, 5));
}

TEST(Editing, NeedsBlocksAndOneModelThatDecides) {
  ScriptedModel plain({.name = "plain",
                       .tokens = {.mask = kMask, .end_of_text = 8, .ends = {8}},
                       .vocabulary = 10,
                       .max_length = 100},
                      [](std::span<const Token>, int) { return std::vector<float>(10, 0.0f); });
  EXPECT_ERROR(run(plain, 0.5f), "plain does not decode in blocks");
  Action action;
  EXPECT_ERROR(set_fields(action, "edit=0.5,remask=cap"), "edit=0.5 goes with one model");
  EXPECT_ERROR(set_fields(action, "edit=0.5,strategy=random"), "edit=0.5 goes with one model");
  EXPECT_ERROR(set_fields(action, "edit=2"), "edit must be from 0 to 1");
}

TEST(Editing, NoTextIsClosedForAnyActionWhereOneMayRewriteIt) {
  ScriptedModel model = model_of([](std::span<const Token>, int position) -> Token {
    return position == 3 ? 8 : 5;  // the text ends early
  });
  const auto spared = [&](const std::vector<Action>& actions) {
    const WalkSetup setup({{&model, sdc_lexicon().tokenizer, {1, 1}}}, actions,
                          {.window = 8, .ratios = {500}, .closed_text = true});
    return Walker(setup).walk({}, {0, std::vector<Token>(8, kMask)}, INT_MAX).spared;
  };
  EXPECT_GT(spared({{}}), 0);
  EXPECT_EQ(spared({{}, {.edit = 0.5f}}), 0);
}

// Every walk of a window, cut anywhere: the passes are the first of the whole walk.
TEST(Editing, WalksAreReplayedFromEveryCheckpointAndCutAnywhere) {
  ScriptedModel model = wishing_model(sdc_lexicon(), 3, 4);
  const std::vector<int> ratios(std::begin(kPaperRatios), std::end(kPaperRatios));
  NumberedWalks walker({{&model, sdc_lexicon().tokenizer, {11, 12, 13}}},
                       {{.commit = {CommitRule::Kind::kTau, 0.9f}, .edit = 0.6f}, {.edit = 0.2f}},
                       {.window = 24, .ratios = ratios});
  for (int action = 0; action < 2; ++action) {
    const Outcome whole = walker.walk({0, action}, INT_MAX);
    ASSERT_TRUE(whole.complete);
    if (action == 1) {
      EXPECT_GT(whole.passes, 24) << "edits cost passes";
    }
    for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
      const Outcome rest = walker.walk({whole.path[i].state, action}, INT_MAX);
      EXPECT_EQ(rest.path.back().state, whole.path.back().state);
      EXPECT_EQ(rest.passes, whole.passes - whole.passes_at[i]);
    }
    for (int limit = 1; limit < whole.passes; ++limit) {
      const Outcome cut = walker.walk({0, action}, limit);
      EXPECT_EQ(cut.passes, limit);
      EXPECT_FALSE(cut.complete) << limit;
    }
    EXPECT_EQ(walker.walk({0, action}, whole.passes).path.back().state, whole.path.back().state);
  }
}

}  // namespace
}  // namespace umf
