#include "bench/growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "bench/result_log.h"
#include "bench/run_part.h"
#include "bench/status.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json configuration(const std::string& name, const std::vector<long>& budgets) {
  return {{"name", name}, {"window", 16}, {"seed", 0}, {"budgets", budgets}};
}

Json manifest() {
  return sealed({{"version", "1"},
                 {"backend", "cuda"},
                 {"dataset",
                  {{"kind", "problems"},
                   {"path", "/data/set.jsonl"},
                   {"fingerprint", "f"},
                   {"problems", {"b", "a"}},
                   {"problem_fingerprints", {"fb", "fa"}}}},
                 {"models", {{{"directory", "/m"}, {"fingerprint", "x"}}}},
                 {"configurations", Json::array({configuration("umf", {16, 32})})}});
}

Json changed(const char* path, const Json& value, Json json = manifest()) {
  json[Json::json_pointer(path)] = value;
  return json;
}

template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string refused(const Json& wanted) {
  return refusal([&] { grown(manifest(), wanted); });
}

TEST(Growth, WhatIsThereAlreadyAddsNothing) {
  EXPECT_EQ(grown(manifest(), manifest()), manifest());
  Json part = changed("/dataset/problems", {"a"});
  part["dataset"]["problem_fingerprints"] = {"fa"};
  part["configurations"][0]["budgets"] = {32};
  EXPECT_EQ(grown(manifest(), part), manifest()) << "a command may name less than there is";
}

TEST(Growth, EachPartIsAddedBehindWhatIsThere) {
  Json wanted = changed("/dataset/problems", {"a", "c", "b"});
  wanted["dataset"]["problem_fingerprints"] = {"fa", "fc", "fb"};
  wanted["models"].insert(wanted["models"].begin(), Json{{"fingerprint", "y"}});
  wanted["configurations"] = {configuration("bon", {8}), configuration("umf", {24})};
  wanted["configurations"][1]["seeds"] = {2, 3};
  const Manifest after = parse_manifest(grown(manifest(), sealed(wanted)), "here");
  EXPECT_THAT(after.ids, ElementsAre("b", "a", "c"));
  EXPECT_THAT(after.fingerprints, ElementsAre("fb", "fa", "fc"));
  EXPECT_EQ(after.json["models"][1]["fingerprint"], "y");
  ASSERT_EQ(after.configurations.size(), 2);
  EXPECT_EQ(after.configurations[0].name, "umf");
  EXPECT_THAT(after.configurations[0].budgets, ElementsAre(16, 24, 32));
  EXPECT_THAT(after.configurations[0].seeds, ElementsAre(0, 2, 3));
  EXPECT_EQ(after.configurations[0].seed, 0) << "jobs keep their names";
  EXPECT_EQ(after.configurations[1].name, "bon");
}

TEST(Growth, WhatCannotBeAddedIsNamed) {
  EXPECT_THAT(refused(changed("/version", "2")), HasSubstr("/version = \"1\""));
  EXPECT_THAT(refused(changed("/backend", "cpu")), HasSubstr("/backend"));
  EXPECT_THAT(refused(changed("/tests", {{"drop_rate", 0.5}})), HasSubstr("/tests"));
  EXPECT_THAT(refused(changed("/dataset/prompt_style", "base")),
              HasSubstr("/dataset/prompt_style"));
  EXPECT_THAT(refused(changed("/configurations/0/window", 32)),
              HasSubstr("configuration 'umf': it has /window = 16, and this command 32; give"));
  EXPECT_THAT(refused(changed("/dataset/problem_fingerprints/1", "other")),
              HasSubstr("its problem 'a' is another one than 'set.jsonl' has"));
  Json other_file = changed("/dataset/path", "/data/other.jsonl");
  EXPECT_EQ(refused(other_file), "no error") << "nothing is added";
  other_file["dataset"]["problems"] = {"b", "c"};
  other_file["dataset"]["problem_fingerprints"] = {"fb", "fc"};
  EXPECT_THAT(refused(other_file), HasSubstr("of 'set.jsonl', and those of 'other.jsonl' cannot"));
}

