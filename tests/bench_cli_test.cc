// umf bench and umf status as their users see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "cli_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;
using OrderedJson = nlohmann::ordered_json;

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

Json text_checks(const std::string& letters) {
  Json checks = Json::array();
  for (const char c : letters) checks.push_back({{"contains", std::string(1, c)}});
  return {{"type", "text"}, {"checks", checks}};
}

std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

// The files of a folder, without drafts that one who was killed has left.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".tmp-") == std::string::npos) files[name] = read_file(entry.path());
  }
  return files;
}

class BenchCli : public testing::Test {
 protected:
  BenchCli() {
    problems(5, text_checks("ae"));
    write_file(place("configs"), R"([
      {"name": "umf", "action": ["model=dream,temperature=0.4", "model=llada"]},
      {"name": "bon", "no-cache": false, "search": "best-of-n", "action": ["model=llada,temperature=0.8"]},
      {"name": "pair", "search": "pair", "budget": [32, 64],
       "action": ["model=dream,temperature=0.7", "model=llada,temperature=0.8"]}])");
  }
  std::string place(const std::string& name) const { return directory_ / name; }

  void problems(int count, const Json& hidden) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      lines += Json{{"id", "letters/" + std::to_string(i)},
                    {"prompt", "Write letters, as number " + std::to_string(i)},
                    {"reward", text_checks("aeiot#q")},
                    {"hidden", hidden}}
                   .dump() +
               "\n";
    }
    write_file(place("problems"), lines);
  }

  // Without a choice: all three configurations in a window of 16.
  std::vector<std::string> bench(const std::string& out,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"bench",     place("problems"),
                                      "--out",     place(out),
                                      "--model",   "dream=" + tiny("tiny-dream"),
                                      "--model",   "llada=" + tiny("tiny-llada"),
                                      "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const auto add = [&](const char* option, const std::string& value) {
      if (std::find(words.begin(), words.end(), option) != words.end()) return;
      words.insert(words.end(), {option, value});
    };
    add("--window", "16");
    add("--stop-at-reward", "never");
    add("--budget", "16,40,100");
    add("--heartbeat", "0.2");
    return words;
  }
  std::vector<std::string> three(const std::string& out) const {
    return bench(out, {"--configs", place("configs"), "--quiet"});
  }
  std::vector<std::string> one(const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--action", "model=dream", "--action", "model=llada", "--quiet"});
    return bench(out, more);
  }

  // The results in order, without what differs from run to run.
  std::vector<Json> results(const std::string& out) const {
    std::vector<Json> lines = lines_of(place(out + "/results.jsonl"));
    for (Json& line : lines) {
      for (const char* key : {"seconds", "passes", "peak_memory_bytes", "worker", "finished"})
        line.erase(key);
    }
    return lines;
  }
  Json status(const std::string& out) const {
    const Finished run = umf({"status", place(out), "--json"});
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
  }

  TemporaryDirectory directory_;
};

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

