// Working ahead never changes what is done (docs/algorithm.md#working-ahead).
#include "search/forced_miss.h"

#include <gtest/gtest.h>

#include <climits>
#include <map>

#include "support/search_play.h"

namespace umf {
namespace {

// A search that is told rollouts one by one, as solve() does.
struct Sequential {
  explicit Sequential(const Scenario& scenario)
      : world(scenario.actions, scenario.window, scenario.ratios, scenario.rewards),
        search(scenario.actions, world.root(), scenario.search, known) {
    for (const Place& place : world.walk({}, INT_MAX).path) {
      if (place.masks > 0) targets.push_back(place.masks);
    }
    masks[world.root().state] = world.root().masks;
  }
  Outlook outlook() const {
    return {&known, targets, [this](StateId state) { return masks.at(state); }};
  }

  // Makes the free rollouts; the next miss, or nothing.
  std::optional<Trial> next_miss() {
    while (const std::optional<Trial> trial = search.ask()) {
      const auto outcome = known.find(trial->from, trial->action);
      if (!outcome) return trial;
      search.tell(*trial, *outcome);
    }
    return std::nullopt;
  }
  void run(const Trial& trial) {
    Outcome outcome = world.walk(trial, INT_MAX);
    outcome.reward = world.judge(outcome.path.back().state).reward;
    for (const Place& place : outcome.path) masks[place.state] = place.masks;
    known.insert(trial, outcome);
    search.tell(trial, outcome);
  }

  TableWorld world;
  RolloutCache known;
  UnMaskFork search;
  std::vector<int> targets;
  std::map<StateId, int> masks;
};

// Plays a search and, at every miss, names up to `ahead` further ones; all must come true, in
// order.
int count_forced(const Scenario& scenario, int ahead, const PossibleRewards& rewards) {
  Sequential sequential(scenario);
  std::vector<Trial> expected;
  int forced = 0;
  for (int miss = 0; miss < 40; ++miss) {
    const std::optional<Trial> trial = sequential.next_miss();
    if (!trial) {
      EXPECT_TRUE(expected.empty());
      break;
    }
    if (expected.empty()) expected.push_back(*trial);
    EXPECT_EQ(*trial, expected.front());
    while (static_cast<int>(expected.size()) <= ahead) {
      const auto next = forced_miss(sequential.search, expected, sequential.outlook(), rewards);
      if (!next) break;
      expected.push_back(*next);
      forced += next->from != 0 && static_cast<int>(expected.size()) == ahead + 1;
    }
    sequential.run(*trial);
    expected.erase(expected.begin());
    if (testing::Test::HasFailure()) break;
  }
  return forced;
}

int count_forced_in_many(int ahead, const PossibleRewards& rewards, bool coarse) {
  int forced = 0;
  for (int seed = 0; seed < 150; ++seed) {
    Scenario scenario = random_scenario(seed);
    if (coarse) scenario.rewards = coarse_rewards(seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    forced += count_forced(scenario, ahead, rewards);
    if (testing::Test::HasFailure()) break;
  }
  return forced;
}

TEST(ForcedMiss, IsWhatTheSearchDoesNextWhateverTheReward) {
  EXPECT_GT(count_forced_in_many(1, {}, false), 100);
}

TEST(ForcedMiss, SeveralAheadComeTrueInOrder) {
  EXPECT_GT(count_forced_in_many(2, {}, false), 10);
  EXPECT_GT(count_forced_in_many(3, {}, false), 0);
}

TEST(ForcedMiss, KnowingTheFewPossibleRewardsForcesMore) {
  const PossibleRewards few{.values = {0, 0.125, 0.25, 0.375, 0.5}, .between = false};
  EXPECT_GT(count_forced_in_many(1, few, true), count_forced_in_many(1, {}, true));
}

TEST(ForcedMiss, TheRootsActionsAreForcedFromTheStart) {
  for (int actions = 2; actions <= 4; ++actions) {
    const Scenario scenario{.actions = actions};
    Sequential sequential(scenario);
    std::vector<Trial> running = {*sequential.next_miss()};
    for (int action = 1; action < actions; ++action) {
      const auto next = forced_miss(sequential.search, running, sequential.outlook());
      ASSERT_TRUE(next);
      EXPECT_EQ(*next, (Trial{.from = 0, .action = action}));
      running.push_back(*next);
    }
  }
}

TEST(ForcedMiss, AskingAheadLeavesTheSearchAsItWas) {
  const Scenario scenario{.rewards = uniform_rewards(7)};
  Sequential sequential(scenario);
  const Trial first = *sequential.next_miss();
  (void)forced_miss(sequential.search, {&first, 1}, sequential.outlook());
  EXPECT_EQ(sequential.search.nodes(), 1);
  EXPECT_EQ(sequential.search.ask(), first);
}

}  // namespace
}  // namespace umf
