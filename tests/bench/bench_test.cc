// umf bench and umf status as their users see them.
#include <set>

#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

TEST_F(BenchCli, SeveralWorkersInOneProcessGiveTheSameResults) {
  ASSERT_EQ(umf(three("one")).status, 0);
  std::vector<std::string> words = three("four");
  words.insert(words.end(), {"--workers", "4"});
  const Finished run = umf(words);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(results("four"), results("one"));
  EXPECT_EQ(read_file(place("four/samples.jsonl")), read_file(place("one/samples.jsonl")));
  std::set<std::string> workers;
  for (const Json& line : lines_of(place("four/results.jsonl"))) workers.insert(line["worker"]);
  EXPECT_GT(workers.size(), 1);
  for (const char* folder : {"leases", "workers", "checkpoints"})
    EXPECT_TRUE(std::filesystem::is_empty(place(std::string("four/") + folder))) << folder;
}

// The file must be one that LiveCodeBench's custom evaluation takes, and that `umf grade` reads
// back.
TEST_F(BenchCli, LiveCodeBenchProgramsAreWrittenAsItsOwnGraderTakesThem) {
  const auto tests = [](const char* in, const char* out) {
    return Json::array({{{"input", in}, {"output", out}, {"testtype", "stdin"}}}).dump();
  };
  std::string lines;
  for (const char* id : {"lcb_b", "lcb_a"}) {
    lines += Json{{"question_title", "Echo"},
                  {"question_content", "Print the line."},
                  {"platform", "atcoder"},
                  {"question_id", id},
                  {"contest_id", "own"},
                  {"contest_date", "2026-01-01T00:00:00"},
                  {"starter_code", ""},
                  {"difficulty", "easy"},
                  {"metadata", "{}"},
                  {"public_test_cases", tests("a\n", "a\n")},
                  {"private_test_cases", tests("b\n", "b\n")}}
                 .dump() +
             "\n";
  }
  write_file(place("problems"), lines);
  const Finished run = umf(one("run", {"--budget", "16"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json outputs = Json::parse(read_file(place("run/samples/unmaskfork-16.json")));
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[0]["question_id"], "lcb_a") << "its evaluation wants them in order";
  EXPECT_EQ(outputs[1]["code_list"].size(), 1);
  const Finished graded =
      umf({"grade", place("problems"), place("run/samples/unmaskfork-16.json"), "--json"});
  EXPECT_EQ(graded.status, 0) << graded.err;
}

TEST_F(BenchCli, EveryProblemConfigurationAndBudgetHasOneLine) {
  const Finished run = umf(three("run"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("pass@1"));
  const auto lines = results("run");
  ASSERT_EQ(lines.size(), 5 * (3 + 3 + 2));
  EXPECT_EQ(lines[0]["id"], "letters/0");
  EXPECT_EQ(lines[0]["configuration"], "umf");
  EXPECT_EQ(lines[2]["budget"], 100);
  EXPECT_EQ(lines[7]["budget"], 64);
  for (const Json& line : lines) {
    EXPECT_EQ(line["status"], "done");
    EXPECT_EQ(line["search"]["nfe"], line["budget"]) << line;
    EXPECT_TRUE(line["passed"].is_boolean());
  }
  EXPECT_EQ(lines_of(place("run/samples.jsonl")).size(), lines.size());
  EXPECT_EQ(lines_of(place("run/samples/pair-64.jsonl")).size(), 5);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place("run/traces")), {}),
            5 * (1 + 1 + 2));
  for (const char* folder : {"leases", "workers", "checkpoints"})
    EXPECT_TRUE(std::filesystem::is_empty(place("run/") + folder)) << folder;
  const Json summary = Json::parse(read_file(place("run/summary.json")));
  EXPECT_EQ(summary["complete"], true);
  EXPECT_EQ(summary["groups"].size(), 8);
  EXPECT_EQ(summary["comparisons"].size(), 3) << "umf and bon at three budgets; none with pair";
}

