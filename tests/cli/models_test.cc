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

TEST(Models, ATiedHeadIsSaid) {
  const auto head = [](const TinyOptions& options) {
    return Json::parse(
        umf({"models", tiny_checkpoint("tiny-sdc", options).string(), "--json"}).out)["head"];
  };
  EXPECT_EQ(head({}), "its own");
  EXPECT_EQ(head({.tied = true}), "tied to the embedding");
}

}  // namespace
}  // namespace umf
