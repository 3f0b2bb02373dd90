// umf tune as its users see it, and what they do with its file.
#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TuneCli : public BenchCli {
 protected:
  TuneCli() { problems(4, text_checks("a")); }

  std::vector<std::string> tune(const std::string& out,
                                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"tune",        place("problems"),
                                      "--out",       place(out),
                                      "--model",     "dream=" + tiny("tiny-dream"),
                                      "--model",     "llada=" + tiny("tiny-llada"),
                                      "--window",    "16",
                                      "--heartbeat", "0.2",
                                      "--threads",   "1",
                                      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string file(const std::string& out) const { return place(out + "/tuned.json"); }
  // Where the searches of a tuning lie.
  static std::string searches_run(const Json& tuned) { return tuned["searches"]["run"]; }
};

Json row_of(const Json& round, const std::string& configuration) {
  for (const Json& row : round["rows"]) {
    if (row["configuration"] == configuration) return row;
  }
  return nullptr;
}

TEST_F(TuneCli, MeasuresActionsThenSearchesAndWritesTheBestDown) {
  const Finished run = umf(tune("t", {"--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("4 problems only"));
  const Json tuned = Json::parse(run.out);
  EXPECT_EQ(tuned["window"], 16);
  EXPECT_EQ(tuned["budget"], 64) << "four windows";
  EXPECT_EQ(tuned["actions"]["rows"].size(), 2 * 7 + 2 * 3);
  EXPECT_EQ(tuned["searches"]["rows"].size(), 3);
  EXPECT_EQ(tuned["ensembles"].size(), 2);
  const Json one = row_of(tuned["actions"], "dream-one");
  EXPECT_EQ(one["cells_per_pass"], 1);
  EXPECT_EQ(one["action"], "model=dream,commit=one");
  EXPECT_LE(row_of(tuned["actions"], "dream-tau-0.8")["passes"], one["passes"]);
  EXPECT_EQ(tuned["configuration"], Json::parse(read_file(file("t"))));
  EXPECT_EQ(tuned["file"], file("t"));

  for (const std::string& folder : {place("t/round-1"), searches_run(tuned)}) {
    const Finished status = umf({"status", folder, "--json"});
    ASSERT_EQ(status.status, 0) << status.err;
    EXPECT_EQ(Json::parse(status.out)["complete"], true);
    EXPECT_EQ(umf({"report", folder, "--out", place("page.html")}).status, 0);
  }
  const Json summary = Json::parse(read_file(place("t/round-1/summary.json")));
  for (std::size_t i = 0; i < summary["groups"].size(); ++i) {
    EXPECT_EQ(summary["groups"][i]["passed"], tuned["actions"]["rows"][i]["solved"]);
    EXPECT_EQ(summary["groups"][i]["nfe"], tuned["actions"]["rows"][i]["passes"]);
  }
  for (const Json& line : lines_of(place("t/round-1/results.jsonl")))
    EXPECT_EQ(line["complete"], true) << "a relay is not cut at one window either: " << line;
}

TEST_F(TuneCli, TheTablesAreForPeople) {
  const Finished run = umf(tune("t"));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"4 problems of problems, window 16", "cells/pass", "dream-tau-0.99 ", "relay-tau-0.95 ",
        "search, 64 passes", "pays by itself: ", "chosen, in this order:\n  --action model"})
    EXPECT_THAT(run.out, HasSubstr(part));
  EXPECT_THAT(run.out, HasSubstr("umf solve PROBLEM --config " + file("t")));
}

TEST_F(TuneCli, ItsFileIsAConfigurationOfSolveAndBench) {
  const Finished run = umf(tune("t", {"--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json tuned = Json::parse(run.out);
  std::string best;
  for (const Json& row : tuned["searches"]["rows"]) {
    if (row["chosen"] == true) best = row["configuration"];
  }
  const Finished again = umf({"bench", place("problems"), "--config", file("t"), "--budget", "64",
                              "--out", place("again"), "--threads", "1", "--quiet"});
  ASSERT_EQ(again.status, 0) << again.err;
  std::vector<Json> there;
  for (const Json& line : lines_of(searches_run(tuned) + "/results.jsonl")) {
    if (line["configuration"] == best) there.push_back(line);
  }
  const std::vector<Json> here = results("again");
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(here[i]["answer"], there[i]["answer"]);
    EXPECT_EQ(here[i]["search"], there[i]["search"]);
  }
  const std::string problem = read_file(place("problems"));
  write_file(place("first"), problem.substr(0, problem.find('\n')));
  const Finished alone =
      umf({"solve", place("first"), "--config", file("t"), "--budget", "64", "--json", "--quiet"});
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(Json::parse(alone.out)["answer"], here[0]["answer"]);
}

// Bytes of results in all rounds.
std::uintmax_t recorded(const std::filesystem::path& tuning) {
  std::uintmax_t bytes = 0;
  std::error_code absent;
  for (const auto& round : std::filesystem::directory_iterator(tuning, absent)) {
    for (const auto& entry : std::filesystem::directory_iterator(round.path() / "results", absent))
      bytes += entry.file_size(absent);
  }
  return bytes;
}

TEST_F(TuneCli, KilledAtAnyTimeAndRepeatedItGoesOn) {
  const Finished whole = umf(tune("whole", {"--json"}));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::uintmax_t all = recorded(place("whole"));
  // Each gets on by a tenth at least; how fast, does not matter.
  int killed = 0;
  for (int tenth = 0; tenth < 6; ++tenth) {
    Running victim(tune("t", {"--json"}));
    await([&] { return recorded(place("t")) > all / 10 * tenth; });
    victim.send(SIGKILL);
    killed += victim.wait().status == -1;
  }
  EXPECT_GT(killed, 2);
  const Finished resumed = umf(tune("t", {"--json"}));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(read_file(file("t")), read_file(file("whole")));
  EXPECT_EQ(results("t/round-1"), results("whole/round-1"));

  const Finished four = umf(tune("four", {"--json", "--workers", "4"}));
  ASSERT_EQ(four.status, 0) << four.err;
  EXPECT_EQ(read_file(file("four")), read_file(file("whole")));
}

TEST_F(TuneCli, AnotherLossKeepsWhatWasMeasured) {
  ASSERT_EQ(umf(tune("t")).status, 0);
  const std::string measured = read_file(place("t/round-1/results.jsonl"));
  const Finished run = umf(tune("t", {"--loss", "100", "--budget", "32", "--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_file(place("t/round-1/results.jsonl")), measured);
  const Json tuned = Json::parse(run.out);
  EXPECT_EQ(tuned["budget"], 32);
  for (const char* model : {"dream", "llada"}) {
    double least = 1e9, chosen = -1;
    for (const Json& row : tuned["actions"]["rows"]) {
      if (!row["configuration"].get<std::string>().starts_with(model)) continue;
      least = std::min(least, row["passes"].get<double>());
      if (row["chosen"] == true) chosen = row["passes"];
    }
    EXPECT_EQ(chosen, least) << "anything may be lost";
  }
}

bool has_results(const std::filesystem::path& folder) {
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    if (entry.file_size() > 0) return true;
  }
  return false;
}

TEST_F(TuneCli, SignalsSaveAndSayHowToGoOn) {
  problems(40, text_checks("a"));
  Running run(tune("t"));
  await([&] { return has_results(place("t/round-1/results")); });
  run.send(SIGTERM);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.status, 75) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  EXPECT_FALSE(std::filesystem::exists(file("t")));
  EXPECT_EQ(status("t/round-1")["running"], 0);
}

TEST_F(TuneCli, OneModelIsTunedByItself) {
  problems(2, {{"type", "text"}, {"checks", {{{"lacks", "no such text"}}}}});
  const std::vector<std::string> words = {"tune",      place("problems"),
                                          "--out",     place("t"),
                                          "--model",   "d=" + tiny("tiny-dream"),
                                          "--window",  "16",
                                          "--json",    "--quiet",
                                          "--threads", "1",
                                          "--seed",    "7"};
  const Finished run = umf(words);
  ASSERT_EQ(run.status, 0) << run.err;
  const Json tuned = Json::parse(run.out);
  EXPECT_EQ(tuned["actions"]["rows"].size(), 7);
  EXPECT_EQ(tuned["searches"]["rows"].size(), 2);
  EXPECT_EQ(tuned["ensembles"].size(), 0);
  EXPECT_EQ(tuned["configuration"]["seed"], 7);
  EXPECT_THAT(tuned["configuration"]["model"], ElementsAre("d=" + tiny("tiny-dream")));
}

TEST_F(TuneCli, AProblemThatCannotBeJudgedIsLeftOutAndTriedAgain) {
  const Json hidden = {
      {"type", "command"},
      {"argv", {"sh", "-c", "cat > /dev/null; test -e " + place("works") + " && echo 1"}}};
  write_file(
      place("problems"),
      read_file(place("problems")) +
          Json{
              {"id", "stubborn"}, {"prompt", "x"}, {"reward", text_checks("a")}, {"hidden", hidden}}
              .dump() +
          "\n");
  const Finished first = umf(tune("t", {"--json"}));
  EXPECT_EQ(first.status, 1) << first.err;
  EXPECT_THAT(first.err, HasSubstr("1 of 5 problems could not be searched or judged"));
  EXPECT_EQ(Json::parse(first.out)["actions"]["problems"], 4);
  write_file(place("works"), "");
  const Finished second = umf(tune("t", {"--json"}));
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(Json::parse(second.out)["actions"]["problems"], 5);
}

TEST_F(TuneCli, RefusesWhatCannotBe) {
  expect_refusal(umf({"tune"}), "needs a data set");
  expect_refusal(umf(tune("t", {"--loss", "-1"})), "--loss is in points");
  expect_refusal(umf(tune("t", {"--budget", "-1"})), "--budget must not be negative");
  expect_refusal(umf(tune("t", {"--heartbeat", "0"})), "--heartbeat");
  expect_refusal(umf(tune("t", {"--search", "dts"})), "unknown option --search");
  expect_refusal(umf(tune("t", {"--model", "dream=" + tiny("tiny-llada")})),
                 "two models are called 'dream'");
  expect_refusal(umf(tune("t", {"--model", "a+b=" + tiny("tiny-llada")})),
                 "'a+b' cannot be a model's name here");
  EXPECT_FALSE(std::filesystem::exists(place("t"))) << "nothing was begun";
  problems(1, {{"type", "text"}, {"checks", {{{"longer-than", 100000}}}}});
  const Finished unsolved = umf(tune("t"));
  EXPECT_EQ(unsolved.status, 2);
  EXPECT_THAT(unsolved.err, HasSubstr("1 problem only"));
  EXPECT_THAT(unsolved.err, HasSubstr("error: nothing was solved in " + place("t/round-1")));
  EXPECT_FALSE(std::filesystem::exists(file("t")));
  write_file(place("problems"), "");
  expect_refusal(umf(tune("none")), "there is no problem in it");
  write_file(place("problems"), Json{{"task_id", "HumanEval/0"},
                                     {"prompt", "def f():\n"},
                                     {"entry_point", "f"},
                                     {"test", "def check(f): pass"}}
                                        .dump() +
                                    "\n");
  expect_refusal(umf(tune("none")), "problem 'HumanEval/0' has no visible tests");
}

TEST_F(TuneCli, AConfigurationFileMayHaveARemarkAndNothingUnknown) {
  const auto with = [&](const std::string& text) {
    write_file(place("config"), text);
    return umf({"solve", "--config", place("config"), "--list-searches"});
  };
  EXPECT_EQ(with(R"({"about": "for people", "window": 16})").status, 0);
  expect_refusal(with(R"({"abuot": "for people"})"), "unknown option --abuot");
}

}  // namespace
}  // namespace umf
