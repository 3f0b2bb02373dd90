#include "search/odds.h"

#include <gtest/gtest.h>

#include <climits>
#include <fstream>

#include "search/search_testing.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

SearchSetup setup(const ToyWorld& world, const RolloutCache& cache, const OddsOptions& options = {},
                  std::uint64_t seed = 0) {
  SearchSetup setup{
      .root = world.root(), .actions = world.actions(), .seed = seed, .cache = &cache};
  setup.options.set<Odds>(options);
  return setup;
}

TEST(OddsTable, SpecialCountsCorrectGeneralOnes) {
  const TemporaryDirectory place;
  const auto load = [&](const std::string& text) {
    std::ofstream(place / "table") << text;
    return OddsTable::load(place / "table");
  };
  const CandidateTraits traits{.kind = CandidateKind::kSuffix, .from = 1, .to = 2, .level = 0};
  const double general = OddsTable().probability(traits);
  EXPECT_GT(general, 0);
  EXPECT_NEAR(load(R"({"suffix": [96, 50]})").probability(traits), (50 + 4 * general) / 100, 1e-12);
  const double both =
      load(R"({"suffix": [96, 50], "suffix to 2": [0, 0], "suffix to 2 from 1": [4, 4]})")
          .probability(traits);
  EXPECT_NEAR(both, (4 + 4 * (50 + 4 * general) / 100) / 8, 1e-12);
  for (const char* text : {"[]", R"({"line": 3})", R"({"line": [1, 2]})", R"({"line": [1, -1]})"})
    EXPECT_THROW(load(text), Error) << text;
  EXPECT_THROW(OddsTable::load(place / "nothing"), Error);
}

TEST(Odds, WholeAnswersComeFirstAndCheapOnesBeforeDearOnes) {
  ToyWorld world;
  RolloutCache cache;
  Odds search(setup(world, cache, {.no_reopening = true}));
  std::vector<Trial> trials;
  while (trials.size() < 6) {
    const std::optional<Trial> trial = search.ask();
    ASSERT_TRUE(trial);
    EXPECT_EQ(search.ask(), trial) << "asking again gives the same";
    trials.push_back(*trial);
    search.tell(*trial, world.walk(*trial, INT_MAX));
  }
  EXPECT_EQ(trials[0], (Trial{0, 0}));
  EXPECT_EQ(trials[1], (Trial{0, 1}));
  for (std::size_t i = 2; i < trials.size(); ++i) EXPECT_NE(trials[i].from, 0);
}

TEST(Odds, NothingIsTriedTwiceAndItEnds) {
  for (const char* order : {"odds", "random", "age"}) {
    ToyWorld world;
    RolloutCache cache;
    Odds search(setup(world, cache, {.order = order, .no_reopening = true}, 3));
    std::set<std::pair<StateId, int>> tried;
    while (const std::optional<Trial> trial = search.ask()) {
      EXPECT_TRUE(tried.insert({trial->from, trial->action}).second) << order;
      ASSERT_LT(tried.size(), 1000u);
      search.tell(*trial, world.walk(*trial, INT_MAX));
    }
    EXPECT_GT(tried.size(), 10u);
  }
}

// An end that can be opened to two states; ends below them, too, up to the depth.
TEST(Odds, OpenedTextsAreFilledByOthersUpToTheDepth) {
  for (const int depth : {0, 1, 3}) {
    RolloutCache cache;
    SearchSetup made{.root = {0, 8}, .actions = 2, .cache = &cache};
    made.options.set<Odds>({.depth = depth});
    Odds search(made);
    EXPECT_TRUE(search.wants_openings());
    StateId next = 1;
    std::map<StateId, std::pair<int, int>>
        opened;  // by state: how deep, and by whom it was written
    int deepest = 0, rollouts = 0;
    while (const std::optional<Trial> trial = search.ask()) {
      ASSERT_LT(++rollouts, 10000);
      int at = 0;
      if (trial->from != 0) {
        EXPECT_NE(opened.at(trial->from).second, trial->action);
        at = opened.at(trial->from).first;
      }
      deepest = std::max(deepest, at);
      Outcome outcome{.path = {{next++, 0}}, .passes_at = {4}, .passes = 4};
      for (int i = 0; i < 2; ++i) {
        outcome.openings.push_back({.kind = Opening::Kind::kLine, .place = {next, 2}});
        opened[next++] = {at + 1, trial->action};
      }
      search.tell(*trial, outcome);
    }
    EXPECT_EQ(deepest, depth);
  }
}

TEST(Odds, EveryOtherPaidRolloutIsUnMaskForks) {
  ToyWorld world;
  RolloutCache cache;
  Odds search(setup(world, cache, {.no_reopening = true, .dovetail = true}));
  UnMaskFork alone(world.actions(), world.root(), {}, cache);
  for (int i = 0; i < 20; ++i) {
    const std::optional<Trial> trial = search.ask();
    ASSERT_TRUE(trial);
    const Outcome outcome = world.walk(*trial, INT_MAX);
    if (i % 2 == 1) {
      EXPECT_EQ(trial, alone.ask());
      alone.tell(*trial, outcome);
    }
    search.tell(*trial, outcome);
  }
}

TEST(Odds, MistakesAreNamed) {
  ToyWorld world;
  RolloutCache cache;
  EXPECT_ERROR(Odds(setup(world, cache, {.order = "best"})), "odds order is 'best'");
  EXPECT_ERROR(Odds(setup(world, cache, {.depth = -1})), "odds depth must be 0 or more");
}

}  // namespace
}  // namespace umf