TEST_F(BenchCli, BudgetsOfOneConfigurationShareTheirWalks) {
  ASSERT_EQ(umf(three("run")).status, 0);
  for (const Json& line : lines_of(place("run/results.jsonl"))) {
    if (line["configuration"] != "pair") continue;
    EXPECT_EQ(line["passes"], 32) << "the larger budget made only what the smaller had not";
    EXPECT_EQ(line["search"]["nfe"], line["budget"]) << "and counts all the same";
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

// ---- judges that fail

TEST_F(BenchCli, AFailedJudgeIsNeverAWrongAnswerAndIsAskedAgain) {
  const std::string judge = "cat > /dev/null; test -e " + place("works") + " && echo 1";
  problems(3, {{"type", "command"}, {"argv", {"sh", "-c", judge}}});
  const Finished first = umf(one("run", {"--budget", "16,40"}));
  EXPECT_EQ(first.status, 1) << first.err;
  EXPECT_THAT(first.out, HasSubstr("3 failed"));
  for (const Json& line : results("run")) {
    EXPECT_EQ(line["status"], "unjudged");
    EXPECT_EQ(line["passed"], nullptr);
  }
  const Json now = status("run");
  EXPECT_EQ(now["failed"], 6);
  EXPECT_EQ(now["complete"], false);
  EXPECT_THAT(now["failures"][0]["why"].get<std::string>(), HasSubstr("judge"));
  EXPECT_EQ(Json::parse(read_file(place("run/summary.json")))["groups"][0]["pass@1"], nullptr);

  EXPECT_EQ(umf(one("run", {"--budget", "16,40"})).status, 1) << "tried again, in vain";
  EXPECT_EQ(results("run")[0]["tries"], 2);
  write_file(place("works"), "");
  std::filesystem::remove_all(place("run/traces"));  // a search would need it
  const Finished second = umf(one("run", {"--budget", "16,40"}));
  EXPECT_EQ(second.status, 0) << second.err;
  for (const Json& line : results("run")) {
    EXPECT_EQ(line["passed"], true);
    EXPECT_EQ(line["tries"], 3);
  }
}

TEST_F(BenchCli, ASearchThatBreaksDownIsRecordedAndTriedAgain) {
  std::string lines = read_file(place("problems"));
  write_file(place("problems"),
             lines +
                 Json{{"id", "broken"},
                      {"prompt", "x"},
                      {"reward", {{"type", "command"}, {"argv", {place("judge")}}}},
                      {"hidden", nullptr}}
                     .dump() +
                 "\n");
  const Finished first = umf(one("run", {"--budget", "16"}));
  EXPECT_EQ(first.status, 1) << first.err;
  EXPECT_EQ(results("run").back()["status"], "failed");
  EXPECT_THAT(results("run").back()["why"].get<std::string>(), HasSubstr(place("judge")));
  write_file(place("judge"), "#!/bin/sh\ncat > /dev/null\necho 0.5\n");
  ASSERT_EQ(::chmod(place("judge").c_str(), 0755), 0);
  EXPECT_EQ(umf(one("run", {"--budget", "16"})).status, 0);
  EXPECT_EQ(results("run").back()["reward"], 0.5);
  EXPECT_EQ(results("run").back()["passed"], nullptr) << "there are no hidden tests";
}

// ---- breaks

// A search that lasts until it is told to stop.
std::vector<std::string> endless() {
  return {"--window",
          "64",
          "--budget",
          "2000000",
          "--no-cache",
          "--ratios",
          "0.95,0.9,0.85,0.8,0.75,0.7,0.65,0.6,0.55,0.5,0.45,0.4"};
}

void await(const std::function<bool()>& there) {
  for (int i = 0; i < 3000; ++i) {
    if (there()) return;
    sleep_ms(10);
  }
  FAIL() << "it never came";
}

bool has_checkpoint(const std::filesystem::path& run) {
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints", absent)) {
    if (entry.file_size() > 20000) return true;
  }
  return false;
}

TEST_F(BenchCli, SignalsSaveAndSayHowToGoOn) {
  for (const auto& [signal, expected] :
       {std::pair{SIGTERM, 75}, std::pair{SIGUSR1, 75}, std::pair{SIGINT, 130}}) {
    const std::string name = "run-" + std::to_string(signal);
    Running run(one(name, endless()));
    await([&] { return has_checkpoint(place(name)); });
    const Json during = status(name);
    EXPECT_EQ(during["running"], 1);
    EXPECT_EQ(during["jobs"][0]["id"], "letters/0");
    EXPECT_EQ(during["jobs"][0]["configuration"], "unmaskfork");
    run.send(signal);
    const Finished stopped = run.wait();
    EXPECT_EQ(stopped.status, expected) << stopped.err;
    EXPECT_TRUE(std::filesystem::is_empty(place(name + "/workers"))) << "it left in good order";
    EXPECT_TRUE(has_checkpoint(place(name)));
    EXPECT_EQ(status(name)["running"], 0);
    EXPECT_EQ(lines_of(place(name + "/results.jsonl")).size(), 0);
  }
}

TEST_F(BenchCli, ASignalledRunGoesOnAsIfNothingHadHappened) {
  ASSERT_EQ(umf(three("whole")).status, 0);
  int stopped = 0;
  for (int i = 0; i < 20; ++i) {
    Running run(three("run"));
    sleep_ms(40 + 5 * i);
    run.send(SIGTERM);
    const int status = run.wait().status;
    stopped += status == 75;
    if (status == 0) break;
  }
  EXPECT_EQ(umf(three("run")).status, 0);
  EXPECT_GT(stopped, 0);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_TRUE(contents(place("run/traces")) == contents(place("whole/traces")));
}

#if defined(__SANITIZE_ADDRESS__)
constexpr int kRounds = 1, kKillsPerRound = 6;
#else
constexpr int kRounds = 5, kKillsPerRound = 10;
#endif

TEST_F(BenchCli, WorkersThatAreKilledLoseNothingAndDoNothingTwice) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(Running(three("whole")).wait().status, 0);
  const auto whole_ms = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                             std::chrono::steady_clock::now() - start)
                                             .count());
  std::mt19937 rng(8);
  int killed = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "run-" + std::to_string(round);
    std::vector<std::unique_ptr<Running>> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(std::make_unique<Running>(three(name)));
    for (int i = 0; i < kKillsPerRound; ++i) {
      sleep_ms(static_cast<int>(rng() % (whole_ms / 8 + 1)));
      auto& victim = workers[rng() % workers.size()];
      victim->send(SIGKILL);
      killed += victim->wait().status == -1;
      victim = std::make_unique<Running>(three(name));
    }
    for (auto& worker : workers) {
      const Finished finished = worker->wait();
      ASSERT_EQ(finished.status, 0) << finished.err;
    }
    EXPECT_EQ(results(name), results("whole"));
    EXPECT_EQ(read_file(place(name + "/samples.jsonl")), read_file(place("whole/samples.jsonl")));
    EXPECT_TRUE(contents(place(name + "/traces")) == contents(place("whole/traces")));
    std::multiset<std::string> recorded;
    for (const auto& file : std::filesystem::directory_iterator(place(name + "/results"))) {
      for (const Json& line : lines_of(file.path()))
        recorded.insert(Json{line["id"], line["configuration"], line["budget"]}.dump());
    }
    EXPECT_EQ(recorded.size(), results("whole").size()) << "none was done twice";
  }
  RecordProperty("killed", killed);
  EXPECT_GT(killed, kRounds * kKillsPerRound / 2);
}

