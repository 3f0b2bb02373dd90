#include "decode/commit_rule.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

using Indices = std::vector<int>;

CommitRule tau(float bound) { return {CommitRule::Kind::kTau, bound}; }
CommitRule frechet(float bound) { return {CommitRule::Kind::kFrechet, bound}; }

TEST(CommitRule, NamesAreReadAsTheyAreWritten) {
  for (const char* name : {"one", "tau:0.95", "tau:1", "frechet:0.25"})
    EXPECT_EQ(name_of(parse_commit_rule(name)), name);
  EXPECT_EQ(parse_commit_rule("tau:0.9").bound, 0.9f);
}

TEST(CommitRule, MistakesAreNamed) {
  for (const char* text : {"two", "", "tau", "frechet"})
    EXPECT_ERROR(parse_commit_rule(text), "there is no commit rule");
  for (const char* text :
       {"tau:", "tau:x", "tau:0", "tau:1.5", "tau:-1", "tau:nan", "frechet:0.5x"})
    EXPECT_ERROR(parse_commit_rule(text), "above 0 and at most 1");
}

TEST(CommitRule, OneIsNeverSure) {
  EXPECT_EQ(sure_offers({}, std::vector<Offer>{{1.0f}, {1.0f}}), Indices{});
}

TEST(CommitRule, TauTakesAllFromItsBoundOn) {
  const std::vector<Offer> offers = {{0.9f}, {0.95f}, {0.2f}, {0.949f}, {1.0f}};
  EXPECT_EQ(sure_offers(tau(0.95f), offers), (Indices{1, 4}));
  EXPECT_EQ(sure_offers(tau(1.0f), offers), Indices{4});
  EXPECT_EQ(sure_offers(tau(0.9f), std::vector<Offer>{{0.3f}}), Indices{});
  EXPECT_EQ(sure_offers(tau(0.9f), {}), Indices{});
}

TEST(CommitRule, TextComesBeforeWhatEndsIt) {
  const std::vector<Offer> mixed = {{0.99f}, {0.999f, true}, {0.5f}};
  EXPECT_EQ(sure_offers(tau(0.9f), mixed), Indices{0});
  // A text that is not sure still holds the ends back: they may be too early.
  EXPECT_EQ(sure_offers(tau(0.9f), std::vector<Offer>{{0.5f}, {0.999f, true}}), Indices{});
  EXPECT_EQ(sure_offers(tau(0.9f), std::vector<Offer>{{0.99f, true}, {0.1f, true}}), Indices{0});
  EXPECT_EQ(sure_offers(frechet(0.25f), mixed), Indices{0});
}

// sum of the n surest - (n - 1) - (1 - the least of them) > bound, written out.
TEST(CommitRule, FrechetTakesTheSurestWhileTheyAreSurelyRightTogether) {
  const std::vector<Offer> offers = {{0.8f}, {0.99f}, {0.9f}, {0.95f}};
  // n = 1: 0.99 - 0.01 = 0.98. 2: 1.94 - 1 - 0.05 = 0.89. 3: 2.84 - 2 - 0.1 = 0.74.
  // 4: 3.64 - 3 - 0.2 = 0.44.
  EXPECT_EQ(sure_offers(frechet(0.43f), offers), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(sure_offers(frechet(0.45f), offers), (Indices{1, 2, 3}));
  EXPECT_EQ(sure_offers(frechet(0.75f), offers), (Indices{1, 3}));
  EXPECT_EQ(sure_offers(frechet(0.9f), offers), Indices{1});
  EXPECT_EQ(sure_offers(frechet(0.99f), offers), Indices{});
}

TEST(CommitRule, OfEquallySureCellsTheFirstGoesFirst) {
  // n = 1: 0.8 - 0.2 = 0.6; n = 2: 1.6 - 1 - 0.2 = 0.4.
  EXPECT_EQ(sure_offers(frechet(0.5f), std::vector<Offer>{{0.8f}, {0.8f}, {0.8f}}), Indices{0});
}

}  // namespace
}  // namespace umf