TEST(Growth, PoolsStayAsTheyAre) {
  const auto pool = [](long cap) { return Json{{"budget", 32}, {"quantum", 16}, {"cap", cap}}; };
  const Json pooled = changed("/configurations/0/pool", pool(64));
  EXPECT_EQ(grown(manifest(), pooled), pooled) << "a first one may come";
  EXPECT_EQ(grown(pooled, manifest()), pooled);
  EXPECT_THAT(refusal([&] { grown(pooled, changed("/configurations/0/pool", pool(96))); }),
              HasSubstr("its pool is"));
  EXPECT_THAT(refusal([&] { grown(pooled, changed("/configurations/0/seeds", {1})); }),
              HasSubstr("a pool is of one seed"));
}

TEST(Growth, TheClockGivesNoFurtherBudgets) {
  const Json timed = changed("/configurations/0/seconds", 1.0);
  EXPECT_EQ(grown(timed, timed), timed);
  EXPECT_THAT(refusal([&] {
                grown(timed, changed("/configurations/0/budgets", {16, 64}, timed));
              }),
              HasSubstr("the clock ends its searches"));
}

// Its problems cannot be told from others of the same names.
TEST(Growth, RunsOfEarlierVersionsGrowByAllButProblems) {
  Json old = manifest();
  old["dataset"].erase("problem_fingerprints");
  Json wanted = changed("/configurations/0/budgets", {64});
  EXPECT_EQ(grown(old, wanted)["configurations"][0]["budgets"], Json({16, 32, 64}));
  EXPECT_FALSE(grown(old, wanted)["dataset"].contains("problem_fingerprints"));
  wanted["dataset"]["problems"] = {"b", "a", "c"};
  wanted["dataset"]["problem_fingerprints"] = {"fb", "fa", "fc"};
  EXPECT_THAT(refusal([&] { grown(old, wanted); }), HasSubstr("begun by an earlier version"));
  EXPECT_EQ(difference(old, manifest()), "") << "and go on";
  EXPECT_THAT(difference(changed("/dataset/fingerprint", "g", old), manifest()),
              HasSubstr("/dataset/fingerprint"));
}

TEST(Growth, NeitherPlaceNorOrderMakesAnotherRun) {
  Json other = changed("/dataset/problems", {"a", "b"});
  other["dataset"]["problem_fingerprints"] = {"fa", "fb"};
  other["dataset"]["fingerprint"] = "of another order";
  other["dataset"]["path"] = "/mnt/set.jsonl";
  EXPECT_EQ(difference(manifest(), other), "");
  other["dataset"]["problem_fingerprints"] = {"fa", "fc"};
  EXPECT_THAT(difference(manifest(), other), HasSubstr("/dataset/problems/b"));
}

TEST(Devices, OfOneKindGoOnAndOthersAreRefusedUnlessTheyMayBeMixed) {
  const Json one = changed("/devices", {"A"}), other = changed("/devices", {"B"}),
             both = changed("/devices", {"A", "B"});
  EXPECT_EQ(with_devices(one, one, false), one);
  EXPECT_THAT(refusal([&] { with_devices(one, other, false); }),
              HasSubstr("are made on A, and this machine has B"));
  EXPECT_EQ(with_devices(one, other, true), both);
  EXPECT_EQ(with_devices(both, other, false), both) << "told once";
  EXPECT_THAT(refusal([&] { with_devices(manifest(), both, false); }), HasSubstr("--mix-devices"))
      << "two kinds in one process";
  EXPECT_EQ(with_devices(manifest(), one, false), one) << "a run of an earlier version gets a kind";
  EXPECT_EQ(with_devices(manifest(), manifest(), false), manifest()) << "processors have none";
}

