// Several devices, as users of the command line see them. Here the cpu backend's only device is
// listed several times: each time it is a device of its own.
#include <nlohmann/json.hpp>

#include "cli/solve_fixture.h"
#include "support/journal_entries.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

class Devices : public SolveCli {
 protected:
  // The answer without seconds, the trace and the checkpoint.
  std::string solved(const std::vector<std::string>& more) {
    std::vector<std::string> words = more;
    words.insert(words.end(), {"--budget", "120", "--json", "--quiet", "--backend", "cpu",
                               "--trace", place("trace"), "--checkpoint", place("checkpoint")});
    const Finished run = umf(two_models(words));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    const std::string all = without_seconds(run.out) + read_file(place("trace")) +
                            Json(journal_entries(read_file(place("checkpoint")))).dump();
    std::filesystem::remove(place("checkpoint"));
    return all;
  }
};

TEST_F(Devices, WhateverIsListedTheBytesAreThoseOfOne) {
  const std::string expected = solved({"--device", "0"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--devices", "0"},
        {"--devices", "0,0"},
        {"--devices", "all,0-0"},
        {"--devices", "0,0,0", "--workers", "2"},
        {"--devices", "0,0", "--place", "dream=0,llada=1"},
        {"--devices", "0,0", "--place", "dream=1", "--workers", "1"},
        {"--devices", "0,0,0,0", "--place", "llada=1"},
        {"--devices", "0,0", "--memory-limit", "0.0007"}}) {
    SCOPED_TRACE(Json(options).dump());
    EXPECT_EQ(solved(options), expected);
  }
}

TEST_F(Devices, ThePlainLoopsHaveDevicesToo) {
  const std::vector<std::string> plain = {"--budget", "32",        "--json",
                                          "--quiet",  "--backend", "reference"};
  std::vector<std::string> twice = plain;
  twice.insert(twice.end(), {"--devices", "0,0"});
  EXPECT_EQ(without_seconds(umf(one_model(twice)).out), without_seconds(umf(one_model(plain)).out));
}

TEST_F(Devices, OneLineTellsWhereModelsStand) {
  const auto told = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = more;
    words.insert(words.end(), {"--budget", "16", "--json", "--backend", "cpu"});
    const Finished run = umf(two_models(words));
    EXPECT_EQ(run.status, 0) << run.err;
    return run.err;
  };
  EXPECT_THAT(
      told({"--devices", "0,0"}),
      HasSubstr("dream on device 0, llada on device 0, and once more on others; 2 workers"));
  // Too much for one device: each stands on one of its own.
  EXPECT_THAT(told({"--devices", "0,0", "--memory-limit", "0.0007"}),
              HasSubstr("dream on device 0, llada on device 0; 2 workers\n"));
  EXPECT_THAT(told({}), Not(HasSubstr("on device")));
}

TEST_F(Devices, ASearchThatCannotWorkAheadUsesTheFirst) {
  const std::vector<std::string> words = {"--search", "treasure", "--budget",
                                          "40",       "--json",   "--quiet"};
  std::vector<std::string> twice = words;
  twice.insert(twice.end(), {"--devices", "0,0", "--backend", "cpu"});
  const Finished run = umf(one_model(twice));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(without_seconds(run.out), without_seconds(umf(one_model(words)).out));
  twice.insert(twice.end(), {"--workers", "2"});
  expect_refusal(umf(one_model(twice)), "leave out --workers");
}

TEST_F(Devices, MistakesNameWhatThereIs) {
  const auto solve = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--backend", "cpu", "--threads", "2"});
    return umf(two_models(more));
  };
  expect_refusal(solve({"--device", "1"}), "backend 'cpu' has no device 1 here; it has 0 (");
  expect_refusal(solve({"--devices", "0,3"}), "backend 'cpu' has no device 3 here; it has 0 (");
  expect_refusal(solve({"--devices", "0-2"}), "backend 'cpu' has no device 1 here");
  for (const char* text : {"first", "0,", ",", "-1", "1-0", "0-", "0;1", "0x0", "99999999999"}) {
    SCOPED_TRACE(text);
    expect_refusal(solve({std::string("--devices=") + text}), "--devices takes numbers and ranges");
  }
  std::string many = "0";
  for (int i = 0; i < 64; ++i) many += ",0";
  expect_refusal(solve({"--devices", many}), "64 devices at most");
  for (const char* text : {"x", "1.5", "-1", "0,0"})
    expect_refusal(solve({std::string("--device=") + text}), "--device takes the number");
  expect_refusal(solve({"--device", "0", "--devices", "0,0"}), "exclude each other");
  expect_refusal(solve({"--place", "dream=0"}), "give that, too: --devices 0,1");
  expect_refusal(solve({"--devices", "0,0", "--place", "dream"}), "--place takes MODEL=PLACE");
  expect_refusal(solve({"--devices", "0,0", "--place", "dream=x"}), "--place takes MODEL=PLACE");
  expect_refusal(solve({"--devices", "0,0", "--place", "=1"}), "--place takes MODEL=PLACE");
  expect_refusal(solve({"--devices", "0,0", "--place", "dream=2"}), "lists 2 devices");
  expect_refusal(solve({"--devices", "0,0", "--place", "dream=0,dream=1"}),
                 "two places for 'dream'");
  expect_refusal(solve({"--devices", "0,0", "--place", "mercury=1"}),
                 "there is no model 'mercury'; the models are dream, llada");
  expect_refusal(solve({"--devices", "0,0", "--workers", "3", "--memory-limit", "0.0001"}),
                 "several workers keep all of them busy");
  expect_refusal(
      umf({"generate", "Hi", "--model", tiny("tiny-llada"), "--backend", "cpu", "--device", "7"}),
      "has no device 7 here");
}

