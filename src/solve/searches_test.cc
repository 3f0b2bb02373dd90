#include "solve/searches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "search/pair.h"
#include "search/rollout_cache.h"
#include "search/search_testing.h"

namespace umf {
namespace {

// Two actions where a search takes several. The cache stays empty: nothing is entered here.
SearchSetup setup_for(std::string_view name) {
  static const RolloutCache cache;
  const bool takes_one = name == "best-of-n" || name == "dts" || name == "remdm";
  return {.root = ToyWorld().root(), .actions = takes_one ? 1 : 2, .seed = 5, .cache = &cache};
}

TEST(Searches, EveryEntryMakesASearchThatRuns) {
  for (const SearchEntry& entry : searches()) {
    const std::string_view name = entry.facts.name;
    EXPECT_FALSE(entry.facts.summary.empty());
    EXPECT_NE(entry.make == nullptr, entry.run == nullptr) << name;
    if (entry.make == nullptr) continue;
    ToyWorld world;
    const auto search = make_search(name, setup_for(name));
    EXPECT_EQ(run(*search, world, 10).trials.size(), name == "remdm" ? 1 : 10) << name;
  }
}

TEST(Searches, EveryMethodOfWalksButPairCanBePaired) {
  for (const SearchEntry& entry : searches()) {
    const std::string_view name = entry.facts.name;
    SearchSetup setup = setup_for("pair");
    setup.budget = 160;
    setup.options.set<Pair>({.method = std::string(name)});
    if (name == "pair" || name == "treasure") {
      EXPECT_THROW(make_search("pair", setup), Error);
      continue;
    }
    ToyWorld world;
    const ToyRun result = run(*make_search("pair", setup), world, 500);
    EXPECT_LE(result.passes, 160) << name;
    EXPECT_EQ(result.trials.front().action, 0);
    EXPECT_EQ(result.trials.back().action, 1);
  }
}

TEST(Searches, RemdmIsOneFreshDrawFromTheRoot) {
  ToyWorld world;
  const auto search = make_search("remdm", setup_for("remdm"));
  const ToyRun result = run(*search, world, 10);
  EXPECT_EQ(result.trials, (std::vector<Trial>{{world.root().state, 0, 1}}));
}

TEST(Searches, UnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    make_search("best", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("ab-mcts-m"));
  }
}

TEST(Searches, OneActionSearchesRefuseAList) {
  EXPECT_THROW(make_search("dts", {.actions = 2}), Error);
  EXPECT_THROW(make_search("best-of-n", {.actions = 2}), Error);
  EXPECT_THROW(make_search("remdm", {.actions = 2}), Error);
  EXPECT_THROW(make_search("pair", {.actions = 3}), Error);
  EXPECT_THROW(check_search(find_search("treasure"), {.actions = 2}), Error);
}

}  // namespace
}  // namespace umf
