// umf models, and what every command says of a checkpoint that is not quite as published.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

std::string with_leftovers(const std::string& name) {
  return tiny_checkpoint(name, {.leftovers = true}).string();
}

TEST(Models, WhatIsIgnoredIsListed) {
  const Finished json = umf({"models", with_leftovers("tiny-dream"), "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json description = Json::parse(json.out);
  EXPECT_EQ(description["ignored_keys"], Json({"exported_by", "training_notes"}));
  EXPECT_EQ(description["ignored_tensors"], Json({"model.rotary_emb.inv_freq"}));
  EXPECT_EQ(description["warnings"].size(), 1);
  const Finished text = umf({"models", with_leftovers("tiny-dream")});
  EXPECT_THAT(text.out, HasSubstr("ignored_keys     exported_by, training_notes\n"));
  EXPECT_THAT(text.out, HasSubstr("ignored_tensors  model.rotary_emb.inv_freq\n"));
  const Json whole = Json::parse(umf({"models", tiny("tiny-dream"), "--json"}).out);
  EXPECT_TRUE(whole["ignored_keys"].empty() && whole["ignored_tensors"].empty() &&
              whole["warnings"].empty());
  EXPECT_THAT(umf({"models", tiny("tiny-dream")}).out, Not(HasSubstr("ignored")));
}

TEST(Models, UnknownKeysAreOneWarningOrWithStrictConfigAnError) {
  const std::string model = with_leftovers("tiny-llada");
  const std::vector<std::vector<std::string>> commands = {
      {"models", model},
      {"generate", "--model", model, "--length", "4", "--quiet", "hi"},
      {"solve", "--example", "mirror-words", "--model", "a=" + model, "--window", "8", "--budget",
       "8", "--quiet"}};
  for (std::vector<std::string> command : commands) {
    const Finished run = umf(command);
    EXPECT_THAT(run.err,
                MatchesRegex("warning: [^\n]*keys 'exported_by', 'training_notes'[^\n]*\n"))
        << command.front();
    command.emplace_back("--strict-config");
    expect_refusal(umf(command), "keys 'exported_by', 'training_notes' are not known");
  }
  EXPECT_EQ(umf({"models", tiny("tiny-llada"), "--strict-config"}).err, "");
}

TEST(Models, ACausalContextAndItsRotationAreSaid) {
  const Finished json = umf({"models", tiny("tiny-nemotron"), "--check", "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json description = Json::parse(json.out);
  EXPECT_EQ(description["attention"], "blocks of 8 behind the prompt, causal before them");
  EXPECT_EQ(description["rotation"], "stretched 4 times from 64");
  EXPECT_EQ(description["queries"], "grow by 0.1 ln(1 + floor(position / 64))");
  EXPECT_EQ(description["logits"], "row i speaks of position i; of a block's first, row i - 1");
  EXPECT_EQ(description["action"], "strategy=low-confidence,temperature=0,commit=tau:0.9");
  EXPECT_EQ(description["warnings"], Json::array());
  EXPECT_EQ(description["predictions"]["tokens"].size(), 16) << "those behind the prompt";
  expect_refusal(
      umf({"models", tiny("tiny-nemotron"), "--quantise", "/tmp/never.gguf", "--type", "Q8_0"}),
      "nemotron-diffusion");
}

TEST(Models, ExpertsAndTheirMemoryAreSaid) {
  const Finished json = umf({"models", tiny("tiny-llada2"), "--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json description = Json::parse(json.out);
  EXPECT_EQ(description["experts"], 16);
  EXPECT_EQ(description["experts_per_row"], 3);
  EXPECT_EQ(description["shared_width"], 24);
  EXPECT_EQ(description["expert_layers"], 2);
  EXPECT_EQ(description["routing"], "sigmoid, 2 of 4 groups, divided by the sum, times 2.5");
  EXPECT_EQ(description["expert_bytes"], 2 * 16 * 3 * 24 * 48 * 4);
  EXPECT_EQ(description["parameters"].get<int>() - description["used_parameters"].get<int>(),
            2 * 13 * 3 * 24 * 48);
  EXPECT_EQ(description["rotated"], 8);
  EXPECT_THAT(description["memory"].get<std::string>(),
              MatchesRegex("0.00 GB of experts and 0.00 GB of other weights; this machine has "
                           "[0-9]+ GB"));
  EXPECT_THAT(umf({"models", tiny("tiny-lladamoe")}).out, HasSubstr("routing          softmax\n"));
  EXPECT_THAT(umf({"models", tiny("tiny-dream")}).out, Not(HasSubstr("expert")));
}

TEST(Models, ATiedHeadIsSaid) {
  const auto head = [](const TinyOptions& options) {
    return Json::parse(
        umf({"models", tiny_checkpoint("tiny-sdc", options).string(), "--json"}).out)["head"];
  };
  EXPECT_EQ(head({}), "its own");
  EXPECT_EQ(head({.tied = true}), "tied to the embedding");
}

TEST(Models, FamiliesAreListedWithThoseThatMustBeNamed) {
  const std::string list = umf({"models"}).out;
  EXPECT_THAT(list, HasSubstr("SDARForCausalLM              sdar\n"));
  EXPECT_THAT(list, HasSubstr("A2DLlamaLMHeadModel          a2d\n"));
  EXPECT_THAT(list, HasSubstr("Qwen2ForCausalLM             open-dcoder (only as WHERE@NAME)\n"));
}

TEST(Models, AFamilyIsNamedBehindThePlace) {
  const auto describe = [](const std::string& where) {
    const Finished run = umf({"models", where, "--json"});
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json dcoder = describe(tiny("tiny-open-dcoder") + "@open-dcoder");
  EXPECT_EQ(dcoder["family"], "open-dcoder");
  EXPECT_EQ(dcoder["logits"], "row i - 1 speaks of position i");
  EXPECT_EQ(describe(tiny("tiny-a2d"))["attention"], "full");
  EXPECT_EQ(describe(tiny("tiny-a2d") + "@a2d-block")["attention"], "block-causal, 32");
  EXPECT_EQ(describe(tiny("tiny-sdar"))["action"],
            "strategy=low-confidence,temperature=0,commit=tau:0.9");
  expect_refusal(umf({"models", tiny("tiny-open-dcoder")}), "@open-dcoder");
  expect_refusal(umf({"models", tiny("tiny-a2d") + "@b2d"}), "there is no family 'b2d'");
  expect_refusal(umf({"models", tiny("tiny-a2d") + "@sdar"}),
                 "which models of the family sdar are not");
}

TEST(Models, CheckPrintsAFingerprintThatPeopleCanCompare) {
  const Finished run = umf({"models", tiny("tiny-llada"), "--check"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("predictions      fingerprint 5df7352f3b140f3e on cpu; tokens "));
  for (const char* threads : {"1", "3"}) {
    const Json json = Json::parse(
        umf({"models", tiny("tiny-llada"), "--check", "--json", "--threads", threads}).out);
    EXPECT_EQ(json["predictions"]["fingerprint"], "5df7352f3b140f3e");
    EXPECT_EQ(json["predictions"]["backend"], "cpu");
    EXPECT_EQ(json["predictions"]["tokens"].size(), 16);
  }
  EXPECT_THAT(umf({"models", with_leftovers("tiny-llada"), "--check"}).out,
              HasSubstr("5df7352f3b140f3e"));
  const Finished plain = umf({"models", tiny("tiny-llada"), "--check", "--backend", "reference"});
  EXPECT_THAT(plain.out, HasSubstr(" on reference; tokens "));
  EXPECT_THAT(umf({"models", tiny("tiny-prm"), "--check"}).out,
              HasSubstr("fingerprint a856b87652cc7920 on cpu\n"));
  EXPECT_FALSE(
      Json::parse(umf({"models", tiny("tiny-llada"), "--json"}).out).contains("predictions"));
  expect_refusal(umf({"models", "--check"}), "--check needs a model");
}

// The tiny model as a GGUF file, made by the program.
class GgufFile {
 public:
  explicit GgufFile(const std::string& name, const std::string& type = "F32") {
    const Finished run =
        umf({"models", tiny(name), "--quantise", path(), "--type", type, "--quiet"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, MatchesRegex(".*m\\.gguf: [A-Z0-9_]+, [0-9]+ bytes of weights\n"));
    EXPECT_EQ(run.err, "");
  }
  std::string path() const { return directory_ / "m.gguf"; }

 private:
  TemporaryDirectory directory_;
};

TEST(Models, AGgufFileIsAModelEverywhere) {
  const GgufFile file("tiny-llada");
  const Finished check = umf({"models", file.path(), "--check", "--strict-config"});
  EXPECT_THAT(check.out, HasSubstr("5df7352f3b140f3e")) << check.err << "as of the directory";
  const Json description = Json::parse(umf({"models", file.path(), "--json"}).out);
  EXPECT_EQ(description["directory"], file.path());
  EXPECT_EQ(description["family"], "llada");
  const std::vector<std::vector<std::string>> commands = {
      {"generate", "--length", "8", "--quiet", "hi", "--model"},
      {"solve", "--example", "mirror-words", "--window", "8", "--budget", "8", "--quiet",
       "--model"}};
  for (std::vector<std::string> command : commands) {
    std::vector<std::string> other = command;
    command.push_back("m=" + file.path());
    other.push_back("m=" + tiny("tiny-llada"));
    EXPECT_EQ(umf(command).out, umf(other).out) << command.front();
  }
  const std::string text = "\"Hello <|mdm_mask|> world\"\n";
  EXPECT_EQ(umf({"tokenize", "--model", file.path()}, text).out,
            umf({"tokenize", "--model", tiny("tiny-llada")}, text).out);
  const std::string chat = R"([{"role":"user","content":"hi"}])"
                           "\n";
  EXPECT_EQ(umf({"tokenize", "--chat", "--model", file.path()}, chat).out,
            umf({"tokenize", "--chat", "--model", tiny("tiny-llada")}, chat).out);
}

TEST(Models, GgufMistakesAreOneLine) {
  const GgufFile file("tiny-dream", "Q8_0");
  expect_refusal(umf({"models", "--quantise", "x.gguf"}), "--quantise needs a model");
  expect_refusal(umf({"models", tiny("tiny-dream"), "--type", "F16"}), "--type needs --quantise");
  expect_refusal(umf({"models", tiny("tiny-dream"), "--quantise", file.path(), "--type", "Q1"}),
                 "'Q1' is no type to write");
  expect_refusal(umf({"models", tiny("tiny-prm"), "--quantise", file.path()}),
                 "GGUF files are written of llada, dream");
  write_file(file.path(), "GGUF\n");
  expect_refusal(umf({"generate", "--model", file.path(), "x"}), "m.gguf: byte 4: the file ends");
  expect_refusal(umf({"generate", "--model", file.path() + "x", "x"}), "there is no model");
}

}  // namespace
}  // namespace umf
