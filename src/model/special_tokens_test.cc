#include "model/special_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/expect_error.h"
#include "support/tiny_checkpoint.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A family that knows no texts, and a tokenizer that names no tokens: what is left are the ids.
class IdsAlone : public testing::Test {
 protected:
  IdsAlone() {
    write_tiny_model("tiny-llada", directory_ / "m");
    for (const char* names : {"tokenizer_config.json", "special_tokens_map.json"})
      std::filesystem::remove(directory_ / "m" / names);
  }
  SpecialTokens resolve(const Json& config, const Json& generation, const Family& family = {}) {
    const Tokenizer tokenizer = Tokenizer::load(directory_ / "m");
    return resolve_tokens(
        {Config(config, "config.json"), Config(generation, "generation_config.json"), tokenizer},
        family, 320, warnings_);
  }
  TemporaryDirectory directory_;
  std::vector<std::string> warnings_;
};

TEST_F(IdsAlone, TheGenerationConfigurationSpeaksWhereNobodyElseDoes) {
  const SpecialTokens tokens =
      resolve(Json::object(),
              {{"mask_token_id", 290}, {"pad_token_id", 283}, {"eos_token_id", {281, 292}}});
  EXPECT_EQ(tokens.mask, 290);
  EXPECT_EQ(tokens.padding, 283);
  EXPECT_THAT(tokens.ends, ElementsAre(281, 283, 292));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(IdsAlone, TheFamilysNumberIsTheMaskWhereItIsASpecialToken) {
  const Json config = {{"eos_token_id", 281}};
  Family family;
  family.tokens.mask_id = 284;
  EXPECT_EQ(resolve(config, Json::object(), family).mask, 284);
  EXPECT_EQ(resolve(config, {{"mask_token_id", 290}}, family).mask, 290) << "files come first";
  family.tokens.mask = "<|mdm_mask|>";
  EXPECT_EQ(resolve(config, Json::object(), family).mask, 290) << "so does the text";
  family.tokens.mask.clear();
  family.tokens.mask_id = 65;
  EXPECT_ERROR(resolve(config, Json::object(), family), "key 'mask_token_id' is missing");
}

TEST_F(IdsAlone, PaddingThatIsAnOrdinaryTokenIsNone) {
  const Json config = {{"mask_token_id", 290}, {"eos_token_id", 281}};
  EXPECT_EQ(resolve(config, {{"pad_token_id", 5}}).padding, std::nullopt);
  EXPECT_EQ(resolve(config, {{"pad_token_id", 9999}}).padding, std::nullopt);
}

TEST_F(IdsAlone, WhatNobodyGivesIsNamed) {
  EXPECT_ERROR(resolve({{"eos_token_id", 281}}, Json::object()), "key 'mask_token_id' is missing");
  EXPECT_ERROR(resolve({{"mask_token_id", 290}}, {{"eos_token_id", 5}}),
               "key 'eos_token_id' is missing");
  EXPECT_ERROR(resolve({{"mask_token_id", 310}, {"eos_token_id", 281}}, Json::object()),
               "key 'mask_token_id' is 310, which the tokenizer does not know");
}

}  // namespace
}  // namespace umf
