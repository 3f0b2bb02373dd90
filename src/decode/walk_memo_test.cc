#include "decode/walk_memo.h"

#include <gtest/gtest.h>

#include <climits>

#include "decode/walk_testing.h"
#include "search/checkpoints.h"

namespace umf {
namespace {

const WalkOptions kOptions = {
    .window = 24, .ratios = std::vector<int>(std::begin(kPaperRatios), std::end(kPaperRatios))};
constexpr int kNoLimit = INT_MAX;

class SharedWalks : public testing::Test {
 protected:
  // Models and actions in one order or the other; the action at each place is the same.
  NumberedWalks walker(WalkMemo* memo, bool reversed = false, const WalkOptions& options = kOptions,
                       std::uint64_t seed = 5) {
    const Participant first{&dream_, dream_lexicon().tokenizer, {1, 2, 3}},
        second{&llada_, llada_lexicon().tokenizer, {4, 5}};
    const int dream = reversed ? 1 : 0, llada = reversed ? 0 : 1;
    return {reversed ? std::vector{second, first} : std::vector{first, second},
            {{.model = dream, .temperature = 1, .seed = seed},
             {.model = llada},
             {.model = llada, .strategy = Strategy::kOrigin, .seed = seed}},
            options,
            memo};
  }
  // Two levels of walks, as outcomes and as texts.
  static std::string explore(NumberedWalks& walker) {
    std::string seen;
    std::vector<StateId> from = {0};
    for (int level = 0; level < 2; ++level) {
      std::vector<StateId> next;
      for (const StateId state : from) {
        for (int action = 0; action < walker.actions(); ++action) {
          for (const std::uint64_t draw : {0, 3}) {
            const Outcome outcome = walker.walk({state, action, draw}, kNoLimit);
            next.push_back(outcome.path.front().state);
            for (const auto& [id, masks] : outcome.path)
              seen += std::to_string(id) + ":" + std::to_string(masks) + walker.text(id) + " ";
            seen += std::to_string(outcome.passes) + (outcome.complete ? ".\n" : "!\n");
          }
        }
      }
      from = next;
    }
    return seen;
  }

