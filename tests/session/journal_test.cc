// A search that was cut off anywhere goes on as if nothing had happened.
#include "session/journal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "base/files.h"
#include "search/unmaskfork.h"
#include "session/decoding_world.h"
#include "solve/searches.h"
#include "solve/solve.h"
#include "support/expect_error.h"
#include "support/journal_entries.h"
#include "support/judged_walks.h"
#include "support/search_worlds.h"

namespace umf {
namespace {

constexpr int kWindow = 20;
const Json kConfiguration = {{"models", {"a", "b"}}, {"window", kWindow}};

struct Plan {
  SolveOptions options = {.budget = 7 * kWindow};
  std::string search = "unmaskfork";
  double exploration = 1;
  std::function<double(std::string_view)> worth = worth_of;
  Json configuration = kConfiguration;
};

// What a user sees of a search, and what it cost to get there.
struct Report {
  std::string result, trace;
  long passes = 0, judgements = 0;  // made in this run
  int replayed = 0;
};

std::string describe(const Ledger& ledger) {
  std::string text =
      fmt::format("nfe {} hits {} misses {} saved {}/{} switches {} evaluations {} judged {}",
                  ledger.nfe, ledger.hits, ledger.misses, ledger.saved_full, ledger.saved_capped,
                  ledger.switches, ledger.evaluations, ledger.judged);
  for (const ActionUse& use : ledger.actions)
    text += fmt::format(" [{} {}]", use.nfe, use.best_reward.value_or(-1));
  return text;
}

std::string describe(const std::optional<Candidate>& best, const States& states) {
  if (!best) return "nothing";
  return fmt::format("state {} {} complete {} iteration {} path {} why '{}' text '{}'", best->end,
                     best->reward, best->complete, best->iteration, fmt::join(best->actions, ""),
                     best->why, states.text(best->end));
}

// Searches with a journal at `path`, or without one. `stop_after` ends the search as Ctrl-C does.
Report run(const Plan& plan, const std::filesystem::path& path = {}, long stop_after = LONG_MAX) {
  HashingModels models;
  States states(models.setup(kWindow));
  Judge judge(plan.worth);
  RememberingReward reward(judge, RememberingReward::Failures::kKept);
  long passes = 0;
  DecodingWorld decoding(states, reward, [&](const Pass&) { return ++passes < stop_after; });
  CountingWorld counting(decoding);
  std::optional<Journal> journal;
  if (!path.empty())
    journal.emplace(counting, path, plan.configuration, journal_states(states, reward));
  World& world = journal ? static_cast<World&>(*journal) : counting;
  RolloutCache known;
  SearchSetup setup{.root = world.root(), .actions = world.actions(), .seed = 3, .cache = &known};
  setup.options.set<UnMaskFork>({.exploration = plan.exploration});
  const auto search = make_search(plan.search, setup);
  Report report;
  const Solution solution =
      solve(*search, world, known, plan.options, [&](const RolloutEvent& event) {
        report.trace +=
            fmt::format("{} {} {} {} {} {} {} {}\n", event.trial.from, event.trial.action,
                        event.trial.draw, event.outcome.cached, event.outcome.path.front().state,
                        event.outcome.path.back().state, event.outcome.reward, event.ledger.nfe);
        if (event.verdict == nullptr) return true;
        for (const TestVerdict& test : event.verdict->tests)
          report.trace += fmt::format("  {} {} {} {}\n", test.name, name_of(test.outcome), test.why,
                                      fmt::join(test.lines, " "));
        return true;
      });
  report.result =
      fmt::format("{} {} | {} | {} {}", name_of(solution.stopped), solution.message,
                  describe(solution.best, states), describe(solution.ledger), search->nodes());
  for (const CurvePoint& point : solution.curve)
    report.result += fmt::format(" | {} {}", point.budget, describe(point.ledger));
  report.passes = counting.passes;
  report.judgements = static_cast<long>(judge.texts.size());
  report.replayed = journal ? journal->replayed() : 0;
  return report;
}

void expect_same(const Report& report, const Report& expected) {
  EXPECT_EQ(report.result, expected.result);
  EXPECT_EQ(report.trace, expected.trace);
}

std::vector<std::size_t> line_ends(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ends.push_back(i + 1);
  }
  return ends;
}

class Journals : public testing::TestWithParam<const char*> {
 protected:
  Plan plan() const { return {.search = GetParam()}; }
};

TEST_P(Journals, ASearchCutAfterAnyEntryGoesOnAsIfItHadNot) {
  const Report expected = run(plan());
  const TemporaryDirectory directory;
  expect_same(run(plan(), directory / "whole"), expected);
  const std::string whole = read_file(directory / "whole");
  const std::vector<std::size_t> ends = line_ends(whole);
  ASSERT_GT(ends.size(), 10);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    SCOPED_TRACE(fmt::format("after {} lines", i + 1));
    write_file(directory / "part", std::string_view(whole).substr(0, ends[i]));
    const Report resumed = run(plan(), directory / "part");
    expect_same(resumed, expected);
    EXPECT_EQ(resumed.replayed, i) << "every entry is used";
    EXPECT_TRUE(journal_entries(read_file(directory / "part")) == journal_entries(whole))
        << "and the file is completed";
  }
  const Report again = run(plan(), directory / "whole");
  EXPECT_EQ(again.passes, 0);
  EXPECT_EQ(again.judgements, 0);
}