class GrowingRun : public testing::Test {
 protected:
  std::filesystem::path run() const { return directory_ / "run"; }
  RunDirectory start(const Json& json, bool mix = false) const {
    return RunDirectory::start(run(), json, /*must_exist=*/false, mix);
  }
  RunDirectory extend(const Json& json, bool mix = false) const {
    return RunDirectory::extend(run(), json, mix);
  }
  // The run with one configuration more.
  static Json with(const std::string& name) {
    Json json = manifest();
    json["configurations"].push_back(configuration(name, {8}));
    return json;
  }
  static std::vector<std::string> names(const Manifest& manifest) {
    std::vector<std::string> names;
    for (const Manifest::Entry& entry : manifest.configurations) names.push_back(entry.name);
    return names;
  }

  TemporaryDirectory directory_;
};

TEST_F(GrowingRun, EveryCommandThatMadeItCanBeRepeated) {
  start(manifest());
  const std::string config = read_file(run() / "config.json");
  EXPECT_THAT(refusal([&] { start(with("bon")); }), HasSubstr("add to it with --extend"));
  extend(with("bon"));
  extend(with("dts"));
  EXPECT_EQ(read_file(run() / "config.json"), config) << "written once";
  for (const Json& command : {manifest(), with("bon")})
    EXPECT_THAT(names(start(command).manifest()), ElementsAre("umf", "bon", "dts"));
  EXPECT_THAT(refusal([&] { start(with("dts")); }), HasSubstr("holds another run"))
      << "the run was never that";
  extend(with("dts"));
  EXPECT_FALSE(std::filesystem::exists(run() / "extensions/0003.json")) << "nothing was added";
  EXPECT_THAT(refusal([&] { extend(changed("/configurations/0/window", 24)); }),
              HasSubstr("run': configuration 'umf'"));
}

TEST_F(GrowingRun, MustBeThere) {
  EXPECT_THAT(refusal([&] { extend(manifest()); }), HasSubstr("--extend, but there is no run"));
  EXPECT_FALSE(std::filesystem::exists(run()));
}

TEST_F(GrowingRun, OfManyWhoExtendAtOnceEachOnesPartIsAdded) {
  start(manifest());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { extend(with("c" + std::to_string(i))); });
  for (auto& thread : threads) thread.join();
  const RunDirectory after = RunDirectory::open(run());
  EXPECT_EQ(after.manifest().configurations.size(), 9);
  const std::vector<Manifest> history = after.history();
  ASSERT_EQ(history.size(), 9);
  for (std::size_t i = 1; i < history.size(); ++i)
    EXPECT_NO_THROW(require_goes_on(history[i - 1].json, history[i].json, "here"));
}

// The other one's file is there before ours can be: what it added stays, ours comes behind it.
TEST_F(GrowingRun, OfTwoWhoAddTheSameNameOtherwiseTheSecondIsRefused) {
  start(manifest());
  extend(with("bon"));
  Json other = with("bon");
  other["configurations"][1]["window"] = 24;
  EXPECT_THAT(refusal([&] { extend(other); }), HasSubstr("configuration 'bon': it has /window"));
}

TEST_F(GrowingRun, AMarkStaysOfDevicesThatWereMixed) {
  start(changed("/devices", {"A"}));
  EXPECT_THAT(refusal([&] { start(changed("/devices", {"B"})); }), HasSubstr("run': its results"));
  EXPECT_THAT(start(changed("/devices", {"B"}), true).manifest().devices, ElementsAre("A", "B"));
  EXPECT_THAT(start(changed("/devices", {"A"})).manifest().devices, ElementsAre("A", "B"));
  EXPECT_THAT(refusal([&] { extend(changed("/devices", {"C"})); }), HasSubstr("made on A; B"));
}

TEST_F(GrowingRun, ADamagedManifestIsAnErrorThatNamesTheRun) {
  start(manifest());
  for (const char* key : {"models", "configurations", "dataset"}) {
    Json damaged = manifest();
    damaged[key] = Json::array({3});
    write_file(run() / "config.json", damaged.dump());
    EXPECT_THAT(refusal([&] { extend(with("bon")); }), HasSubstr("does not describe a run")) << key;
    EXPECT_THAT(refusal([&] { start(manifest()); }), HasSubstr("does not describe a run")) << key;
  }
}