  ScriptedModel dream_ = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada_ = hashing_model(llada_lexicon(), 2);
};

TEST_F(SharedWalks, AreTheSameAndCostNothing) {
  NumberedWalks alone = walker(nullptr);
  const std::string expected = explore(alone);
  WalkMemo memo;
  NumberedWalks first = walker(&memo), second = walker(&memo);
  EXPECT_EQ(explore(first), expected);
  const long made = memo.passes();
  EXPECT_GT(made, 0);
  EXPECT_EQ(explore(second), expected);
  EXPECT_EQ(memo.passes(), made);
}

TEST_F(SharedWalks, MayStandInAnotherOrderOfModels) {
  NumberedWalks alone = walker(nullptr, /*reversed=*/true);
  const std::string expected = explore(alone);
  WalkMemo memo;
  NumberedWalks first = walker(&memo), second = walker(&memo, /*reversed=*/true);
  explore(first);
  const long made = memo.passes();
  EXPECT_EQ(explore(second), expected);
  EXPECT_EQ(memo.passes(), made);
}

TEST_F(SharedWalks, OfGreedyActionsAreTheSameUnderAnyNumber) {
  const Participant llada{&llada_, llada_lexicon().tokenizer, {4, 5}};
  const Action greedy{.seed = 1}, drawn{.temperature = 1, .seed = 1};
  WalkMemo memo;
  NumberedWalks first({llada}, {greedy, drawn}, kOptions, &memo),
      second({llada}, {drawn, greedy}, kOptions, &memo);
  for (int action = 0; action < 2; ++action) first.walk({0, action}, kNoLimit);
  const long made = memo.passes();
  const Outcome known = second.walk({0, 1, 7}, kNoLimit);
  EXPECT_EQ(memo.passes(), made) << "neither number nor draw matters without chance";
  EXPECT_EQ(second.text(known.path.back().state),
            first.text(first.walk({0, 0}, kNoLimit).path.back().state));
  second.walk({0, 0}, kNoLimit);
  EXPECT_EQ(memo.passes(), 2 * made - 24) << "noise is another under another number";
}

TEST_F(SharedWalks, DoNotServeASmallerLimit) {
  WalkMemo memo;
  NumberedWalks first = walker(&memo), second = walker(&memo), alone = walker(nullptr);
  ASSERT_EQ(first.walk({0, 1}, kNoLimit).passes, 24);
  const Outcome cut = second.walk({0, 1}, 10), expected = alone.walk({0, 1}, 10);
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.path, expected.path);
  EXPECT_EQ(second.text(cut.path.back().state), alone.text(expected.path.back().state));
  EXPECT_EQ(memo.passes(), 34);
  EXPECT_EQ(second.walk({0, 1}, 24).passes, 24) << "what was cut is not remembered";
  EXPECT_EQ(memo.passes(), 34);
}

TEST_F(SharedWalks, AreOnlyThoseOfTheSameOptions) {
  WalkMemo memo;
  NumberedWalks first = walker(&memo);
  explore(first);
  const auto made_by = [&](const WalkOptions& options, std::uint64_t seed) {
    const long before = memo.passes();
    NumberedWalks other = walker(&memo, false, options, seed),
                  alone = walker(nullptr, false, options, seed);
    EXPECT_EQ(explore(other), explore(alone));
    return memo.passes() - before;
  };
  WalkOptions window = kOptions, ratios = kOptions, blocks = kOptions, closed = kOptions,
              policy = kOptions;
  window.window = 16;
  ratios.ratios = {500};
  blocks.block_length = 8;
  closed.closed_text = true;
  policy.policy = WindowPolicy::kFixedWindow;
  for (const WalkOptions& options : {window, ratios, blocks, closed, policy})
    EXPECT_GT(made_by(options, 5), 0);
  EXPECT_GT(made_by(kOptions, 6), 0) << "another seed";
  EXPECT_EQ(made_by(kOptions, 5), 0);
}

// The walks of one greedy action, and how many passes they took.
struct Walked {
  std::vector<std::string> texts;
  long passes = 0;
};
Walked walked(const Participant& participant, WalkMemo& memo,
              const WalkOptions& options = kOptions) {
  const long before = memo.passes();
  NumberedWalks walks({participant}, {{}}, options, &memo);
  Walked result;
  for (const Place& place : walks.walk({0, 0}, kNoLimit).path)
    result.texts.push_back(walks.text(place.state));
  result.passes = memo.passes() - before;
  return result;
}

TEST_F(SharedWalks, AreNotThoseOfAnotherModelWithTheSameTokenizer) {
  ScriptedModel other = hashing_model(dream_lexicon(), 9);
  WalkMemo memo, alone;
  walked({&dream_, dream_lexicon().tokenizer, {1, 2}}, memo);
  const Participant participant{&other, dream_lexicon().tokenizer, {1, 2}};
  EXPECT_EQ(walked(participant, memo).texts, walked(participant, alone).texts);
}

TEST_F(SharedWalks, AreThoseOfEveryObjectOfTheSameModel) {
  const TemporaryDirectory directory;
  write_tiny_tokenizer(TinyFamily::kDream, directory.path());
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  ScriptedModel again = hashing_model(dream_lexicon(), 1);
  WalkMemo memo;
  const Walked first = walked({&dream_, dream_lexicon().tokenizer, {1, 2}}, memo);
  const Walked second = walked({&again, &tokenizer, {1, 2}}, memo);
  EXPECT_EQ(second.texts, first.texts);
  EXPECT_EQ(second.passes, 0);
}

TEST_F(SharedWalks, AreOnlyThoseOfTheSamePromptAndSpecialTokens) {
  WalkMemo memo;
  const Tokenizer* tokenizer = dream_lexicon().tokenizer;
  EXPECT_EQ(walked({&dream_, tokenizer, {1, 2}}, memo).passes, 24);
  EXPECT_EQ(walked({&dream_, tokenizer, {1, 2}}, memo).passes, 0);
  EXPECT_EQ(walked({&dream_, tokenizer, {1, 3}}, memo).passes, 24);
  ModelInfo info = dream_.info();
  info.tokens.ends.push_back(40);
  ScriptedModel ends(info,
                     [&](auto tokens, int position) { return dream_.logits(tokens, position); });
  EXPECT_EQ(walked({&ends, tokenizer, {1, 2}}, memo).passes, 24);
  info.block = 4;
  ScriptedModel blocks(info,
                       [&](auto tokens, int position) { return dream_.logits(tokens, position); });
  EXPECT_EQ(walked({&blocks, tokenizer, {1, 2}}, memo).passes, 24);
}

}  // namespace
}  // namespace umf
