// umf solve as its users see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.h"
#include "base/json.h"
#include "cli/solve_fixture.h"
#include "support/journal_entries.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> keys_of(const OrderedJson& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST_F(SolveCli, PrintsTheAnswerAndNothingElse) {
  const Finished run = umf(two_models({"--budget", "80", "--quiet"}));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  const Finished json = umf(two_models({"--budget", "80", "--json"}));
  EXPECT_EQ(run.out, Json::parse(json.out)["answer"].get<std::string>() + "\n");
}

TEST_F(SolveCli, JsonHasTheFieldsInOrder) {
  const Finished run = umf(two_models({"--budget", "100", "--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const OrderedJson json = OrderedJson::parse(run.out);
  EXPECT_THAT(keys_of(json), ElementsAre("id", "answer", "reward", "complete", "search", "actions",
                                         "best", "seconds", "weights", "speculative", "why"));
  EXPECT_THAT(keys_of(json["search"]),
              ElementsAre("name", "budget", "nfe", "rollouts", "hits", "misses", "hit_rate",
                          "saved_nfe", "switches", "evaluations", "nodes", "depth", "stopped"));
  EXPECT_EQ(json["actions"].size(), 2);
  EXPECT_THAT(keys_of(json["actions"][0]), ElementsAre("name", "model", "strategy", "temperature",
                                                       "commit", "seed", "nfe", "best_reward"));
  EXPECT_THAT(keys_of(json["best"]), ElementsAre("path", "iteration"));
  EXPECT_THAT(keys_of(json["seconds"]), ElementsAre("load", "unmask", "reward", "total"));
  EXPECT_THAT(keys_of(json["weights"]), ElementsAre("loads", "returns", "seconds_returning"));
  EXPECT_EQ(json["weights"]["loads"], 2);
  EXPECT_THAT(keys_of(json["speculative"]), ElementsAre("passes", "used", "wasted"));

  const auto& search = json["search"];
  EXPECT_EQ(json["id"], "letters");
  EXPECT_EQ(search["name"], "unmaskfork");
  EXPECT_EQ(search["nfe"], 100);
  EXPECT_EQ(search["stopped"], "budget");
  EXPECT_EQ(search["rollouts"], search["hits"].get<int>() + search["misses"].get<int>());
  EXPECT_EQ(search["nodes"], search["rollouts"].get<int>() + 1);
  EXPECT_EQ(json["actions"][0]["nfe"].get<int>() + json["actions"][1]["nfe"].get<int>(), 100);
  EXPECT_EQ(json["actions"][0]["name"], "dream");
  for (const auto& name : json["best"]["path"]) EXPECT_TRUE(name == "dream" || name == "llada");
}

TEST_F(SolveCli, TheTraceHasALinePerRollout) {
  const Finished run = umf(two_models({"--budget", "100", "--json", "--trace", place("trace")}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json search = Json::parse(run.out)["search"];
  const std::vector<Json> lines = lines_of(place("trace"));
  ASSERT_EQ(lines.size(), search["rollouts"].get<std::size_t>());
  EXPECT_THAT(
      keys_of(OrderedJson::parse(
          read_file(place("trace")).substr(0, read_file(place("trace")).find('\n')))),
      ElementsAre("iteration", "from", "action", "draw", "hit", "child", "end", "passes", "nfe",
                  "complete", "reward", "best", "path", "masks", "writes", "verdict"));
  int hits = 0, passes = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["iteration"], i + 1);
    hits += lines[i]["hit"].get<bool>();
    passes += lines[i]["passes"].get<int>();
    EXPECT_EQ(lines[i]["nfe"], passes);
  }
  EXPECT_EQ(hits, search["hits"]);
  EXPECT_EQ(lines.back()["complete"], false) << "a budget of 100 cuts the last one";
}

TEST_F(SolveCli, ACurveGivesWhatSmallerBudgetsWould) {
  const Finished run = umf(two_models({"--budget", "96", "--json", "--curve", "16,40,96"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json curve = Json::parse(run.out)["curve"];
  ASSERT_EQ(curve.size(), 3);
  for (const Json& point : curve) {
    const Json alone = Json::parse(
        umf(two_models({"--budget", std::to_string(point["budget"].get<int>()), "--json"})).out);
    EXPECT_EQ(point["reward"], alone["reward"]);
    EXPECT_EQ(point["answer"], alone["answer"]);
    EXPECT_EQ(point["nfe"], alone["search"]["nfe"]);
  }
  expect_refusal(umf(two_models({"--budget", "96", "--curve", "97"})),
                 "a curve up to 97 needs a budget of at least that");
  expect_refusal(umf(two_models({"--curve", "16,x"})), "--curve = x is not a number");
}

TEST_F(SolveCli, EverySearchRuns) {
  for (const char* search : {"unmaskfork", "best-of-n", "dts", "ab-mcts-m", "ab-mcts-a", "odds"}) {
    const Finished run = umf(
        one_model({"--search", search, "--budget", "40", "--json", "--action", "temperature=1"}));
    ASSERT_EQ(run.status, 0) << search << ": " << run.err;
    EXPECT_EQ(Json::parse(run.out)["search"]["name"], search);
    EXPECT_LE(Json::parse(run.out)["search"]["nfe"], 40);
  }
  EXPECT_EQ(umf(two_models({"--search", "pair", "--budget", "64"})).status, 0);
}

// Under those of the command line.
TEST_F(SolveCli, OptionsMayComeFromAFile) {
  const std::string file = place("config.json");
  const auto with = [&](const std::string& text, std::vector<std::string> more) {
    write_file(file, text);
    more.insert(more.begin(), {"--config", file, "--json"});
    return umf(one_model(more));
  };
  const std::string text = R"({"search": "best-of-n", "best-of-n-samples": 2,
                               "budget-policy": "finish", "about": "for a test"})";
  const Json json = Json::parse(with(text, {}).out);
  EXPECT_EQ(json["search"]["name"], "best-of-n");
  EXPECT_EQ(json["search"]["rollouts"], 2);
  const Json other = Json::parse(with(text, {"--best-of-n-samples", "1"}).out);
  EXPECT_EQ(other["search"]["rollouts"], 1);
  expect_refusal(with(R"({"windw": 16})", {}), "Did you mean --window?");
  expect_refusal(with(R"(["window"])", {}), "must be an object of options");
  expect_refusal(with(R"({"config": "x"})", {}), "cannot name another 'config'");
}

TEST_F(SolveCli, AHighEnoughRewardEndsTheSearch) {
  const Finished run = umf(two_models({"--budget", "1000", "--json", "--stop-at-reward", "0.125"}));
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["search"]["stopped"], "reward");
  EXPECT_GE(json["reward"], 0.125);
  expect_refusal(umf(two_models({"--stop-at-reward", "high"})),
                 "--stop-at-reward = high is not a number");
}

// Draws again and again, so that only time ends it.
TEST_F(SolveCli, TimeEndsASearchAsABudgetOfItsPassesWould) {
  const auto timed = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--search", "best-of-n", "--action", "temperature=1", "--json",
                             "--stop-at-reward", "never"});
    const Finished run = umf(one_model(more));
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
  };
  const auto same = [](const Json& one, const Json& other) {
    for (const char* key : {"answer", "reward", "complete", "best", "why"})
      EXPECT_EQ(one[key], other[key]) << key;
    for (const char* key : {"nfe", "rollouts", "misses", "evaluations"})
      EXPECT_EQ(one["search"][key], other["search"][key]) << key;
  };
  const auto passes_of = [](const Json& json) {
    return std::to_string(json["search"]["nfe"].get<long>());
  };
  const Json first = timed({"--seconds", "0.2", "--checkpoint", place("checkpoint")});
  EXPECT_EQ(first["search"]["stopped"], "time");
  EXPECT_EQ(first["search"]["budget"], nullptr) << "there was none";
  same(first, timed({"--budget", passes_of(first)}));
  const Json more = timed({"--seconds", "0.6", "--checkpoint", place("checkpoint")});
  EXPECT_EQ(more["search"]["stopped"], "time");
  EXPECT_GT(more["search"]["nfe"], first["search"]["nfe"]);
  same(more, timed({"--budget", passes_of(more)}));
  EXPECT_EQ(timed({"--seconds", "100", "--budget", "20"})["search"]["stopped"], "budget");
  expect_refusal(umf(one_model({"--seconds", "-1"})), "--seconds must be 0 or more");
}

