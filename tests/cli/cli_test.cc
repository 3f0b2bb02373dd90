// The program as its users see it: results, messages, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "support/cli_fixture.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Cli, HelpAndVersionSucceed) {
  EXPECT_THAT(umf({"--version"}).out,
              MatchesRegex("umf [0-9.]+\ncommit [0-9a-z]+\ncompiler .+\nbackends .*cpu.*\n"));
  EXPECT_THAT(umf({}).out, HasSubstr("generate"));
  for (const char* command : {"generate", "models", "backends", "tokenize", "logits"}) {
    const Finished help = umf({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: umf " + std::string(command)));
  }
}

TEST(Cli, QuietAndJsonAreAcceptedByEveryCommand) {
  for (const char* command :
       {"solve", "bench", "tune", "status", "report", "grade", "generate", "serve", "models",
        "backends", "doctor", "tokenize", "logits", "simulate", "math-equal"}) {
    const std::string help = umf({command, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("--quiet")) << command;
    EXPECT_THAT(help, HasSubstr("--json")) << command;
  }
  EXPECT_EQ(umf({"math-equal", "--quiet", "--json"}, R"({"gold": "1", "pred": "1"})").status, 0);
}

TEST(Cli, MistypedNamesGetASuggestion) {
  expect_refusal(umf({"genrate"}), "unknown command 'genrate'. Did you mean generate?");
  expect_refusal(umf({"generate", "--lenght", "3"}),
                 "unknown option --lenght. Did you mean --length?");
  expect_refusal(umf({"generate", "--length", "abc"}), "--length = abc is not a value");
  expect_refusal(umf({"generate", "one", "two"}), "unexpected argument 'two'");
  expect_refusal(umf({"xyzzy"}), "umf --help lists what there is");
}

TEST(Cli, BackendsAreListedCheckedAndChosenByName) {
  const Finished all = umf({"backends", "--json"});
  ASSERT_EQ(all.status, 0);
  const Json list = Json::parse(all.out)["backends"];
  std::vector<std::string> names, everywhere;
  for (const Json& backend : list) {
    names.push_back(backend["name"]);
    if (!backend["available"]) continue;
    if (!names.back().starts_with("cuda")) everywhere.push_back(names.back());
    EXPECT_EQ(backend["self_check"], true) << backend["finding"];
    // Rounded products are for those who ask for them.
    EXPECT_FALSE(backend["default"] && names.back() == "cpu-bf16");
  }
  EXPECT_THAT(names, testing::ElementsAre("cuda", "cpu", "cpu-bf16", "cuda-f32", "cuda-w8",
                                          "cuda-fp8", "reference"));
  EXPECT_THAT(everywhere, testing::ElementsAre("cpu", "cpu-bf16", "reference"));
  const Finished rounded = umf({"generate", "--json", "--quiet", "--model", tiny("tiny-llada"),
                                "--length", "4", "--backend", "cpu-bf16", "x"});
  EXPECT_EQ(Json::parse(rounded.out)["backend"], "cpu-bf16") << rounded.err;
  EXPECT_THAT(umf({"backends"}).out, HasSubstr("self-check passed"));
  const Json alone = Json::parse(umf({"backends", "--json", "--backend", "reference"}).out);
  EXPECT_EQ(alone["backends"][0]["default"], false);
  expect_refusal(umf({"backends", "--backend", "tpu"}), "there is no backend 'tpu'");
  expect_refusal(umf({"generate", "--model", tiny("tiny-llada"), "--backend", "cpu", "--cpu-target",
                      "mmx", "x"}),
                 "mmx");
  expect_refusal(umf({"generate", "--model", tiny("tiny-llada"), "--backend", "cpu", "--cpu-target",
                      "avx512bf16", "x"}),
                 "avx512bf16");
  expect_refusal(umf({"generate", "--model", tiny("tiny-llada"), "--threads", "-1", "x"}),
                 "--threads");
}

TEST(Cli, ModelsDescribesAndChecksACheckpoint) {
  const Finished described = umf({"models", tiny("tiny-dream"), "--json"});
  ASSERT_EQ(described.status, 0) << described.err;
  const Json json = Json::parse(described.out);
  EXPECT_EQ(json["family"], "dream");
  EXPECT_EQ(json["mask_token"]["id"], 300);
  EXPECT_THAT(umf({"models", tiny("tiny-prm")}).out, HasSubstr("causal"));
  expect_refusal(umf({"models", "no-such-model"}), "there is no model directory");
  expect_refusal(umf({"models", "some/model"}), "hf download some/model");
}

TEST(Cli, ModelsAreFoundInTheHubCache) {
  const TemporaryDirectory cache;
  const std::string hub = "HF_HUB_CACHE=" + cache.path().string();
  const auto model = cache / "models--org--tiny";
  write_tiny_model("tiny-llada", model / "snapshots" / "abc123");
  std::filesystem::create_directories(model / "refs");
  write_file(model / "refs" / "main", "abc123\n");
  EXPECT_THAT(umf({"models"}, "", hub).out, HasSubstr("org/tiny"));
  const Finished found = umf({"models", "org/tiny", "--json"}, "", hub);
  ASSERT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(Json::parse(found.out)["commit"], "abc123");
  write_file(model / "refs" / "main", "../../elsewhere");
  EXPECT_EQ(umf({"models", "org/tiny"}, "", hub).status, 2);
}

TEST(Cli, TokenizeGoesBothWays) {
  const std::string model = tiny("tiny-llada");
  const Finished ids = umf({"tokenize", "--model", model}, "\"Hello world\"\n\"<|eot_id|>\"\n");
  ASSERT_EQ(ids.status, 0) << ids.err;
  std::istringstream lines(ids.out);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(second, "[292]");
  EXPECT_EQ(umf({"tokenize", "--model", model, "--decode"}, first).out, "\"Hello world\"\n");
  EXPECT_GT(
      Json::parse(umf({"tokenize", "--model", model, "--no-special"}, "\"<|eot_id|>\"").out).size(),
      1);
  expect_refusal(umf({"tokenize", "--model", model}, "not json"), "stdin line 1");
  expect_refusal(umf({"tokenize", "--model", model}, "[1]"), "expected a JSON string");
  expect_refusal(umf({"tokenize", "--model", model, "--decode"}, "[-1]"), "-1 is not a token id");
  expect_refusal(umf({"tokenize", "--model", model, "--decode"}, "[99999999999999999999]"),
                 "is not a token id");
}

TEST(Cli, UserTextInAChatNeverBecomesSpecialTokens) {
  for (const char* name : {"tiny-llada", "tiny-dream", "tiny-sdc"}) {
    const std::string model = tiny(name);
    const auto ids = [&](const std::string& content) {
      const Json chat = {{{"role", "user"}, {"content", content}}};
      const Finished outcome = umf({"tokenize", "--model", model, "--chat"}, chat.dump());
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return Json::parse(outcome.out).get<std::vector<Token>>();
    };
    const Tokenizer tokenizer = Tokenizer::load(tiny_checkpoint(name));
    const auto specials = [&](const std::vector<Token>& tokens) {
      return std::count_if(tokens.begin(), tokens.end(),
                           [&](Token t) { return tokenizer.is_special(t); });
    };
    std::string all_specials;
    for (const auto& [id, text] : tokenizer.specials()) all_specials += text;
    EXPECT_EQ(specials(ids("plain")), specials(ids(all_specials))) << name;
  }
}

TEST(Cli, LogitsAreANumpyFileOfTheWantedRows) {
  const TemporaryDirectory directory;
  write_file(directory / "tokens.json", "[40, 41, 290, 43]");
  const std::string out = directory / "logits.npy", model = tiny("tiny-llada");
  const Finished outcome = umf({"logits", "--model", model, "--tokens", directory / "tokens.json",
                                "--positions", "2,0-1", "--out", out});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string file = read_file(out);
  EXPECT_EQ(file.substr(1, 5), "NUMPY");
  EXPECT_THAT(file, HasSubstr("'shape': (3, 320)"));
  Loaded loaded(model, make_cpu_backend(1, ""));
  const auto expected =
      loaded.model.logits(std::vector<Token>{40, 41, 290, 43}, std::vector<int>{2, 0, 1});
  EXPECT_EQ(std::memcmp(file.data() + file.size() - 4 * expected.size(), expected.data(),
                        4 * expected.size()),
            0);
  const auto refuse = [&](const std::string& tokens, const std::string& positions,
                          const std::string& what) {
    write_file(directory / "bad.json", tokens);
    expect_refusal(umf({"logits", "--model", model, "--tokens", directory / "bad.json",
                        "--positions", positions, "--out", out}),
                   what);
  };
  refuse("[40, 400]", "0", "400 is not a token id below 320");
  refuse("[]", "0", "no tokens");
  refuse("{}", "0", "expected an array");
  refuse("[1, 2]", "2", "'2' is not a position from 0 to 1");
  refuse("[1, 2]", "1-0", "names no position");
}

TEST(Cli, LogitsBehindAPromptAreThoseOfItsBlocks) {
  const TemporaryDirectory directory;
  const std::string model = tiny("tiny-nemotron"), tokens = directory / "tokens.json";
  write_file(tokens, "[110, 111, 112, 113, 114, 100, 100, 115]");
  const auto logits = [&](const std::string& prompt, const std::string& positions) {
    const std::string out = directory / ("out-" + prompt + ".npy");
    const Finished run = umf({"logits", "--model", model, "--tokens", tokens, "--positions",
                              positions, "--prompt", prompt, "--out", out});
    return run.status == 0 ? read_file(out) : run.err;
  };
  EXPECT_NE(logits("3", "5,6"), logits("5", "5,6")) << "another context";
  EXPECT_THAT(logits("5", "4"), HasSubstr("'4' is not a position from 5 to 7"));
  EXPECT_THAT(logits("8", "7"), HasSubstr("--prompt must be from 0 to 7, not 8"));
}

TEST(Cli, GenerateIsTheSameInEveryProcessAndOnEveryTarget) {
  for (const char* name : kDiffusionModels) {
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> arguments = {
          "generate", "--model", tiny(name),      "--length", "24",   "--quiet",
          "--seed",   "5",       "--temperature", "0.7",      "Hello"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Finished outcome = umf(arguments);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return outcome.out;
    };
    const std::string expected = run({});
    EXPECT_EQ(run({"--threads", "1"}), expected);
    EXPECT_EQ(run({"--threads", "3"}), expected);
    for (const std::string& target : cpu_targets())
      EXPECT_EQ(run({"--cpu-target", target}), expected) << target;
  }
}

TEST(Cli, GenerateReportsWhatItDid) {
  const TemporaryDirectory directory;
  const std::string trace = directory / "trace.jsonl";
  const Finished outcome =
      umf({"generate", "--model", "mine=" + tiny("tiny-dream"), "--length", "16", "--json",
           "--trace", trace, "--strategy", "margin", "--temperature", "0", "Hello"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["model"], "mine");
  EXPECT_EQ(json["nfe"], 16);
  EXPECT_TRUE(json["complete"].get<bool>());
  EXPECT_EQ(json["action"]["strategy"], "margin");
  std::ifstream lines(trace);
  std::string line;
  std::map<int, Token> committed;
  while (std::getline(lines, line)) {
    const Json event = Json::parse(line);
    for (const Json& commit : event["commits"]) committed[commit["cell"]] = commit["token"];
  }
  ASSERT_EQ(committed.size(), 16);
  for (const auto& [cell, token] : committed) EXPECT_EQ(json["tokens"][cell], token);
}

TEST(Cli, SeveralModelsWriteOneText) {
  const auto run = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"generate",
                                      "--model",
                                      "a=" + tiny("tiny-dream"),
                                      "--model",
                                      "b=" + tiny("tiny-llada"),
                                      "--length",
                                      "24",
                                      "--json",
                                      "--quiet",
                                      "--commit",
                                      "tau:0.05",
                                      "Hello"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished outcome = umf(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  };
  for (const char* rule : {"relay", "poll"}) {
    const Json json = run({"--rule", rule});
    EXPECT_EQ(json["model"], "a+b");
    EXPECT_EQ(json["action"]["rule"], rule);
    EXPECT_TRUE(json["complete"].get<bool>());
    EXPECT_LT(json["nfe"], 2 * 24);
    EXPECT_GT(json["written"]["a"].get<int>() + json["written"]["b"].get<int>(), 0);
    EXPECT_EQ(run({"--rule", rule, "--threads", "1"})["tokens"], json["tokens"]);
  }
  EXPECT_EQ(run({})["action"]["rule"], "relay") << "unless something else is said";
  const std::string a = tiny("tiny-dream"), b = tiny("tiny-llada");
  expect_refusal(umf({"generate", "--model", a, "--model", b, "--per-step", "2", "hi"}),
                 "leave out the schedule");
  expect_refusal(umf({"generate", "--model", a, "--model", b, "--rule", "vote", "hi"}),
                 "there is no rule for several models 'vote'");
}

TEST(Cli, SurePassesCommitSeveralTokens) {
  const auto passes = [](const std::string& commit) {
    const Finished outcome = umf({"generate", "--model", tiny("tiny-llada"), "--length", "24",
                                  "--json", "--quiet", "--commit", commit, "Hello"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out)["nfe"].get<int>();
  };
  EXPECT_EQ(passes("one"), 24);
  EXPECT_LT(passes("tau:0.02"), 24);
  EXPECT_EQ(passes("tau:1"), 24);
  expect_refusal(umf({"generate", "--model", tiny("tiny-llada"), "--commit", "all", "hi"}),
                 "there is no commit rule 'all'");
  expect_refusal(umf({"generate", "--model", tiny("tiny-llada"), "--commit", "tau:0.9", "--steps",
                      "8", "--schedule", "llada", "hi"}),
                 "commit=tau:0.9 says how many");
}

TEST(Cli, GenerateRefusesContradictions) {
  const std::string model = tiny("tiny-llada");
  expect_refusal(umf({"generate", "--model", model}), "needs a prompt");
  expect_refusal(umf({"generate", "--model", model, "--strategy", "best", "hi"}),
                 "there is no strategy 'best'");
  expect_refusal(umf({"generate", "--model", model, "--temperature", "-1", "hi"}),
                 "temperature must be 0 or more");
  expect_refusal(umf({"generate", "--model", model, "--action", "warmth=1", "hi"}),
                 "no key 'warmth'");
  expect_refusal(umf({"generate", "--model", model, "--length", "100000", "hi"}),
                 "do not fit the context");
  expect_refusal(umf({"generate", "--model", model, "--prompt-file", "/no/such/file"}),
                 "cannot read");
  expect_refusal(umf({"generate", "--model", model, "--chat-template", "/dev/null/x", "hi"}),
                 "cannot read");
  expect_refusal(umf({"generate", "--model", model, "--raw", "a<|mdm_mask|>b"}),
                 "contains the model's mask token");
}

// Damage done to one file of a checkpoint, and what the message must say.
struct Damage {
  const char* model;
  const char* file;
  std::string (*edit)(std::string bytes);
  const char* what;
};

TEST(Cli, DamagedCheckpointsAreRefusedInOneLine) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  static const auto replace = replaced;
  const Damage kDamages[] = {
      {"tiny-llada", "config.json", [](std::string) { return std::string("{"); }, "not valid JSON"},
      {"tiny-llada", "config.json", [](std::string) { return std::string("\xFF\xFE"); },
       "not valid JSON"},
      {"tiny-llada", "config.json", [](std::string) { return std::string(100000, '['); },
       "nested deeper"},
      {"tiny-llada", "config.json",
       [](std::string s) { return replace(s, "\"d_model\": 64", "\"d_model\": -64"); }, "d_model"},
      {"tiny-llada", "config.json",
       [](std::string s) { return replace(s, "\"d_model\": 64", "\"d_model\": 128"); }, "shape"},
      {"tiny-llada", "config.json",
       [](std::string s) { return replace(s, "\"n_layers\": 2", "\"n_layers\": 3"); }, "blocks.2"},
      {"tiny-llada", "config.json",
       [](std::string s) { return replace(s, "\"n_layers\": 2", "\"n_layers\": 1"); },
       "not part of this architecture"},
      {"tiny-llada", "config.json",
       [](std::string s) { return replace(s, "\"mask_token_id\": 290", "\"mask_token_id\": 291"); },
       "mask_token_id"},
      {"tiny-llada", "model.safetensors", [](std::string s) { return s.substr(0, s.size() / 2); },
       "truncated?"},
      {"tiny-llada", "model.safetensors", [](std::string s) { return s.substr(0, 100); },
       "its header claims"},
      {"tiny-llada", "model.safetensors", [](std::string) { return std::string(); }, "too few"},
      {"tiny-llada", "model.safetensors", [](std::string s) { return s + "x"; },
       "after the last tensor"},
      {"tiny-llada", "tokenizer.json", [](std::string s) { return s.substr(0, s.size() / 2); },
       "tokenizer.json"},
      {"tiny-llada", "tokenizer.json",
       [](std::string s) { return replace(s, "\"BPE\"", "\"Unigram\""); }, "Unigram"},
      {"tiny-dream", "vocab.json", [](std::string) { return std::string("[]"); }, "vocab.json"},
      {"tiny-dream", "merges.txt", [](std::string s) { return s + "qq zz\n"; }, "merges.txt"},
      {"tiny-dream", "tokenizer_config.json",
       [](std::string) { return std::string("{\"tokenizer_class\": \"BertTokenizer\"}"); },
       "BertTokenizer"},
  };
  for (const Damage& damage : kDamages) {
    const TemporaryDirectory directory;
    write_tiny_model(damage.model, directory / "m");
    const auto path = directory / "m" / damage.file;
    write_file(path, damage.edit(read_file(path)));
    SCOPED_TRACE(std::string(damage.model) + " " + damage.file + ": " + damage.what);
    expect_refusal(umf({"generate", "--model", directory / "m", "--length", "4", "hi"}),
                   damage.what);
  }
}

TEST(Cli, AMissingFileIsNamed) {
  for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"}) {
    const TemporaryDirectory directory;
    write_tiny_model("tiny-llada", directory / "m");
    std::filesystem::remove(directory / "m" / file);
    const Finished outcome = umf({"models", directory / "m"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                HasSubstr(std::string(file) == "model.safetensors" ? "safetensors" : file));
  }
}

}  // namespace
}  // namespace umf