TEST_F(BenchCli, TimeEndsEverySearchByItself) {
  const auto timed = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.end(), {"--search", "best-of-n", "--action", "model=dream,temperature=1",
                             "--window", "16", "--stop-at-reward", "never"});
    return umf(bench(out, more));
  };
  const Finished run = timed("run", {"--seconds", "0.1", "--budget", "16,100000000"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto lines = results("run");
  ASSERT_EQ(lines.size(), 10);
  for (const Json& line : lines) {
    EXPECT_EQ(line["status"], "done");
    // Sixteen passes are soon made; where the machine is busy, time may be up before, or with the
    // last of them.
    const std::string stopped = line["search"]["stopped"];
    const bool spent = line["budget"] == 16 && line["search"]["nfe"] == 16;
    if (spent)
      EXPECT_THAT(stopped, testing::AnyOf("budget", "time"));
    else
      EXPECT_EQ(stopped, "time");
  }
  // Again with the passes that the first problem's search made: the same answer.
  const std::string passes = std::to_string(lines[1]["search"]["nfe"].get<long>());
  ASSERT_EQ(timed("again", {"--budget", passes, "--limit", "1"}).status, 0);
  EXPECT_EQ(results("again")[0]["answer"], lines[1]["answer"]);
  EXPECT_EQ(results("again")[0]["reward"], lines[1]["reward"]);
  expect_refusal(umf({"bench", place("problems"), "--out", place("x"), "--model",
                      "dream=" + tiny("tiny-dream"), "--seconds", "1"}),
                 "with --seconds give a --budget");
  expect_refusal(timed("x", {"--seconds", "1", "--pool-budget", "64"}), "a pool shares passes");
}

TEST_F(BenchCli, BudgetsOfOneConfigurationShareTheirWalks) {
  ASSERT_EQ(umf(three("run")).status, 0);
  for (const Json& line : lines_of(place("run/results.jsonl"))) {
    if (line["configuration"] != "pair") continue;
    EXPECT_EQ(line["passes"], 32) << "the larger budget made only what the smaller had not";
    EXPECT_EQ(line["search"]["nfe"], line["budget"]) << "and counts all the same";
  }
}

TEST_F(BenchCli, PassesOfOneSearchForSeveralBudgetsAreCountedOnce) {
  ASSERT_EQ(umf(one("run")).status, 0);
  for (const Json& line : lines_of(place("run/results.jsonl"))) {
    if (line["budget"] == 100)
      EXPECT_GE(line["passes"], 100) << "with those that were cut for the smaller budgets";
    else
      EXPECT_EQ(line["passes"], 0);
  }
}

TEST_F(BenchCli, AProblemIsSearchedAsUmfSolveDoes) {
  ASSERT_EQ(umf(one("run")).status, 0);
  const std::string problem = read_file(place("problems"));
  write_file(place("first"), problem.substr(0, problem.find('\n')));
  for (const Json& line : results("run")) {
    if (line["id"] != "letters/0") continue;
    const Finished alone =
        umf({"solve", place("first"), "--json", "--quiet", "--window", "16", "--stop-at-reward",
             "never", "--budget", line["budget"].dump(), "--model", "dream=" + tiny("tiny-dream"),
             "--model", "llada=" + tiny("tiny-llada")});
    ASSERT_EQ(alone.status, 0) << alone.err;
    const Json solved = Json::parse(alone.out);
    EXPECT_EQ(line["answer"], solved["answer"]);
    EXPECT_EQ(line["reward"], solved["reward"]);
    EXPECT_EQ(line["best"], solved["best"]);
    for (const char* key : {"nfe", "rollouts", "hits", "saved_nfe", "switches", "evaluations"})
      EXPECT_EQ(line["search"][key], solved["search"][key]) << key << " at " << line["budget"];
  }
}

TEST_F(BenchCli, HiddenTestsDecideWhatPassesAndNothingElse) {
  ASSERT_EQ(umf(three("run")).status, 0);
  problems(5, {{"type", "text"}, {"checks", {{{"longer-than", 100000}}}}});
  ASSERT_EQ(umf(three("none")).status, 0);
  problems(5, {{"type", "text"}, {"checks", {{{"lacks", "no such text"}}}}});
  const Finished all = umf(three("all"));
  auto a = results("run"), b = results("none"), c = results("all");
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(b[i]["passed"], false);
    EXPECT_EQ(c[i]["passed"], true);
    for (Json* line : {&a[i], &b[i], &c[i]}) {
      line->erase("passed");
      line->erase("why");
    }
    EXPECT_EQ(a[i], b[i]);
    EXPECT_EQ(a[i], c[i]);
  }
  EXPECT_THAT(all.out, HasSubstr("100.0"));
}