// A judge that is a model stands on the devices as well.
TEST_F(Devices, ARewardModelGivesTheSameWhereverItStands) {
  write_file(problem(), Json{{"id", "p"},
                             {"prompt", "What is one and one?"},
                             {"reward", {{"type", "prm"}, {"model", tiny("tiny-prm")}}}}
                            .dump());
  const auto judged = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = more;
    words.insert(words.end(), {"--budget", "48", "--json", "--quiet", "--backend", "cpu"});
    const Finished run = umf(one_model(words));
    EXPECT_EQ(run.status, 0) << run.err;
    return without_seconds(run.out);
  };
  const std::string expected = judged({});
  EXPECT_EQ(judged({"--devices", "0,0"}), expected);
  EXPECT_EQ(judged({"--devices", "0,0", "--place", "prm=1"}), expected);
  EXPECT_EQ(judged({"--devices", "0,0", "--memory-limit", "0.0007"}), expected);
}

struct ModelPlaces : testing::Test {
  const std::vector<std::string> models = {"a=" + tiny("tiny-llada"), "b=" + tiny("tiny-dream")};

  // Tiny models have 0.54 MB to 0.57 MB.
  Finished ask(const std::string& devices, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"models", "--devices", devices, "--backend", "cpu"};
    words.insert(words.end(), models.begin(), models.end());
    words.insert(words.end(), more.begin(), more.end());
    return umf(words);
  }
  Json placed(const std::string& devices, std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const Finished run = ask(devices, more);
    const Json json = Json::parse(run.out);
    EXPECT_EQ(run.status, json["fits"] ? 0 : 1) << run.err;
    return json;
  }
};

TEST_F(ModelPlaces, AreKnownBeforeAnythingIsLoaded) {
  const Json together = placed("0,0");
  EXPECT_TRUE(together["fits"]);
  EXPECT_EQ(together["groups"], 2) << "each entry has both";
  EXPECT_EQ(together["devices"].size(), 1);
  EXPECT_EQ(together["devices"][0]["left_bytes"], nullptr) << "the machine's memory";
  const Json spread = placed("0,0", {"--memory-limit", "0.0007"});
  EXPECT_TRUE(spread["fits"]);
  EXPECT_EQ(spread["groups"], 1);
  ASSERT_EQ(spread["devices"].size(), 2);
  for (int i : {0, 1}) {
    EXPECT_EQ(spread["models"][i]["name"], i == 0 ? "a" : "b");
    EXPECT_EQ(spread["devices"][i]["left_bytes"].get<long>(),
              700'000 - spread["models"][i]["weight_bytes"].get<long>());
  }
  const Json sent = placed("0,0", {"--memory-limit", "0.0007", "--place", "a=1,b=0"});
  EXPECT_EQ(sent["devices"][0]["left_bytes"].get<long>(),
            700'000 - sent["models"][1]["weight_bytes"].get<long>());
}

TEST_F(ModelPlaces, SayWhatDoesNotFit) {
  EXPECT_FALSE(placed("0", {"--memory-limit", "0.0007"})["fits"]);
  EXPECT_FALSE(placed("0,0", {"--memory-limit", "0.0007", "--place", "a=1,b=1"})["fits"]);
  const Finished text = ask("0", {"--memory-limit", "0.0007"});
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, HasSubstr("They do NOT fit together"));
  EXPECT_THAT(ask("0,0").out, HasSubstr("\nThey fit.\n"));
}

TEST_F(ModelPlaces, AreThoseOfJudgesToo) {
  const std::string judge = "judge=" + tiny("tiny-prm");
  const Json three = placed("0,0,0", {judge, "--memory-limit", "0.0007"});
  EXPECT_EQ(three["models"][2]["name"], "judge");
  EXPECT_EQ(placed("0,0", {judge, "--memory-limit", "0.0007"})["fits"], false);
  EXPECT_EQ(placed("0,0", {judge, "--memory-limit", "0.002", "--place", "prm=1"})["fits"], true);
}

TEST_F(ModelPlaces, MistakesAreNamed) {
  expect_refusal(umf({"models", models[0], models[1]}), "give --devices, too");
  expect_refusal(umf({"models", models[0], "--memory-limit", "1"}), "give --devices, too");
  expect_refusal(umf({"models", "--devices", "0", "--backend", "cpu"}), "umf models WHERE...");
  expect_refusal(ask("0", {"--check"}), "leave out --check");
  expect_refusal(ask("0", {"--place", "c=0"}), "there is no model 'c'");
  expect_refusal(ask("0", {models[0]}), "two models are called 'a'");
  expect_refusal(ask("0", {"--memory-limit", "-1"}), "must not be negative");
  expect_refusal(ask("0,9"), "has no device 9 here");
}

TEST(Backends, ListsTheDevicesOfEach) {
  const Finished text = umf({"backends", "--backend", "cpu", "--threads", "2"});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("device 0: "));
  EXPECT_THAT(text.out, HasSubstr("2 threads"));
  const Json list = Json::parse(umf({"backends", "--json", "--threads", "1"}).out)["backends"];
  for (const Json& backend : list) {
    const std::string name = backend["name"];
    if (name.starts_with("cuda")) continue;  // as many as there are
    ASSERT_EQ(backend["devices"].size(), 1) << name;
    EXPECT_EQ(backend["devices"][0]["device"], 0);
    EXPECT_NE(backend["devices"][0]["name"], "");
  }
  EXPECT_EQ(umf({"backends", "--backend", "cpu", "--device", "1"}).status, 2);
}

}  // namespace
}  // namespace umf
