// The models, the examples and the first run that come with the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "built_in.h"
#include "session/problem.h"
#include "setup/examples.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::filesystem::path kSource = UMF_SOURCE_DIR;

std::map<std::string, std::string> written_fingerprints() {
  std::istringstream lines(read_file(kSource / "assets/models/FINGERPRINTS"));
  std::map<std::string, std::string> fingerprints;
  for (std::string hash, file; lines >> hash >> file;) fingerprints[file] = hash;
  return fingerprints;
}

Json solved(std::vector<std::string> words) {
  words.insert(words.begin(), {"solve", "--json", "--quiet"});
  const Finished run = umf(words);
  EXPECT_EQ(run.status, 0) << run.err;
  return Json::parse(run.out, nullptr, /*allow_exceptions=*/false);
}

TEST(EmbeddedModels, AreTheFilesThatTheScriptMade) {
  std::map<std::string, std::string> found;
  for (const BuiltInFolder& model : built_in_models()) {
    std::size_t bytes = 0;
    for (const BuiltInFile& file : model.files) {
      found[std::string(model.name) + "/" + std::string(file.name)] = sha256(file.text());
      bytes += file.bytes.size();
    }
    EXPECT_LE(bytes, 16u << 20) << model.name;
  }
  EXPECT_EQ(found, written_fingerprints());
  EXPECT_EQ(found.size(), 15u);
}

TEST(EmbeddedModels, WriteTheSameTextOnEveryBackend) {
  const std::string prompt = "Write f(xs): square each, then sort descending, and return it.";
  // Four tokens a pass: few passes for the plain loops, and texts that tell the models apart.
  const std::string begin = "def f(xs):\n    xs = [x * x for x in xs]\n    xs";
  const std::map<std::string, std::string> texts = {
      {"llada", begin + " = [x for x in xs if x != 2]\n"},
      {"dream", begin + " = [x * x for x in xs]\n    xs\n"},
      {"diffcoder", begin + " = sorted(xs,[::)]]return\n"}};
  for (const auto& [model, text] : texts) {
    for (const char* backend : {"cpu", "cpu-bf16", "reference"}) {
      const Finished run = umf({"generate", "--quiet", "--model", model, "--length", "32",
                                "--per-step", "4", "--backend", backend, prompt});
      EXPECT_EQ(run.out, text) << model << " on " << backend << run.err;
    }
  }
}

// x86-64's, and arm64's.
TEST(EmbeddedPredictions, HaveTheSameBitsOnEveryMachine) {
  const std::map<std::string, std::string> fingerprints = {{"dream", "5653965d87afba9a"},
                                                           {"llada", "7868123e65a43567"},
                                                           {"diffcoder", "0356d2e2f1b5bc19"}};
  for (const auto& [model, fingerprint] : fingerprints) {
    const Finished check = umf({"models", model, "--check", "--json", "--backend", "cpu"});
    ASSERT_EQ(check.status, 0) << check.err;
    EXPECT_EQ(parse_json(check.out, "umf models")["predictions"]["fingerprint"], fingerprint)
        << model;
  }
}

TEST(EmbeddedModels, AreKnownByNameEverywhere) {
  const TemporaryDirectory elsewhere;
  const Json list = Json::parse(umf({"models", "--json"}).out);
  EXPECT_EQ(list["embedded"], Json({"dream", "llada", "diffcoder"}));
  const Finished described = umf({"models", "dream"});
  EXPECT_THAT(described.out,
              HasSubstr("strategy=entropy,temperature=0,eos-penalty=3,commit=tau:0.99"));
  EXPECT_THAT(described.out, HasSubstr("all tensors are there"));
  const Finished ids = umf({"tokenize", "--model", "llada"}, "\"def f(xs):\"\n");
  EXPECT_EQ(ids.status, 0) << ids.err;
  expect_refusal(umf({"models", "lada"}), "or an embedded model: dream, llada, diffcoder");
}

TEST(EmbeddedModels, WorkWithoutAnyFile) {
  const TemporaryDirectory elsewhere;
  const std::string copy = elsewhere / "umf";
  std::filesystem::copy_file(UMF_BINARY, copy);
  const std::string command = "cd / && env -i " + copy +
                              " generate --quiet --length 8 'Write f(xs): count them.' >" +
                              (elsewhere / "out").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(read_file(elsewhere / "out"), HasSubstr("def f"));
}

