#include "solve/treasure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <map>
#include <set>

#include "decode/walk_testing.h"
#include "session/decoding_world.h"
#include "solve/table_world.h"
#include "support/expect_error.h"

namespace umf {
namespace {

constexpr int kWindow = 12;

// A number for a text, in coarse steps so that ties are frequent.
class HashReward final : public Reward {
 public:
  Verdict judge(std::string_view answer) override {
    ++asked;
    std::uint32_t hash = 2166136261u;
    for (const char c : answer) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return {(hash >> 16) % 8 / 10.0, "hashed"};
  }
  int asked = 0;
};

struct Setting {
  TreasureOptions options;
  long budget = 1000;
  float temperature = 1;
  std::optional<double> stop_at_reward = {};
  int stop_after = INT_MAX;  // passes
};

struct Event {
  Trial trial;
  std::vector<Place> path;
  double reward;
  bool operator==(const Event&) const = default;
};

struct Hunt {
  ScriptedModel model = hashing_model(dream_lexicon(), 1);
  HashReward reward;
  States states;
  int passes = 0;
  std::vector<Event> events;
  Solution solution;

  explicit Hunt(const Setting& setting)
      : states({{{&model, dream_lexicon().tokenizer, {1, 2, 3}}},
                {{.temperature = setting.temperature, .seed = 9}},
                {.window = kWindow, .ratios = {500}}}) {
    RememberingReward remembering(reward, RememberingReward::Failures::kKept);
    DecodingWorld world(states, remembering,
                        [&](const Pass&) { return ++passes < setting.stop_after; });
    solution = treasure(world, 0, setting.options,
                        {.budget = setting.budget, .stop_at_reward = setting.stop_at_reward},
                        [&](const RolloutEvent& event) {
                          events.push_back({event.trial, event.outcome.path, event.outcome.reward});
                          return true;
                        });
  }
  std::vector<Token> cells(StateId id) const { return states.at(id).cells; }
  // The parents that had a pass at each level, by the masks of their children.
  std::map<int, std::set<StateId>> parents() const {
    std::map<int, std::set<StateId>> found;
    for (const Event& event : events) found[event.path.front().masks].insert(event.trial.from);
    return found;
  }
};

// docs/algorithm.md#treasure-beam
TEST(Treasure, OneWindowWithOneGreedyChildIsASingleRandomOrderDecoding) {
  Hunt hunt({.options = {.beam = 1, .children = 1}, .temperature = 0});
  ASSERT_EQ(hunt.events.size(), kWindow);
  EXPECT_EQ(hunt.solution.ledger.nfe, kWindow);
  std::vector<int> order;
  for (const Event& event : hunt.events) {
    const std::vector<Token> before = hunt.cells(event.trial.from);
    const std::vector<Token> after = hunt.cells(event.path.front().state);
    for (int cell = 0; cell < kWindow; ++cell) {
      if (before[cell] == after[cell]) continue;
      order.push_back(cell);
      const StepRule only{.begin = cell, .end = cell + 1};
      const std::vector<Token> prompt = {1, 2, 3};
      EXPECT_EQ(denoise(hunt.model, prompt, before, {}, 0, only),
                (std::vector<Commit>{{cell, after[cell]}}));
    }
  }
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (int cell = 0; cell < kWindow; ++cell) EXPECT_EQ(order[cell], cell);
  EXPECT_EQ(hunt.solution.best->end, hunt.events.back().path.back().state);
}

// docs/algorithm.md#treasure-beam
TEST(Treasure, TheBeamNeverExceedsItsWidth) {
  for (const int beam : {1, 2, 3, 5}) {
    const Hunt hunt({.options = {.beam = beam, .children = 4}});
    for (const auto& [masks, parents] : hunt.parents()) EXPECT_LE(parents.size(), beam);
    EXPECT_LE(hunt.solution.ledger.nfe, 1 + (kWindow - 1) * beam);
    EXPECT_EQ(hunt.solution.stopped, Stop::kExhausted);
    EXPECT_EQ(hunt.solution.depth, kWindow);
  }
}

TEST(Treasure, TheBudgetInWindowsIsTheWidth) {
  const Hunt two({.budget = 2 * kWindow + 5});
  EXPECT_EQ(two.events, Hunt({.options = {.beam = 2}, .budget = 2 * kWindow + 5}).events);
  const Hunt small({.budget = kWindow - 2});
  EXPECT_EQ(small.events, Hunt({.options = {.beam = 1}, .budget = kWindow - 2}).events);
}

TEST(Treasure, CountsThePassesThatTheModelMadeAndOneEvaluationPerChild) {
  const Hunt hunt({.options = {.beam = 3}});
  EXPECT_EQ(hunt.solution.ledger.nfe, hunt.model.forward_passes());
  EXPECT_EQ(hunt.solution.ledger.nfe, hunt.passes);
  EXPECT_EQ(hunt.solution.ledger.evaluations, hunt.events.size());
  EXPECT_EQ(hunt.solution.ledger.rollouts(), hunt.events.size());
  EXPECT_LE(hunt.reward.asked, hunt.solution.ledger.evaluations);
}

TEST(Treasure, ChildrenOfOneParentDifferAndCommitOneCell) {
  const Hunt hunt({.options = {.beam = 2, .children = 8}, .temperature = 0.01f});
  std::set<std::pair<StateId, StateId>> seen;
  for (const Event& event : hunt.events) {
    EXPECT_TRUE(seen.insert({event.trial.from, event.path.front().state}).second);
    EXPECT_EQ(event.path.back().masks, 0);
    const std::vector<Token> child = hunt.cells(event.path.front().state);
    const std::vector<Token> full = hunt.cells(event.path.back().state);
    for (int cell = 0; cell < kWindow; ++cell) {
      if (child[cell] != dream_lexicon().tokens.mask) {
        EXPECT_EQ(child[cell], full[cell]);
      }
    }
  }
}

TEST(Treasure, TheBestStayAndTiesGoToTheFirst) {
  const Hunt hunt({.options = {.beam = 2}});
  std::vector<Event> level;
  std::vector<StateId> kept;
  for (const Event& event : hunt.events) {
    if (!level.empty() && event.path.front().masks != level.front().path.front().masks) {
      std::ranges::stable_sort(level, std::greater<>(), &Event::reward);
      kept = {level[0].path.front().state, level[1].path.front().state};
      EXPECT_EQ(event.trial.from, kept[0]);
      level.clear();
    }
    if (!kept.empty()) {
      EXPECT_TRUE(std::ranges::count(kept, event.trial.from) > 0);
    }
    level.push_back(event);
  }
}

TEST(Treasure, TheAnswerIsTheBestFullWindow) {
  const Hunt hunt({.options = {.beam = 3}});
  double best = 0;
  for (const Event& event : hunt.events) {
    if (event.path.front().masks == 0) best = std::max(best, event.reward);
  }
  EXPECT_EQ(hunt.solution.best->reward, best);
  EXPECT_TRUE(hunt.solution.best->complete);
  EXPECT_EQ(hunt.solution.best->why, "hashed");
}

TEST(Treasure, TheSameSeedGivesTheSameSearch) {
  EXPECT_EQ(Hunt({.options = {.beam = 3}}).events, Hunt({.options = {.beam = 3}}).events);
}

TEST(Treasure, TheBudgetIsNeverPassedAndTheBestCompletionIsKept) {
  for (const long budget : {1, 2, 7, 20}) {
    const Hunt hunt({.options = {.beam = 3}, .budget = budget});
    EXPECT_EQ(hunt.solution.ledger.nfe, budget);
    EXPECT_EQ(hunt.model.forward_passes(), budget);
    EXPECT_EQ(hunt.solution.stopped, Stop::kBudget);
    EXPECT_TRUE(hunt.solution.best.has_value());
  }
  EXPECT_FALSE(Hunt({.budget = 0}).solution.best.has_value());
}

TEST(Treasure, AnInterruptionEndsItAfterThePass) {
  const Hunt hunt({.options = {.beam = 2}, .stop_after = 5});
  EXPECT_EQ(hunt.solution.stopped, Stop::kInterrupted);
  EXPECT_EQ(hunt.solution.ledger.nfe, 5);
}

TEST(Treasure, ARewardThatIsEnoughEndsIt) {
  const Hunt hunt({.options = {.beam = 2}, .stop_at_reward = 0.5});
  EXPECT_EQ(hunt.solution.stopped, Stop::kReward);
  EXPECT_GE(hunt.solution.best->reward, 0.5);
  EXPECT_EQ(hunt.solution.best->iteration, hunt.events.size());
}

TEST(Treasure, WhatDoesNotFitIsRefused) {
  EXPECT_ERROR(Hunt({.options = {.children = 0}}), "at least 1 child");
  EXPECT_ERROR(Hunt({.options = {.beam = -1}}), "the beam must be at least 1");
  TableWorld world(2, 8, std::vector<int>{500}, [](auto) { return 0.0; });
  EXPECT_ERROR(treasure(world, 0, {}, {.curve = {5}}), "treasure has no curve");
  const Solution solution = treasure(world, 0, {}, {});
  EXPECT_EQ(solution.stopped, Stop::kError);
  EXPECT_NE(solution.message.find("needs models"), std::string::npos);
}

}  // namespace
}  // namespace umf
