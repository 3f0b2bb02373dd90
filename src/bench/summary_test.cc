#include "bench/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/run_tables.h"
#include "bench/seeded_statistics.h"

namespace umf {
namespace {

using testing::HasSubstr;
using Results = std::map<ResultKey, Result>;

Manifest manifest_of(int problems, const std::vector<Manifest::Entry>& configurations) {
  Manifest manifest;
  for (int i = 0; i < problems; ++i) manifest.ids.push_back(std::to_string(i));
  manifest.configurations = configurations;
  return manifest;
}

void add(Results& results, const ResultKey& key, std::optional<bool> passed,
         ResultStatus status = ResultStatus::kDone) {
  Result r;
  r.key = key;
  r.status = status;
  r.passed = passed;
  r.reward = passed.value_or(false) ? 1 : 0.25;
  r.nfe = 100;
  r.rollouts = 4;
  r.hits = std::stoi(key.id) % 2 == 0 ? 4 : 1;
  r.switches = 2;
  r.unmask_seconds = 3;
  r.peak_memory_bytes = 1000 + std::stoi(key.id);
  results[key] = r;
}

TEST(Summary, SharesAndMeansAreOverWhatWasJudged) {
  const Manifest manifest = manifest_of(6, {{"umf", {16}}});
  Results results;
  add(results, {"0", "umf", 16}, true);
  add(results, {"1", "umf", 16}, true);
  add(results, {"2", "umf", 16}, false);
  add(results, {"3", "umf", 16}, std::nullopt, ResultStatus::kUnjudged);
  add(results, {"4", "umf", 16}, std::nullopt, ResultStatus::kFailed);
  const auto summary = summarise(manifest, results);
  EXPECT_EQ(summary["complete"], false);
  const auto group = summary["groups"][0];
  EXPECT_EQ(group["done"], 3);
  EXPECT_EQ(group["failed"], 2);
  EXPECT_EQ(group["missing"], 1);
  EXPECT_NEAR(group["pass@1"].get<double>(), 2.0 / 3, 1e-12) << "a failed judge is no wrong answer";
  EXPECT_NEAR(group["interval"][0].get<double>(), 0.2077, 1e-4);
  EXPECT_NEAR(group["mean_reward"].get<double>(), 2.25 / 3, 1e-12);
  EXPECT_NEAR(group["hit_rate"].get<double>(), 9.0 / 12, 1e-12) << "sums, not a mean of rates";
  EXPECT_EQ(group["switches"], 2);
  EXPECT_EQ(group["seconds"]["unmask"], 3);
  EXPECT_EQ(group["peak_memory_bytes"], 1002);
  EXPECT_THAT(summary_text(summary), HasSubstr("66.7"));
  EXPECT_THAT(summary_text(summary), HasSubstr("failed  missing\n"));
  EXPECT_THAT(summary_text(summary), HasSubstr("     2        1\n"));
}

TEST(Summary, ConfigurationsAreComparedOnTheProblemsTheyShare) {
  const Manifest manifest = manifest_of(9, {{"umf", {16, 32}}, {"bon", {16, 32}}, {"other", {64}}});
  Results results;
  for (int i = 0; i < 8; ++i) {
    const std::string id = std::to_string(i);
    add(results, {id, "umf", 32}, i < 7);
    add(results, {id, "bon", 32}, i == 0 || i == 7);
  }
  add(results, {"8", "umf", 32}, true);  // the other has none
  const auto summary = summarise(manifest, results);
  ASSERT_EQ(summary["comparisons"].size(), 2) << "no budget in common with the third";
  EXPECT_EQ(summary["comparisons"][0]["problems"], 0);
  const auto pair = summary["comparisons"][1];
  EXPECT_EQ(pair["budget"], 32);
  EXPECT_EQ(pair["problems"], 8);
  EXPECT_EQ(pair["only_first"], 6);
  EXPECT_EQ(pair["only_second"], 1);
  EXPECT_NEAR(pair["difference"].get<double>(), 5.0 / 8, 1e-12);
  EXPECT_NEAR(pair["mcnemar_p"].get<double>(), 0.125, 1e-12);
  EXPECT_LT(pair["interval"][0], pair["difference"]);
  EXPECT_GT(pair["interval"][1], pair["difference"]);
  EXPECT_THAT(summary_text(summary), HasSubstr("+62.5"));
}

TEST(Summary, TextsFitATerminal) {
  const std::string one = "a-configuration-of-some-length", other = "and-another-of-such-a-length";
  const Manifest manifest = manifest_of(9, {{one, {12288}}, {other, {12288}}});
  Results results;
  for (int i = 0; i < 9; ++i) {
    add(results, {std::to_string(i), one, 12288}, i < 8);
    add(results, {std::to_string(i), other, 12288}, i < 2);
  }
  for (auto& [key, result] : results) {
    result.partial_nfe = 12000;
    result.equivalents = 4000;
    result.unmask_seconds = 1234.5;
    result.saved_nfe = 10000;
  }
  std::istringstream text(summary_text(summarise(manifest, results)));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80) << line;
}

TEST(Summary, ARunWithoutHiddenTestsHasNoPassRate) {
  const Manifest manifest = manifest_of(1, {{"umf", {16}}});
  Results results;
  add(results, {"0", "umf", 16}, std::nullopt);
  const auto summary = summarise(manifest, results);
  EXPECT_EQ(summary["complete"], true);
  EXPECT_EQ(summary["groups"][0]["pass@1"], nullptr);
  EXPECT_EQ(summary["groups"][0]["done"], 1);
}

// 3 x 20 passes in quanta of 10 for the problems that were searched: 4 + 10 + 10, 10 + 10, and 10
// for the first that is open.
TEST(Summary, APoolIsOverTheProblemsThatWereSearched) {
  const Pool pool{.budget = 20, .quantum = 10, .cap = 40};
  const Manifest manifest = manifest_of(5, {{"umf", {20}, pool}, {"bon", {20}}});
  Results results;
  for (const long step : pool.steps()) {
    for (const char* id : {"0", "1", "3"}) {
      const bool solved = *id == '0', late = *id == '1' && step >= 30;
      add(results, {id, "umf", step}, solved || late);
      Result& result = results[{id, "umf", step}];
      result.nfe = solved ? 4 : step;
      result.stopped = solved ? "reward" : "budget";
      result.passes = step == 40 ? 100 : 0;
    }
    add(results, {"2", "umf", step}, std::nullopt, ResultStatus::kFailed);
  }
  const auto summary = summarise(manifest, results);
  EXPECT_EQ(summary["groups"].size(), 2);
  ASSERT_EQ(summary["pools"]["groups"].size(), 1);
  const auto group = summary["pools"]["groups"][0];
  EXPECT_EQ(group["budget"], 20);
  EXPECT_EQ(group["pool"]["passes"], 60);
  EXPECT_EQ(group["pool"]["spent"], 54);
  EXPECT_EQ(group["pool"]["budgets"], (std::vector<long>{10, 30, 0, 20, 0}));
  EXPECT_EQ(group["passed"], 2);
  EXPECT_EQ(group["done"], 3);
  EXPECT_EQ(group["failed"], 1);
  EXPECT_EQ(group["missing"], 1);
  EXPECT_EQ(group["nfe"], 18);
  EXPECT_EQ(group["passes"], 3 * 100) << "of whole searches, which stand with the largest step";
  EXPECT_EQ(summary["complete"], false);
  EXPECT_THAT(summary_text(summary),
              HasSubstr("54 of 60 passes spent in 3 rounds of 10; problems in the last: 1"));
}

// Seeds 1 and 2 of three problems: 2 of 2, 1 of 2, and 0 of 1 that was judged.
TEST(Summary, SeveralSeedsAreOneConfiguration) {
  Manifest manifest = manifest_of(3, {{"umf", {16}}, {"bon", {16}}});
  for (Manifest::Entry& entry : manifest.configurations) entry.seeds = {1, 2};
  Results results;
  add(results, {"0", "umf", 16, 1}, true);
  add(results, {"0", "umf", 16, 2}, true);
  add(results, {"1", "umf", 16, 1}, true);
  add(results, {"1", "umf", 16, 2}, false);
  add(results, {"2", "umf", 16, 1}, false);
  add(results, {"2", "umf", 16, 3}, true);  // of a seed that the run does not have
  const auto summary = summarise(manifest, results);
  EXPECT_EQ(summary["groups"].size(), 2);
  const auto group = summary["groups"][0];
  EXPECT_EQ(group["judged"], 5);
  EXPECT_EQ(group["missing"], 1);
  EXPECT_NEAR(group["pass@1"].get<double>(), 0.5, 1e-12) << "the mean over problems";
  const std::vector<double> shares = {1, 0.5, 0};
  EXPECT_NEAR(group["interval"][0].get<double>(), clustered_interval(shares, 5).low, 1e-12);
  ASSERT_EQ(group["seeds"].size(), 2);
  EXPECT_EQ(group["seeds"][0]["passed"], 2);
  EXPECT_EQ(group["seeds"][0]["judged"], 3);
  EXPECT_EQ(group["seeds"][1]["pass@1"], 0.5);
  EXPECT_THAT(summary_text(summary), HasSubstr("2: 50.0 to 66.7"));
  EXPECT_EQ(seeds_of(summary["groups"]).size(), 4);
}

TEST(Summary, MixedDevicesAreAMark) {
  Manifest manifest = manifest_of(1, {{"umf", {16}}});
  EXPECT_FALSE(summarise(manifest, {}).contains("devices"));
  manifest.devices = {"A"};
  EXPECT_FALSE(summarise(manifest, {}).contains("mixed_devices"));
  manifest.devices = {"A", "B"};
  const auto summary = summarise(manifest, {});
  EXPECT_EQ(summary["mixed_devices"], true);
  EXPECT_THAT(summary_text(summary), HasSubstr("mixed devices: A; B"));
}

}  // namespace
}  // namespace umf
