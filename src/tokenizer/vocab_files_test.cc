#include "tokenizer/vocab_files.h"

#include "tokenizer/tokenizer_testing.h"

namespace umf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Files {
  TemporaryFolder folder;
  Json config = {{"tokenizer_class", "DreamTokenizer"}};
  Json vocab = small_vocab();
  std::string merges = "#version: 0.2\nh e\nl l\nhe ll\nhell o\nĠ w\nĠ Ġ\n";

  Tokenizer load() const {
    folder.write("vocab.json", vocab.dump());
    folder.write("merges.txt", merges);
    folder.write("tokenizer_config.json", config.dump());
    return Tokenizer::load(folder.path());
  }
  std::string refusal() const {
    return error_of([&] { load(); });
  }
};

TEST(VocabFiles, EncodeLikeTheSlowClass) {
  const Files files;
  const Tokenizer tokenizer = files.load();
  EXPECT_THAT(tokenizer.encode("hello  w12", SpecialText::kParse),
              ElementsAre(259, 32, 260, '1', '2'));
  EXPECT_THAT(tokenizer.encode("e\u0301", SpecialText::kParse), ElementsAre(0xC3, 0xA9));
}

TEST(VocabFiles, SlowClassFindsAddedTokensInNormalisedText) {
  Files files;
  files.config["added_tokens_decoder"] = {{"300", {{"content", "<\u00E9>"}, {"special", true}}}};
  EXPECT_THAT(files.load().encode("<e\u0301>", SpecialText::kParse), ElementsAre(300));
  files.config["tokenizer_class"] = "Qwen2TokenizerFast";  // looks for it in the raw text
  EXPECT_THAT(files.load().encode("<e\u0301>", SpecialText::kParse),
              ElementsAre('<', 0xC3, 0xA9, '>'));
}

TEST(VocabFiles, OldAddedTokensFileIsSpecialWhereTheConfigurationNamesIt) {
  Files files;
  files.folder.write("added_tokens.json", R"({"<m>": 301, "<p>": 302, "<t>": 303})");
  files.folder.write("special_tokens_map.json",
                     R"({"pad_token": {"content": "<p>"}, "eos_token": "<x>"})");
  files.config["mask_token"] = "<m>";
  const Tokenizer tokenizer = files.load();
  EXPECT_EQ(tokenizer.named("mask_token"), 301);
  EXPECT_EQ(tokenizer.named("pad_token"), 302);
  EXPECT_EQ(tokenizer.named("eos_token"), std::nullopt);  // named, but there is no such token
  EXPECT_TRUE(tokenizer.is_special(301));
  EXPECT_TRUE(tokenizer.is_special(302));
  EXPECT_FALSE(tokenizer.is_special(303));
  EXPECT_EQ(tokenizer.size(), 304);
  EXPECT_FALSE(tokenizer.contains(300));
}

TEST(VocabFiles, FurtherSpecialTokensAreAListOrHaveNames) {
  for (const Json& further : {Json({"<m>"}), Json({{"image_token", "<m>"}})}) {
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      Files files;
      files.folder.write("added_tokens.json", R"({"<m>": 301})");
      EXPECT_FALSE(files.load().is_special(301));
      files.config[key] = further;
      EXPECT_TRUE(files.load().is_special(301)) << key << further;
    }
  }
}

TEST(VocabFiles, RefuseOtherClassesByName) {
  Files files;
  files.config["tokenizer_class"] = "GPT2Tokenizer";
  EXPECT_THAT(files.refusal(),
              HasSubstr("tokenizer_config.json: tokenizer_class 'GPT2Tokenizer' is not "
                        "supported without a tokenizer.json"));
  files.config.erase("tokenizer_class");
  EXPECT_THAT(files.refusal(), HasSubstr("there is no tokenizer_class"));
}

TEST(VocabFiles, RefuseBrokenFilesByPlace) {
  Files files;
  files.merges = "#version: 0.2\nh e\nl\n";
  EXPECT_THAT(files.refusal(),
              HasSubstr("merges.txt:3: expected two tokens with a space between them"));
  files.merges = "h \xFF\n";
  EXPECT_THAT(files.refusal(), HasSubstr("is not an ordinary token"));
  files.merges = "";
  files.vocab["he"] = 5;
  EXPECT_THAT(files.refusal(), HasSubstr("vocab.json: id 5 of token 'ą' is given twice"));
  files.vocab = small_vocab();
  files.config["add_prefix_space"] = true;
  EXPECT_THAT(files.refusal(), HasSubstr("add_prefix_space true is not supported"));
  files.config["add_prefix_space"] = false;
  files.config["added_tokens_decoder"] = {{"x1", {{"content", "<a>"}}}};
  EXPECT_THAT(files.refusal(), HasSubstr("added_tokens_decoder: 'x1' is not an id"));
  files.config["added_tokens_decoder"] = {{"300", {{"content", 1}}}};
  EXPECT_THAT(files.refusal(), HasSubstr("added_tokens_decoder.300: 'content' is missing"));
  files.config["added_tokens_decoder"] = {{"300", {{"content", "<a>"}}}};
  files.folder.write("added_tokens.json", R"({"<b>": 300})");
  EXPECT_THAT(files.refusal(),
              HasSubstr("id 300 is '<b>' here and '<a>' in tokenizer_config.json"));
}

TEST(VocabFiles, RefuseAnEmptyFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { Tokenizer::load(folder.path()); }),
              HasSubstr("has no tokenizer: neither tokenizer.json nor vocab.json is there"));
  EXPECT_THAT(error_of([&] { Tokenizer::load(folder.path() / "missing"); }),
              HasSubstr("has no tokenizer"));
}

}  // namespace
}  // namespace umf
