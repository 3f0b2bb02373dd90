#include "decode/remasking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "decode/walk_testing.h"
#include "decode/walker.h"
#include "support/expect_error.h"

namespace umf {
namespace {

constexpr Remask kForms[] = {Remask::kCap, Remask::kRescale, Remask::kConf, Remask::kLoop,
                             Remask::kConfidenceLoop};
constexpr int kNoLimit = INT_MAX, kWindow = 32;

// One trajectory over a window of masks, with every window that a pass left.
struct Trajectory {
  ScriptedModel model = hashing_model(dream_lexicon(), 1);
  Token mask = dream_lexicon().tokens.mask;
  std::vector<Token> window = std::vector<Token>(kWindow, mask);
  std::vector<std::vector<Token>> windows;
  Remasked result;

  explicit Trajectory(const Action& action, int limit = kNoLimit, int stop_after = kNoLimit) {
    const std::vector<Token> prompt = {1, 2, 3};
    result = remask(model, prompt, window, action, 0, limit, [&](auto cells, auto) {
      windows.emplace_back(cells.begin(), cells.end());
      return static_cast<int>(windows.size()) < stop_after;
    });
  }
  int masks() const { return static_cast<int>(std::count(window.begin(), window.end(), mask)); }
  // How often a committed cell was masked or written anew between two passes.
  int changes() const {
    int found = 0;
    for (std::size_t i = 1; i < windows.size(); ++i) {
      for (int cell = 0; cell < kWindow; ++cell) {
        const Token before = windows[i - 1][cell];
        found += before != mask && before != windows[i][cell];
      }
    }
    return found;
  }
};

Action action_of(Remask form, float temperature = 1) {
  return {.temperature = temperature, .remask = form, .seed = 4};
}

// docs/algorithm.md#remdm-probabilities
TEST(Remasking, NoMasksRemainAtTheEnd) {
  for (const Remask form : kForms) {
    for (const int passes : {0, 1, 2, 32, 100}) {
      Action action = action_of(form);
      action.passes = passes;
      const Trajectory run(action);
      EXPECT_EQ(run.masks(), 0) << name_of(form);
      EXPECT_TRUE(run.result.finished);
    }
  }
}

TEST(Remasking, CountsThePassesThatTheModelMadeAndNoMoreThanItsOwn) {
  for (const Remask form : kForms) {
    const Trajectory run(action_of(form));
    EXPECT_EQ(run.result.passes, run.model.forward_passes()) << name_of(form);
    EXPECT_EQ(run.windows.size(), run.result.passes);
    EXPECT_LE(run.result.passes, 2 * kWindow);
  }
}

// docs/algorithm.md#remdm-probabilities
TEST(Remasking, WithoutEtaWhatIsCommittedStays) {
  for (const Remask form : {Remask::kCap, Remask::kRescale, Remask::kLoop}) {
    Action action = action_of(form);
    action.remask_eta = 0;
    EXPECT_EQ(Trajectory(action).changes(), 0) << name_of(form);
  }
}

TEST(Remasking, CommittedCellsAreMaskedAgainOtherwise) {
  for (const Remask form : kForms) {
    Action action = action_of(form);
    if (form != Remask::kConf) action.remask_eta = 0.2f;
    EXPECT_GT(Trajectory(action).changes(), 0) << name_of(form);
  }
}

TEST(Remasking, TheSameSeedGivesTheSameTrajectoryAndAnotherSeedAnother) {
  for (const Remask form : kForms) {
    Action action = action_of(form);
    const Trajectory first(action), again(action);
    EXPECT_EQ(first.windows, again.windows) << name_of(form);
    ++action.seed;
    EXPECT_NE(first.windows, Trajectory(action).windows) << name_of(form);
  }
}

TEST(Remasking, ALimitGivesTheStartOfTheSameTrajectory) {
  for (const Remask form : kForms) {
    const Trajectory whole(action_of(form));
    for (const int limit : {0, 1, 7, whole.result.passes - 1}) {
      const Trajectory cut(action_of(form), limit);
      EXPECT_EQ(cut.result.passes, limit) << name_of(form);
      EXPECT_FALSE(cut.result.finished);
      EXPECT_TRUE(std::equal(cut.windows.begin(), cut.windows.end(), whole.windows.begin()));
    }
    EXPECT_TRUE(Trajectory(action_of(form), whole.result.passes).result.finished);
  }
}

TEST(Remasking, AnObserverEndsTheTrajectory) {
  for (const Remask form : kForms) {
    const Trajectory run(action_of(form), kNoLimit, /*stop_after=*/5);
    EXPECT_EQ(run.result.passes, 5);
    EXPECT_FALSE(run.result.finished);
  }
}

TEST(Remasking, CellsThatWereThereBeforeAreNeverMasked) {
  for (const Remask form : kForms) {
    ScriptedModel model = hashing_model(dream_lexicon(), 1);
    std::vector<Token> window(kWindow, dream_lexicon().tokens.mask);
    for (int cell = 0; cell < kWindow; cell += 3) window[cell] = 7;
    Action action = action_of(form);
    action.remask_eta = 0.5f;
    remask(model, {}, window, action, 0, kNoLimit, [&](auto cells, auto) {
      for (int cell = 0; cell < kWindow; cell += 3) EXPECT_EQ(cells[cell], 7);
      return true;
    });
  }
}

TEST(Remasking, TheConfidenceLoopTakesOnePassPerMaskAndTheRestInTheLoop) {
  for (const int passes : {32, 33, 64, 100}) {
    Action action = action_of(Remask::kConfidenceLoop);
    action.passes = passes;
    const Trajectory run(action);
    EXPECT_EQ(run.result.passes, passes);
    // 28 = 7/8 of 32 cells; in the loop one is masked and one committed at every pass.
    for (int pass = 28; pass <= 28 + passes - 32; ++pass) {
      EXPECT_EQ(std::ranges::count(run.windows[pass - 1], run.mask), 4);
    }
  }
}

TEST(Remasking, TheConfidenceLoopMasksTheLeastConfidentCell) {
  // The more confident the further left; so the loop masks cell 6, and commits it again.
  const Lexicon& lexicon = dream_lexicon();
  ModelInfo info{.tokens = lexicon.tokens, .vocabulary = 400, .max_length = 64};
  ScriptedModel model(info, [](std::span<const Token>, int position) {
    std::vector<float> logits(400, 0.0f);
    logits[position] = static_cast<float>(20 - position);
    return logits;
  });
  std::vector<Token> window(8, lexicon.tokens.mask);
  std::vector<int> order;
  const Remasked result = remask(model, {}, window, action_of(Remask::kConfidenceLoop, 0), 0,
                                 kNoLimit, [&](auto, auto commits) {
                                   order.push_back(commits.front().cell);
                                   return true;
                                 });
  // The same question has the same greedy answer: seven of the eight passes in the loop are free.
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(result.passes, model.forward_passes());
  EXPECT_EQ(result.passes, 8);
}

TEST(Remasking, AWalkOfSuchAnActionIsTheTrajectory) {
  for (const Remask form : kForms) {
    ScriptedModel model = hashing_model(dream_lexicon(), 1);
    NumberedWalks walker({{&model, dream_lexicon().tokenizer, {1, 2, 3}}}, {action_of(form)},
                         {.window = kWindow, .ratios = {500}});
    const Trajectory run(action_of(form));
    const Outcome outcome = walker.walk({0, 0}, kNoLimit);
    ASSERT_EQ(outcome.path.size(), 1);
    EXPECT_EQ(walker.states.at(outcome.path.back().state).cells, run.window);
    EXPECT_EQ(outcome.passes, run.result.passes);
    EXPECT_TRUE(outcome.complete);
    EXPECT_FALSE(walker.walk({0, 0}, 3).complete);
    EXPECT_NE(walker.walk({0, 0, 1}, kNoLimit).path, outcome.path) << "a draw has its own noise";
    EXPECT_EQ(walker.walk({outcome.path.back().state, 0}, kNoLimit).passes, 0);
  }
}

TEST(Remasking, BlocksAreRefused) {
  ScriptedModel model = hashing_model(dream_lexicon(), 1);
  ScriptedModel blocks = hashing_model(dream_lexicon(), 1, /*block=*/4);
  const auto walker = [&](ScriptedModel& of, int block_length) {
    return WalkSetup({{&of, dream_lexicon().tokenizer, {}}}, {action_of(Remask::kCap)},
                     {.window = 8, .ratios = {}, .block_length = block_length});
  };
  EXPECT_ERROR(walker(model, 4), "leave out the block length");
  EXPECT_ERROR(walker(blocks, 0), "decodes in blocks of 4");
}

}  // namespace
}  // namespace umf
