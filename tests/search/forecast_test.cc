// What a search is expected to ask for next.
#include "search/forecast.h"

#include <gtest/gtest.h>

#include <climits>
#include <map>

#include "search/pair.h"
#include "solve/searches.h"
#include "support/search_play.h"

namespace umf {
namespace {

// Plays a search by name on a table and compares every forecast with what is asked for then.
struct Forecasts {
  Forecasts(const std::string& name, int actions, TableWorld::Rewards table, double likely) {
    TableWorld world(actions, 64, Scenario().ratios, std::move(table));
    std::vector<int> targets;
    std::map<StateId, int> masks = {{0, 64}};
    for (const Place& place : world.walk({}, INT_MAX).path)
      if (place.masks > 0) targets.push_back(place.masks);
    RolloutCache known;
    SearchSetup setup{.root = world.root(), .actions = actions, .seed = 3, .cache = &known};
    setup.budget = 1536;
    setup.options.set<Pair>({.method = "unmaskfork"});
    const auto search = make_search(name, setup);
    const Outlook outlook{&known, targets, [&](StateId state) { return masks.at(state); }};
    while (walks < 60) {
      const std::optional<Trial> trial = search->ask();
      if (!trial) break;
      if (const auto outcome =
              trial->draw == 0 ? known.find(trial->from, trial->action) : std::nullopt) {
        search->tell(*trial, *outcome);
        continue;
      }
      ++walks;
      if (expected) {
        (expected->certain ? certain : guessed) += 1;
        (expected->certain ? certain_true : guessed_true) += expected->trial == *trial;
      }
      const auto found = search->forecast(outlook, {.likely = likely});
      expected = found.empty() ? std::nullopt : std::optional(found.front());
      EXPECT_EQ(search->ask(), trial) << "a forecast changes nothing";
      Outcome outcome = world.walk(*trial, INT_MAX);
      outcome.reward = world.judge(outcome.path.back().state).reward;
      for (const Place& place : outcome.path) masks[place.state] = place.masks;
      if (trial->draw == 0) known.insert(*trial, outcome);
      search->tell(*trial, outcome);
    }
  }
  std::optional<Foreseen> expected;
  int walks = 0, certain = 0, certain_true = 0, guessed = 0, guessed_true = 0;
};

TEST(Forecast, WhatIsCertainHappens) {
  for (int seed = 0; seed < 20; ++seed) {
    const Forecasts forecasts("unmaskfork", 2 + seed % 3, uniform_rewards(seed), 0.5);
    EXPECT_GT(forecasts.certain, 0) << "the root's actions at least";
    EXPECT_EQ(forecasts.certain_true, forecasts.certain);
  }
}

TEST(Forecast, ItIsRightWhereRewardsAreAsExpected) {
  const Forecasts forecasts(
      "unmaskfork", 2, [](auto) { return 0.5; }, 0.5);
  EXPECT_GT(forecasts.guessed, 10);
  EXPECT_EQ(forecasts.guessed_true, forecasts.guessed);
}

TEST(Forecast, GuessesAreOftenRight) {
  int guessed = 0, right = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const Forecasts forecasts("unmaskfork", 2, uniform_rewards(seed), 0.5);
    guessed += forecasts.guessed;
    right += forecasts.guessed_true;
  }
  EXPECT_GT(2 * right, guessed);
}

TEST(Forecast, IndependentSamplesAreCertain) {
  const Forecasts forecasts("best-of-n", 1, uniform_rewards(1), 0.5);
  EXPECT_EQ(forecasts.certain, 59);
  EXPECT_EQ(forecasts.certain_true, 59);
}

TEST(Forecast, EverySearchHasOne) {
  for (const SearchEntry& entry : searches()) {
    const auto& [name, summary, traits] = entry.facts;
    // One walk, and nothing after it; or no walks at all.
    if (traits.remasks || !traits.works_ahead) continue;
    SCOPED_TRACE(name);
    const Forecasts forecasts(std::string(name), traits.one_action ? 1 : 4, uniform_rewards(5),
                              0.5);
    EXPECT_GT(forecasts.certain_true + forecasts.guessed_true, 0);
  }
}

}  // namespace
}  // namespace umf