// Where there are no hard links a file is made empty; its maker was killed, or comes late.
TEST_F(GrowingRun, AnExtensionThatWasNeverWrittenAddsNothing) {
  start(manifest());
  std::filesystem::create_directory(run() / "extensions");
  write_file(run() / "extensions/0001.json", "");
  EXPECT_THAT(names(extend(with("bon")).manifest()), ElementsAre("umf", "bon"));
  EXPECT_TRUE(std::filesystem::exists(run() / "extensions/0002.json"));
  // Now the late one writes what it knew of, and finds that it was not seen.
  write_file(run() / "extensions/0001.json", with("dts").dump());
  EXPECT_THAT(names(RunDirectory::open(run()).manifest()), ElementsAre("umf", "bon"));
  EXPECT_THAT(names(extend(with("dts")).manifest()), ElementsAre("umf", "bon", "dts"));
}

TEST_F(GrowingRun, NumbersThatWereChangedByHandAreRefused) {
  start(manifest());
  extend(with("bon"));
  Json other = manifest();
  other["dataset"]["problems"] = {"a", "b"};
  write_file(run() / "config.json", other.dump());
  EXPECT_THAT(refusal([&] { RunDirectory::open(run()); }), HasSubstr("0001.json' does not go on"));
  write_file(run() / "extensions/0001.json", "{}");
  EXPECT_THAT(refusal([&] { RunDirectory::open(run()); }), HasSubstr("0001.json'"));
}

TEST_F(GrowingRun, ResultsOfAConfigurationThatWasChangedByHandAreRefused) {
  const RunDirectory began = start(manifest());
  Result result;
  result.key = {"a", "umf", 16};
  result.made_for = began.manifest().made_for(1, 0);
  ResultWriter(began.results() / "w.jsonl").append(result);
  const auto read = [&] {
    return refusal([&] {
      ResultIndex index(RunDirectory::open(run()));
      index.refresh();
    });
  };
  const auto write = [&](const Json& json) { write_file(run() / "config.json", json.dump()); };
  EXPECT_EQ(read(), "no error");
  write(changed("/configurations/0/budgets", {16, 32, 64}));
  EXPECT_EQ(read(), "no error") << "what results are wanted of does not change them";
  write(changed("/configurations/0/window", 24));
  EXPECT_THAT(read(), HasSubstr("by another configuration than what the run now calls 'umf'"));
  write(changed("/dataset/problem_fingerprints", {"fb", "other"}));
  EXPECT_THAT(read(), HasSubstr("for another problem than what the run now calls 'a'"));
  write(changed("/version", "2"));
  EXPECT_THAT(read(), HasSubstr("by another configuration"));
}

TEST_F(GrowingRun, AnExtensionSaysWhoMadeIt) {
  start(changed("/made_by", {{"command", "umf bench"}, {"started", 1}}));
  const auto made_by = [&](int number) {
    return RunDirectory::open(run()).history().at(number).json.value("made_by", Json());
  };
  extend(changed("/made_by", {{"command", "umf bench --extend"}, {"started", 2}}, with("bon")));
  EXPECT_EQ(made_by(0), Json({{"command", "umf bench"}, {"started", 1}}));
  EXPECT_EQ(made_by(1), Json({{"command", "umf bench --extend"}, {"started", 2}}));
  extend(changed("/made_by", {{"command", "again"}, {"started", 3}}, with("bon")));
  EXPECT_FALSE(std::filesystem::exists(run() / "extensions/0002.json")) << "nothing was added";
  extend(with("dts"));
  EXPECT_EQ(made_by(2), Json()) << "nobody else's";
}

TEST_F(GrowingRun, WhoeverLooksOnSeesItGrow) {
  RunWatch watch(start(changed("/dataset/problems", {"b", "a"})));
  EXPECT_EQ(watch.look()["total"], 4);
  const RunDirectory after = extend(with("bon"));
  EXPECT_EQ(watch.look()["total"], 6);
  Result result;
  result.key = {"a", "bon", 8};
  result.status = ResultStatus::kFailed;
  ResultWriter(after.results() / "w.jsonl").append(result);
  EXPECT_EQ(watch.look()["failures"][0]["configuration"], "bon");
  EXPECT_EQ(watch.look()["left"], 5);
}