std::size_t lines_recorded(const std::filesystem::path& run) {
  std::size_t lines = 0;
  for (const auto& file : std::filesystem::directory_iterator(run / "results"))
    lines += lines_of(file.path()).size();
  return lines;
}

TEST_F(BenchCli, AWorkerThatWasTakenForDeadWritesNothingMore) {
  const std::vector<std::string> longer = {"--window", "48", "--budget", "96,1500", "--limit", "1"};
  ASSERT_EQ(umf(one("whole", longer)).status, 0);
  Running sleeper(one("run", longer));
  await([&] { return has_checkpoint(place("run")); });
  sleeper.send(SIGSTOP);
  if (lines_recorded(place("run")) > 0) GTEST_SKIP() << "this machine was too quick";
  EXPECT_EQ(umf(one("run", longer)).status, 0) << "another takes over after six beats";
  sleeper.send(SIGCONT);
  const Finished woken = sleeper.wait();
  EXPECT_EQ(woken.status, 0) << woken.err;
  EXPECT_EQ(lines_recorded(place("run")), 2);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_TRUE(contents(place("run/traces")) == contents(place("whole/traces")));
}

TEST_F(BenchCli, ATornResultIsDoneAgain) {
  ASSERT_EQ(umf(one("run")).status, 0);
  const auto whole = results("run");
  const auto file = std::filesystem::directory_iterator(place("run/results"))->path();
  const std::string text = read_file(file);
  write_file(file, text.substr(0, text.size() - 30));
  EXPECT_EQ(status("run")["left"], 1);
  ASSERT_EQ(umf(one("run")).status, 0);
  EXPECT_EQ(results("run"), whole);
}