TEST_P(Journals, ALineThatWasTornIsWrittenAgain) {
  const Report expected = run(plan());
  const TemporaryDirectory directory;
  run(plan(), directory / "whole");
  const std::string whole = read_file(directory / "whole");
  std::mt19937 rng(4);
  for (int i = 0; i < 60; ++i) {
    const std::size_t bytes = i < 20 ? i : rng() % whole.size();  // the first line too
    SCOPED_TRACE(fmt::format("after {} bytes", bytes));
    write_file(directory / "part", std::string_view(whole).substr(0, bytes));
    expect_same(run(plan(), directory / "part"), expected);
    EXPECT_TRUE(journal_entries(read_file(directory / "part")) == journal_entries(whole));
  }
}

INSTANTIATE_TEST_SUITE_P(Searches, Journals, testing::Values("unmaskfork", "ab-mcts-a"),
                         [](const auto& info) {
                           return std::string(info.param) == "unmaskfork" ? "unmaskfork" : "drawn";
                         });

TEST(Journal, AnInterruptedRunIsContinued) {
  const Report expected = run({});
  for (long stop = 1; stop < 7 * kWindow; stop += 13) {
    SCOPED_TRACE(stop);
    const TemporaryDirectory directory;
    run({}, directory / "j", stop);
    expect_same(run({}, directory / "j"), expected);
  }
}

TEST(Journal, ALargerBudgetContinuesASmallerOne) {
  const TemporaryDirectory directory;
  long spent = 0;
  for (const long budget : {13L, 57L, 101L, 140L, 239L}) {
    SCOPED_TRACE(budget);
    Plan plan;
    plan.options.budget = budget;
    const Report expected = run(plan);
    const Report continued = run(plan, directory / "j");
    expect_same(continued, expected);
    EXPECT_LE(continued.passes, budget - spent + kWindow) << "only the cut rollout is made again";
    spent = budget;
  }
}

TEST(Journal, ACurveIsRecordedToo) {
  Plan plan;
  plan.options.curve = {30, 50, 90, 139};
  const Report expected = run(plan);
  const TemporaryDirectory directory;
  run(plan, directory / "whole");
  const std::string whole = read_file(directory / "whole");
  for (const std::size_t end : line_ends(whole)) {
    write_file(directory / "part", std::string_view(whole).substr(0, end));
    expect_same(run(plan, directory / "part"), expected);
  }
}

TEST(Journal, AnEndThatIsReachedAgainIsRecordedAndJudgedOnce) {
  Plan plan;
  plan.options = {.budget = 20 * kWindow, .use_cache = false};
  const TemporaryDirectory directory;
  const Report expected = run(plan, directory / "j");
  std::set<int> ends;
  int verdicts = 0;
  for (const Json& line : journal_entries(read_file(directory / "j"))) {
    if (!line.contains("entry") || !line["entry"].contains("verdict")) continue;
    ++verdicts;
    ends.insert(line["entry"]["verdict"]["of"].get<int>());
  }
  EXPECT_EQ(verdicts, ends.size());
  EXPECT_LT(verdicts, std::ranges::count(expected.trace, '\n')) << "not an example of it";
  const Report again = run(plan, directory / "j");
  expect_same(again, expected);
  EXPECT_EQ(again.judgements, 0);
}

// Options that the file does not name change the order of the questions; an answer belongs to its
// question, not to its place.
TEST(Journal, OtherOptionsNeverTakeTheWrongAnswers) {
  std::vector<Plan> plans(7);
  plans[1].options.use_cache = false;
  plans[2].exploration = 0.01;
  plans[3].exploration = 9;
  plans[4].options.policy = BudgetPolicy::kFinish;
  plans[5].options.curve = {30, 90};
  plans[6].options.budget = 60;
  for (const Plan& first : plans) {
    for (const Plan& second : plans) {
      const TemporaryDirectory directory;
      run(first, directory / "j");
      expect_same(run(second, directory / "j"), run(second));
    }
  }
}

TEST(Journal, RewardsThatAreNoNumbersSurvive) {
  const auto wild = [](std::string_view answer) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kWild[] = {std::numeric_limits<double>::quiet_NaN(), -kInfinity, 0.1, -7,
                                1e-300};
    return kWild[static_cast<int>(worth_of(answer) * 999) % 5];
  };
  const Plan plan{.worth = wild};
  const TemporaryDirectory directory;
  const Report expected = run(plan, directory / "j");
  const Report again = run(plan, directory / "j");
  expect_same(again, expected);
  EXPECT_LE(again.judgements, 1) << "the judge that failed last is asked once more";
}