// A directory of that name is still within reach.
TEST(EmbeddedModels, StandBeforeDirectoriesOfTheirName) {
  const TemporaryDirectory place;
  std::filesystem::copy(tiny("tiny-dream"), place / "dream");
  const std::string go = "cd " + quoted(place.path()) + " && ";
  EXPECT_THAT(umf({"models", "dream"}, "", go).out, HasSubstr("embedded:dream"));
  EXPECT_THAT(umf({"models", "./dream"}, "", go).out, testing::Not(HasSubstr("embedded:")));
}

// What make solve shows (tools/embedded/first_run.py finds such problems): the first model alone is
// wrong, and together they are right within one window.
TEST(FirstRun, SolvesWhatTheFirstModelAloneGetsWrong) {
  const Json run = solved({});
  EXPECT_EQ(run["reward"], 1.0);
  EXPECT_LE(run["search"]["nfe"], 96);
  EXPECT_EQ(run["actions"][0]["model"], "dream+llada+diffcoder");
  const Json alone = solved(
      {"--search", "best-of-n", "--best-of-n-samples", "1", "--action", "model=dream,commit=one"});
  EXPECT_LT(alone["reward"], 1.0);
  EXPECT_EQ(alone["search"]["nfe"], 96);
}

TEST(FirstRun, TellsWhoWroteWhatAndWhichTestsPass) {
  const Finished run = umf({"solve"}, "", "NO_COLOR=1");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, testing::StartsWith("def f("));
  EXPECT_THAT(run.out, testing::Not(HasSubstr("\x1b")));
  for (const char* part :
       {"\nwritten by  F relay/dream", "G relay/llada", "\n  F  ", "tests  ", "  ok      f(",
        "forward passes (NFE) of 1536 for ", " a pass; ", "hits of the cache", "stopped: reward"})
    EXPECT_THAT(run.err, HasSubstr(part));
}

// The search goes on where the relay is wrong.
TEST(FirstRun, ShowsWhatTheFirstActionAloneWrote) {
  const Finished run = umf({"solve", "--example", "capped-steps"}, "", "NO_COLOR=1");
  EXPECT_EQ(run.status, 0);
  for (const char* part : {"tests  3 of 3 tests pass", "\nrelay alone  ", "  error   f("})
    EXPECT_THAT(run.err, HasSubstr(part));
}

TEST(Examples, AreThoseOfTheFolder) {
  std::set<std::string> listed, files;
  for (const Example& example : examples()) {
    EXPECT_TRUE(listed.insert(example.name + ".json").second) << example.name;
    const Problem problem = parse_problem(example_problem(example), example.name);
    EXPECT_EQ(problem.id, example.name);
    EXPECT_EQ(example_problem(example), read_file(kSource / "examples" / (example.name + ".json")));
  }
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "examples"))
    files.insert(entry.path().filename());
  files.erase("index.json");
  EXPECT_EQ(listed, files);
  EXPECT_GE(listed.size(), 12u);
}

TEST(Examples, AreListedWithTheirKinds) {
  const Finished run = umf({"solve", "--list-examples"});
  EXPECT_EQ(run.status, 0);
  for (const Example& example : examples()) EXPECT_THAT(run.out, HasSubstr(example.name));
  for (const char* kind : {" code ", " stdin ", " command ", " math "})
    EXPECT_THAT(run.out, HasSubstr(kind));
}

TEST(Examples, OnesForOtherModelsSaySo) {
  for (const Example& example : examples()) {
    if (example.needs.empty()) continue;
    expect_refusal(umf({"solve", "--example", example.name}), "needs " + example.needs);
    const Finished run = umf({"solve", "--example", example.name, "--model", tiny("tiny-dream"),
                              "--window", "8", "--budget", "8"});
    EXPECT_EQ(run.status, 0) << run.err;
  }
  expect_refusal(umf({"solve", "--example", "digit-sun"}), "Did you mean digit-sum?");
}

class SolvedExample : public testing::TestWithParam<std::string> {};

TEST_P(SolvedExample, ReachesItsReward) {
  const Json run = solved({"--example", GetParam()});
  EXPECT_EQ(run["reward"], 1.0) << run.dump();
}

TEST(Examples, AreSolvedAlikeByPath) {
  const Json built_in = solved({"--example", "digit-sum"});
  const Json file = solved({(kSource / "examples/digit-sum.json").string()});
  EXPECT_EQ(file["answer"], built_in["answer"]);
}

// All that the embedded models can do, but for the first run.
std::vector<std::string> solvable() {
  std::vector<std::string> names;
  for (const Example& example : examples()) {
    if (example.needs.empty() && example.name != examples().front().name)
      names.push_back(example.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Examples, SolvedExample, testing::ValuesIn(solvable()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace umf