TEST_F(SolveCli, PresetsAreListed) {
  const Finished list = umf({"solve", "--list-presets"});
  EXPECT_EQ(list.status, 0);
  std::istringstream text(list.out);
  std::map<std::string, int> kinds;
  for (std::string line; std::getline(text, line);) ++kinds[line.substr(0, line.find('-'))];
  EXPECT_EQ(kinds["umf"], 8);
  EXPECT_EQ(kinds["bon"], 8);
  EXPECT_EQ(kinds["dts"], 8);
  EXPECT_EQ(kinds["pair"], 6);
  EXPECT_EQ(kinds["abm"], 6) << "28 baselines";
  EXPECT_EQ(kinds["relay"], 1);
  EXPECT_EQ(kinds.size(), 6);
}

TEST_F(SolveCli, APresetWithoutItsModelsNamesTheDownload) {
  const std::string nowhere = "HF_HUB_CACHE=" + place("hub");
  expect_refusal(umf({"solve", problem(), "--preset", "umf-code"}, "", nowhere),
                 "hf download Dream-org/Dream-Coder-v0-Instruct-7B");
  expect_refusal(umf({"solve", problem(), "--preset", "umf-cod"}, "", nowhere),
                 "there is no preset 'umf-cod'");
}

TEST_F(SolveCli, APresetRunsOnTheModelsItIsGiven) {
  const Finished run =
      umf({"solve", problem(), "--preset", "umf-code", "--model",
           "dream-coder=" + tiny("tiny-dream"), "--model", "llada=" + tiny("tiny-llada"),
           "--window", "8", "--budget", "24", "--json", "--stop-at-reward", "never"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json actions = Json::parse(run.out)["actions"];
  EXPECT_EQ(actions[0]["strategy"], "entropy");
  EXPECT_EQ(actions[0]["temperature"], 0.1);
  EXPECT_EQ(actions[1]["strategy"], "low-confidence");
  for (const Json& action : actions) EXPECT_EQ(action["commit"], "one");
  const Finished relay = umf(
      {"solve", problem(), "--preset", "relay-code", "--model", "dream-coder=" + tiny("tiny-dream"),
       "--model", "llada=" + tiny("tiny-llada"), "--model", "diffucoder=" + tiny("tiny-diffucoder"),
       "--window", "8", "--budget", "24", "--json", "--stop-at-reward", "never"});
  ASSERT_EQ(relay.status, 0) << relay.err;
  EXPECT_EQ(Json::parse(relay.out)["actions"][0]["model"], "dream-coder+llada+diffucoder");
}

TEST_F(SolveCli, EveryFamilySearchesAloneAndTakesTurnsWithAnother) {
  for (const std::string& model :
       {tiny("tiny-sdar"), tiny("tiny-dreamreasoner"), tiny("tiny-illada"), tiny("tiny-fdv2"),
        tiny("tiny-a2d"), tiny("tiny-a2d") + "@a2d-block",
        tiny("tiny-open-dcoder") + "@open-dcoder"}) {
    SCOPED_TRACE(model);
    const auto run = [&](const std::vector<std::string>& more) {
      const Finished finished =
          umf(with({"solve", problem(), "--model", "one=" + model, "--json"}, more));
      EXPECT_EQ(finished.status, 0) << finished.err;
      Json json = Json::parse(finished.out, nullptr, /*allow_exceptions=*/false);
      json.erase("seconds");
      json.erase("weights");
      json.erase("speculative");  // depends on time
      return json;
    };
    const std::vector<std::string> alone = {"--budget",      "64",       "--action",
                                            "temperature=0", "--action", "temperature=0.8"};
    const Json first = run(alone);
    EXPECT_GE(first["search"]["rollouts"], 4);
    EXPECT_EQ(run(alone), first);
    const Json turns = run({"--budget", "64", "--model", "two=" + tiny("tiny-llada")});
    EXPECT_EQ(turns["actions"].size(), 2);
  }
}

TEST_F(SolveCli, RefusesWhatCannotBe) {
  expect_refusal(umf(one_model({"--example", "digit-sum"})), "--example, not both");
  expect_refusal(umf(one_model({"--search", "unmaskfrok"})), "unknown search 'unmaskfrok'");
  expect_refusal(umf(two_models({"--search", "best-of-n"})), "takes one action, and 2 were given");
  expect_refusal(umf(one_model({"--search", "pair"})), "search 'pair'");
  expect_refusal(umf(two_models({"--search", "pair", "--pair-method", "pair"})), "pair");
  expect_refusal(umf(one_model({"--action", "model=dream"})), "no --model is called 'dream'");
  expect_refusal(umf(two_models({"--action", "temperature=1"})), "needs model=NAME");
  expect_refusal(umf(one_model({"--action", "warmth=1"})), "no key 'warmth'");
  expect_refusal(umf(one_model({"--budget", "-1"})), "must not be negative");
  expect_refusal(umf(one_model({"--seed", "-1"})), "--seed: must not be negative, not -1");
  expect_refusal(umf(one_model({"--budget-policy", "stop"})), "choose cut, finish or skip");
  expect_refusal(umf(one_model({"--budget-policy", "skip", "--budget", "5"})),
                 "does not cover one rollout");
  expect_refusal(umf(one_model({"--ratios", "0.9,2"})), "'2' is no ratio");
  expect_refusal(umf(one_model({"--window-policy", "none"})), "window");
  expect_refusal(umf(one_model({"--block-length", "5"})), "not a multiple of the block length");
  expect_refusal(umf(one_model({"--window", "-4"})), "--window must not be negative, not -4");
  expect_refusal(umf(one_model({"--memory-limit", "lots"})), "--memory-limit = lots");
  expect_refusal(umf(one_model({"--bugdet", "5"})), "Did you mean --budget?");
  expect_refusal(umf(one_model({"--workers", "0"})), "--workers must be from 1 to");
  expect_refusal(umf(one_model({"--threads", "-1"})), "--threads must be from 0");
  expect_refusal(umf(one_model({"--workers", "2", "--memory-limit", "1"})), "leave out");
  expect_refusal(umf(one_model({"--workers", "2", "--search", "treasure"})), "leave out --workers");
}

TEST_F(SolveCli, WorkersChangeNothingButTheTime) {
  const auto solve_with = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"--budget", "150", "--json", "--quiet", "--trace", place(name),
                             "--checkpoint", place(name + ".checkpoint")});
    const Finished run = umf(two_models(more));
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                  {"--curve", "40,90"},
                                                  {"--closed-text"},
                                                  {"--search", "ab-mcts-a"},
                                                  {"--search", "pair", "--pair-method", "dts"}}) {
    const std::string label = options.empty() ? "plain" : options.back();
    const std::string expected = solve_with(label, options);
    for (const std::string workers : {"1", "2", "4"}) {
      for (const std::string threads : {"1", "2"}) {
        SCOPED_TRACE(label + " with " + workers + " workers and " + threads + " threads");
        std::vector<std::string> more = options;
        more.insert(more.end(), {"--workers", workers, "--threads", threads});
        const std::string name = label + workers + threads;
        EXPECT_EQ(without_seconds(solve_with(name, more)), without_seconds(expected));
        EXPECT_EQ(read_file(place(name)), read_file(place(label)));
        EXPECT_TRUE(journal_entries(read_file(place(name + ".checkpoint"))) ==
                    journal_entries(read_file(place(label + ".checkpoint"))));
      }
    }
  }
}