TEST(Journal, TheJudgeThatFailedLastIsAskedAgain) {
  int judged = 0;
  Plan broken{.worth = [&](std::string_view answer) {
    return ++judged > 3 ? std::numeric_limits<double>::quiet_NaN() : worth_of(answer);
  }};
  broken.options.judge_failures = 3;
  const TemporaryDirectory directory;
  const Report failed = run(broken, directory / "j");
  EXPECT_THAT(failed.result, testing::HasSubstr("the judge failed 3 times in a row"));
  EXPECT_EQ(failed.judgements, 6);
  const Report mended = run({}, directory / "j");
  expect_same(mended, run({}));
  EXPECT_EQ(mended.replayed, 7) << "three walks with their verdicts, and the next walk";
}

TEST(Journal, AFileOfAnotherSearchIsRefusedAndKept) {
  const TemporaryDirectory directory;
  run({}, directory / "j");
  const std::string before = read_file(directory / "j");
  EXPECT_ERROR(run({.configuration = {{"window", 21}}}, directory / "j"),
               "belongs to another search");
  EXPECT_EQ(read_file(directory / "j"), before);
}

TEST(Journal, WhatAnotherKindOfDeviceHasBegunIsAnotherSearchUnlessKindsAreMixed) {
  const TemporaryDirectory directory;
  const auto path = directory / "j";
  const Json window = {{"window", 20}};
  const auto on = [&](const std::string& device, bool mix = false) {
    return Plan{.configuration = on_device(window, device, path, mix)};
  };
  const Report whole = run(on("A"), directory / "other");
  run(on("A"), path, 40);
  EXPECT_ERROR(run(on("B"), path), "belongs to another search");
  EXPECT_ERROR(run(on(""), path), "belongs to another search");
  const Report mixed = run(on("B", true), path);
  EXPECT_GT(mixed.replayed, 0);
  expect_same(mixed, whole);
  EXPECT_GT(run(on("A"), path).replayed, 0) << "it is still called by who began it";

  std::filesystem::remove(path);
  run({.configuration = window}, path);
  EXPECT_GT(run(on("B"), path).replayed, 0) << "an earlier version did not say";
}

TEST(Journal, AFileOfAnotherKindIsRefusedAndKept) {
  const TemporaryDirectory directory;
  for (const std::string text :
       {"{\"id\": \"a problem\"}\n", "{\"id\": \"without a line end\"}", "notes", "[1]\n", "7\n",
        "{\"kind\": 3}\n", "{\"kind\": \"umf-journal-5\"}\n", "{\"kind\":\"umf-journal-4\"",
        "not JSON\n", "\n", "{\"configuration\":{\"models\":[\"other"}) {
    SCOPED_TRACE(text);
    write_file(directory / "j", text);
    EXPECT_THROW(run({}, directory / "j"), Error);
    EXPECT_EQ(read_file(directory / "j"), text);
  }
  write_file(directory / "j", "{\"id\": \"without a line end\"}");
  EXPECT_ERROR(run({}, directory / "j"), "is not a checkpoint of a search");
}

TEST(Journal, DamageInsideIsAnErrorAndNeverAnotherAnswer) {
  const Report expected = run({});
  const TemporaryDirectory directory;
  run({}, directory / "whole");
  const std::string whole = read_file(directory / "whole");
  std::mt19937 rng(5);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    const std::size_t at = rng() % (whole.size() - 1);  // not the last line end: that is a tear
    damaged[at] = i % 2 == 0 ? static_cast<char>('0' + rng() % 10) : static_cast<char>(rng());
    if (i % 7 == 0) damaged.insert(at, "garbage");
    if (i % 11 == 0) damaged.erase(at, 1 + rng() % 40);
    write_file(directory / "part", damaged);
    SCOPED_TRACE(fmt::format("damage {} at byte {}", i, at));
    try {
      expect_same(run({}, directory / "part"), expected);
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), testing::HasSubstr((directory / "part").string()));
    }
  }
  EXPECT_GT(refused, 200);
}

TEST(Journal, AFileThatAnotherSearchWritesIsRefused) {
  const TemporaryDirectory directory;
  HashingModels models;
  States states(models.setup(kWindow));
  Judge judge(worth_of);
  RememberingReward reward(judge, RememberingReward::Failures::kKept);
  DecodingWorld world(states, reward, {});
  const auto journal = [&] {
    return std::make_unique<Journal>(world, directory / "j", kConfiguration,
                                     journal_states(states, reward));
  };
  auto first = journal();
  EXPECT_ERROR(journal(), "is the checkpoint of a search that is still running");
  first.reset();
  journal();
}

TEST(Journal, APipeIsRefusedAtOnce) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "j").c_str(), 0600), 0);
  EXPECT_ERROR(run({}, directory / "j"), "it is not a regular file");
  EXPECT_ERROR(run({}, "/dev/zero"), "cannot write '/dev/zero': it is not a regular file");
}

TEST(Journal, AFileThatCannotBeWrittenIsNamed) {
  EXPECT_ERROR(run({}, "/no/such/folder/j"), "cannot write '/no/such/folder/j'");
  const TemporaryDirectory directory;
  EXPECT_THROW(run({}, directory.path()), Error);
}

}  // namespace
}  // namespace umf