// The version that knew no seeds wrote them: a look that began before its configuration was there.
TEST_F(GrowingRun, WhatWasReadBeforeItGrewCountsAsTheRunNowSays) {
  const RunDirectory began = start(manifest());
  RunWatch watch(began);
  Result result;
  result.key = {"a", "bon", 8};
  Json line = Json::parse(result_line(result));
  line.erase("seed");
  write_file(began.results() / "w.jsonl", line.dump() + "\n");
  EXPECT_EQ(watch.look()["done"], 0);
  extend(changed("/configurations/1/seed", 7, with("bon")));
  EXPECT_EQ(watch.look()["done"], 1);
}

// One line of an earlier version, which knew no seeds, and one of this.
TEST_F(GrowingRun, LinesWithoutASeedAreOfTheOneThatTheRunBeganWith) {
  const RunDirectory run = start(changed("/configurations/0/seed", 7));
  Result result;
  result.key = {"a", "umf", 16, 9};
  Json line = Json::parse(result_line(result));
  line.erase("seed");
  write_file(run.results() / "w.jsonl", line.dump() + "\n" + result_line(result));
  ResultIndex index(run);
  index.refresh();
  EXPECT_EQ(index.all().size(), 2);
  EXPECT_TRUE(index.find({"a", "umf", 16, 7}));
  EXPECT_TRUE(index.find({"a", "umf", 16, 9}));
}

TEST_F(GrowingRun, ASearchUnderWayGoesOnToALargerBudget) {
  const RunDirectory r = start(manifest());
  const auto folder = run() / "checkpoints";
  write_file(folder / "00000-000-32.w1", "one two");
  write_file(folder / "00000-000s5-32.w1", "of another seed, and longer");
  EXPECT_EQ(read_file(r.adopt_checkpoint("00000-000", 64, "w2", true)), "one two");
  EXPECT_FALSE(std::filesystem::exists(folder / "00000-000-32.w1"));
  r.remove_checkpoints("00000-000-");
  EXPECT_TRUE(std::filesystem::exists(folder / "00000-000s5-32.w1"));
}

TEST(JobNames, TellSeedsApart) {
  Manifest manifest;
  manifest.configurations = {{.name = "umf", .budgets = {16}, .seed = 5, .seeds = {1, 5}}};
  EXPECT_EQ(manifest.job_name(3, 0, 5), Manifest::job_name(3, 0));
  EXPECT_EQ(manifest.job_name(3, 0, 1), "00003-000s1");
  EXPECT_EQ(Manifest::parse_job_name("00003-000s1"), std::pair(3, 0));
  EXPECT_EQ(manifest.seed_of_job("00003-000s1", 0), 1);
  EXPECT_EQ(manifest.seed_of_job("00003-000", 0), 5);
  for (const char* other :
       {"3-0s", "3-0sx", "3-0s1x", "3-0s-1", "3s1-0", "3-0s99999999999999999999"})
    EXPECT_FALSE(Manifest::parse_job_name(other)) << other;
}

TEST(RunParts, AreWhatTheyName) {
  Manifest manifest;
  manifest.ids = {"a", "b", "c"};
  manifest.configurations = {{.name = "x", .budgets = {16, 32}, .seeds = {0, 1}},
                             {.name = "y", .budgets = {16}}};
  EXPECT_EQ(whole(manifest).results(), 3 * 5);
  const RunPart part = part_of(manifest, {"c", "a", "z"}, {"x"});
  EXPECT_THAT(part.problems, ElementsAre(0, 2));
  EXPECT_EQ(part.results(), 2 * 4);
  const PartKeys keys(manifest, part);
  EXPECT_TRUE(keys.has({"a", "x", 32, 1}));
  EXPECT_FALSE(keys.has({"b", "x", 32, 1}));
  EXPECT_FALSE(keys.has({"a", "y", 16, 0}));
  EXPECT_FALSE(keys.has({"a", "x", 32, 2}));
  EXPECT_FALSE(keys.has({"a", "x", 64, 1}));
}

}  // namespace
}  // namespace umf