// A worker of another machine that holds the first job and was last heard of so long ago.
void pretend_worker(const std::filesystem::path& run, int seconds_ago) {
  const Json worker = {{"id", "far-1-0"}, {"host", "far"},  {"machine", "far away"},
                       {"pid", 1},        {"started", "1"}, {"heartbeat", 0.2},
                       {"since", 0}};
  write_file(run / "workers/far-1-0.json", worker.dump());
  write_file(run / "leases/00000-000.1", Json{{"worker", "far-1-0"}, {"since", 0}}.dump());
  timespec then{};
  ::clock_gettime(CLOCK_REALTIME, &then);
  then.tv_sec -= seconds_ago;
  const timespec times[] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, (run / "workers/far-1-0.json").c_str(), times, 0), 0);
}

TEST_F(BenchCli, AnotherMachinesJobIsLeftUntilItIsStale) {
  ASSERT_EQ(umf(one("whole")).status, 0);
  ASSERT_EQ(umf(one("run", {"--budget", "16,40,100"})).status, 0);
  std::filesystem::remove_all(place("run/results"));
  std::filesystem::create_directory(place("run/results"));
  pretend_worker(place("run"), -3600);  // its clock is ahead, so it seems alive
  EXPECT_EQ(status("run")["running"], 1);
  EXPECT_EQ(umf(one("run", {"--no-wait"})).status, 75);
  EXPECT_EQ(lines_of(place("run/results.jsonl")).size(), 4 * 3);
  pretend_worker(place("run"), 60);
  EXPECT_EQ(status("run")["stale"], 1);
  EXPECT_EQ(umf(one("run", {"--no-wait"})).status, 0);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_TRUE(std::filesystem::is_empty(place("run/workers"))) << "what the dead left is removed";
  EXPECT_TRUE(std::filesystem::is_empty(place("run/leases")));
}

TEST_F(BenchCli, AWorkerWaitsForOneThatGoesSilent) {
  ASSERT_EQ(umf(one("run", {"--limit", "1"})).status, 0);
  std::filesystem::remove_all(place("run/results"));
  std::filesystem::create_directory(place("run/results"));
  pretend_worker(place("run"), 0);
  EXPECT_EQ(umf(one("run", {"--limit", "1"})).status, 0) << "took it over after six beats";
  EXPECT_EQ(lines_of(place("run/results.jsonl")).size(), 3);
}

TEST_F(BenchCli, AFullDiskIsAnErrorAndDamagesNothing) {
  ASSERT_EQ(umf(three("whole")).status, 0);
  for (const char* blocks : {"1", "2", "4", "8", "16", "40"}) {  // of 512 bytes
    const std::string limit = std::string("trap '' XFSZ; ulimit -f ") + blocks + ";";
    expect_refusal(umf(three("run"), "", limit), "cannot write");
  }
  ASSERT_EQ(umf(three("run")).status, 0);
  auto lines = results("run");
  EXPECT_EQ(lines.size(), results("whole").size());
  for (Json& line : lines) line["tries"] = 1;  // a search that could not be saved was a failure
  EXPECT_EQ(lines, results("whole"));
}

TEST_F(BenchCli, ADirectoryThatCannotBeUsedIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  ASSERT_EQ(umf(one("run")).status, 0);
  for (const char* folder : {"run/results", "run/leases", "run/workers"}) {
    std::filesystem::permissions(place(folder), std::filesystem::perms::none);
    expect_refusal(umf(one("run")), folder);
    std::filesystem::permissions(place(folder), std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(umf(one("run")).status, 0);
}

}  // namespace
}  // namespace umf