TEST_F(BenchCli, AnotherConfigurationIsRefusedAndChangesNothing) {
  ASSERT_EQ(umf(one("run")).status, 0);
  const std::string config = read_file(place("run/config.json")),
                    lines = read_file(place("run/results.jsonl"));
  expect_refusal(umf(one("run", {"--window", "24"})), "/configurations/0/window = 16");
  expect_refusal(umf(one("run", {"--budget", "16,40"})), "/configurations/0/budgets");
  expect_refusal(umf(one("run", {"--seed", "1"})), "/configurations/0");
  expect_refusal(umf(one("run", {"--limit", "4"})), "/dataset");
  expect_refusal(umf(one("run", {"--backend", "reference"})), "/backend = \"cpu\"");
  EXPECT_EQ(read_file(place("run/config.json")), config);
  EXPECT_EQ(read_file(place("run/results.jsonl")), lines);
  EXPECT_EQ(umf(one("run", {"--resume"})).status, 0) << "the same once more has nothing to do";
  EXPECT_EQ(read_file(place("run/results.jsonl")), lines);
}

// The same files, read as another model.
TEST_F(BenchCli, AnotherFamilyOfTheSameFilesIsAnotherRun) {
  const auto run = [&](const std::string& family) {
    return umf({"bench", place("problems"), "--out", place("run"), "--model",
                "m=" + tiny("tiny-a2d") + family, "--action",
                "model=m,commit=one,temperature=0,strategy=low-confidence", "--budget", "16",
                "--window", "16", "--quiet"});
  };
  EXPECT_EQ(run("").status, 0);
  const Finished other = run("@a2d-block");
  EXPECT_NE(other.status, 0);
  EXPECT_THAT(other.err, HasSubstr("holds another run"));
}

TEST_F(BenchCli, RefusesWhatCannotBe) {
  expect_refusal(umf({"bench"}), "needs a data set");
  expect_refusal(umf({"bench", place("problems")}), "needs --out");
  expect_refusal(umf(bench("run", {"--budget", "16,x"})), "not 'x'");
  expect_refusal(umf(bench("run", {"--budget", "0"})), "not '0'");
  expect_refusal(umf(bench("run", {"--resume"})), "there is no run in");
  expect_refusal(umf(bench("run", {"--heartbeat", "0"})), "--heartbeat");
  expect_refusal(umf(bench("problems")), "cannot make");
  write_file(place("ids"), "letters/7\n");
  expect_refusal(umf(bench("run", {"--ids", place("ids")})), "letters/7");
  const auto with_configs = [&](const std::string& text) {
    write_file(place("bad"), text);
    return umf(bench("run", {"--configs", place("bad")}));
  };
  expect_refusal(with_configs("{}"), "must be a list");
  expect_refusal(with_configs("[{}]"), "entry 1: a configuration is an object with a 'name'");
  expect_refusal(with_configs(R"([{"name": "a/b"}])"), "'a/b' is none");
  expect_refusal(with_configs(R"([{"name": "a"}, {"name": "a"}])"), "'a' is there twice");
  expect_refusal(with_configs(R"([{"name": "a", "serach": "dts"}])"), "Did you mean --search?");
  expect_refusal(with_configs(R"([{"name": "a", "quiet": true}])"), "unknown option --quiet");
  expect_refusal(with_configs(R"([{"name": "a", "no-cahe": false}])"), "Did you mean --no-cache?");
  expect_refusal(with_configs(R"([{"name": "a", "window": true}])"), "bad: 'a'");
  expect_refusal(with_configs(R"([{"name": "a", "window": "x"}])"), "bad: 'a'");
  expect_refusal(with_configs(R"([{"name": "a", "window": {}}])"), "'window' takes");
  expect_refusal(with_configs(R"([{"name": "a", "search": "dts"}])"), "takes one action");
  EXPECT_FALSE(std::filesystem::exists(place("run"))) << "nothing was begun";
  expect_refusal(umf({"status"}), "needs the directory");
  expect_refusal(umf({"status", place("run")}), "there is no run");
}

}  // namespace
}  // namespace umf