TEST_F(SolveCli, BadProblemFilesAreRefusedInOneLine) {
  expect_refusal(umf({"solve", place("absent"), "--model", tiny("tiny-llada")}), "absent");
  expect_refusal(solve_text("{"), "is not valid JSON");
  expect_refusal(solve_text("[]"), "a problem is a JSON object");
  expect_refusal(solve_text(R"({"prompt": "a", "reward": {}})"), "'id' must be a string");
  expect_refusal(solve_text(R"({"id": 3, "prompt": "a", "reward": {}})"), "'id' must be a string");
  expect_refusal(solve_text(R"({"id": "a", "prompt": "a"})"), "'reward' is missing");
  expect_refusal(solve_text(R"({"id": "a", "id": "b", "prompt": "a"})"), "given twice");
  expect_refusal(solve_text(R"({"id": "a", "prompt": "a", "rewards": {}})"),
                 "'rewards' is not understood");
  for (const char* reward :
       {"7", "null", "{}", R"({"type": 3})", R"({"type": "oracle"})", R"({"type": "command"})",
        R"({"type": "command", "argv": []})", R"({"type": "command", "argv": [1]})",
        R"({"type": "command", "argv": ["true"], "timeout_ms": -1})", R"({"type": "text"})",
        R"({"type": "text", "checks": [{"resembles": "x"}]})"}) {
    SCOPED_TRACE(reward);
    expect_refusal(
        solve_text(std::string(R"({"id": "a", "prompt": "a", "reward": )") + reward + "}"),
        "problem.json");
  }
}

TEST_F(SolveCli, TheProblemMayComeFromStandardInput) {
  std::vector<std::string> words = one_model({"--budget", "16", "--json"});
  words[1] = "-";
  const Finished run = umf(words, kProblem);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)["id"], "letters");
}

TEST_F(SolveCli, AShellCommandJudges) {
  const std::vector<std::string> options = {"--budget", "16", "--json"};
  const Json number = Json::parse(solve_text(judged_by("cat > /dev/null; echo 0.25"), options).out);
  EXPECT_EQ(number["reward"], 0.25);
  const Json why = Json::parse(
      solve_text(judged_by("cat > /dev/null; echo '{\"reward\": 0.5, \"why\": \"half\"}'"), options)
          .out);
  EXPECT_EQ(why["reward"], 0.5);
  EXPECT_EQ(why["why"], "half");
  const Finished asked = solve_text(judged_by("cat > " + place("asked") + "; echo 1"), options);
  const Json question = Json::parse(read_file(place("asked")));
  EXPECT_EQ(question["id"], "p");
  EXPECT_EQ(question["prompt"], "Write.");
  EXPECT_EQ(question["answer"], Json::parse(asked.out)["answer"]);
  EXPECT_EQ(question.size(), 3) << "hidden tests stay hidden";
}

TEST_F(SolveCli, AProcessRewardModelJudges) {
  const Json problem = {
      {"id", "steps"},
      {"prompt", "Step by step."},
      {"reward", {{"type", "prm"}, {"model", tiny("tiny-prm")}, {"aggregate", "min"}}}};
  write_file(place("problem.json"), problem.dump());
  const Finished run = umf(two_models({"--budget", "80", "--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_GT(json["reward"], 0);
  EXPECT_LT(json["reward"], 1);
  EXPECT_THAT(json["why"].get<std::string>(), testing::StartsWith("steps 0."));
  const Finished ahead = umf(two_models({"--budget", "80", "--json", "--workers", "3"}));
  EXPECT_EQ(without_seconds(ahead.out), without_seconds(run.out));
  Json wrong = problem;
  wrong["reward"]["model"] = tiny("tiny-dream");
  expect_refusal(solve_text(wrong.dump()), "not a process reward model");
}

TEST_F(SolveCli, AJudgeThatFailsIsAnOutcomeNotACrash) {
  for (const char* script : {"exit 3", "echo often", "kill -9 $$", ""}) {
    const Finished run = solve_text(judged_by(script), {"--budget", "16", "--json"});
    ASSERT_EQ(run.status, 0) << script << ": " << run.err;
    EXPECT_EQ(Json::parse(run.out)["reward"], nullptr);
    EXPECT_THAT(Json::parse(run.out)["why"].get<std::string>(), HasSubstr("the judge"));
  }
  const std::string absent =
      R"({"id": "a", "prompt": "a", "reward": {"type": "command", "argv": ["/no/such/judge"]}})";
  const Finished run = solve_text(absent, {"--budget", "16"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("/no/such/judge"));
}

// ---- breaks

TEST_F(SolveCli, ControlCKeepsTheBestSoFar) {
  // The third judgement tells that the search is well under way.
  write_file(problem(), judged_by("cat > /dev/null; echo x >> " + place("judged") +
                                  "; test $(wc -l < " + place("judged") + ") -gt 2 && echo x > " +
                                  place("under-way") + "; echo 0.5"));
  for (const int signal : {SIGINT, SIGTERM}) {  // in a tree that lasts for minutes
    std::filesystem::remove(place("judged"));
    std::filesystem::remove(place("under-way"));
    Running run(two_models({"--window", "64", "--budget", "2000000", "--no-cache", "--json",
                            "--trace", place("trace"), "--workers", signal == SIGINT ? "1" : "2",
                            "--ratios", "0.95,0.9,0.85,0.8,0.75,0.7,0.65,0.6,0.55,0.5,0.45,0.4"}));
    await(place("under-way"));
    run.send(signal);
    const Finished stopped = run.wait();
    EXPECT_EQ(stopped.status, 130) << stopped.err;
    const Json json = Json::parse(stopped.out);
    EXPECT_EQ(json["search"]["stopped"], "interrupted");
    EXPECT_EQ(json["reward"], 0.5);
    EXPECT_EQ(json["best"]["iteration"], 1);
    EXPECT_GE(json["search"]["misses"], 2);
    EXPECT_EQ(lines_of(place("trace")).size(), json["search"]["rollouts"].get<std::size_t>());
  }
}

#if defined(__SANITIZE_ADDRESS__)
constexpr int kRounds = 2, kKillsPerRound = 3;
#else
constexpr int kRounds = 10, kKillsPerRound = 5;
#endif

TEST_F(SolveCli, AKilledSearchContinuesFromItsCheckpointAsIfNothingHadHappened) {
  const auto command = [&](const std::string& name, int workers = 1) {
    return two_models({"--window", "48", "--budget", "900", "--json", "--quiet", "--checkpoint",
                       place(name), "--trace", place(name + ".trace"), "--workers",
                       std::to_string(workers), "--action", "model=dream,temperature=0.4",
                       "--action", "model=llada", "--action",
                       "model=llada,strategy=origin,temperature=0.5"});
  };
  const auto start = std::chrono::steady_clock::now();
  const Finished whole = Running(command("whole")).wait();
  const auto whole_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  ASSERT_EQ(whole.status, 0) << whole.err;
  ASSERT_GT(Json::parse(whole.out)["search"]["hits"], 5);
  RecordProperty("whole_ms", static_cast<int>(whole_ms));
  std::mt19937 rng(6);
  int killed = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "round-" + std::to_string(round);
    for (int i = 0; i < kKillsPerRound; ++i) {
      Running run(command(name, 1 + i % 2));
      sleep_ms(static_cast<int>(rng() % (whole_ms / 2 + 1)));
      run.send(SIGKILL);
      killed += run.wait().status == -1;
    }
    const Finished resumed = Running(command(name)).wait();
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(without_seconds(resumed.out), without_seconds(whole.out));
    EXPECT_EQ(read_file(place(name + ".trace")), read_file(place("whole.trace")));
    EXPECT_TRUE(journal_entries(read_file(place(name))) ==
                journal_entries(read_file(place("whole"))))
        << "the checkpoint itself";
  }
  EXPECT_GE(killed, kRounds) << "others had ended: how many depends on what else the machine does";
}

TEST_F(SolveCli, ACheckpointOfAnotherSearchIsRefused) {
  const std::string file = place("checkpoint");
  ASSERT_EQ(umf(one_model({"--budget", "16", "--checkpoint", file})).status, 0);
  EXPECT_EQ(umf(one_model({"--budget", "32", "--checkpoint", file})).status, 0) << "more budget";
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--window", "8"},
                                                {"--seed", "1"},
                                                {"--action", "temperature=1"}}) {
    std::vector<std::string> options = {"--checkpoint", file};
    options.insert(options.end(), other.begin(), other.end());
    expect_refusal(umf(one_model(options)), "another search");
  }
  const std::string before = read_file(problem());
  expect_refusal(umf(one_model({"--checkpoint", problem()})), "is not a checkpoint of a search");
  EXPECT_EQ(read_file(problem()), before);
}

}  // namespace
}  // namespace umf
