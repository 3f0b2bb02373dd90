#include "tokenizer/tokenizer.h"

#include <random>
#include <thread>

#include "tokenizer/normalizer.h"
#include "tokenizer/tokenizer_testing.h"

namespace umf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Tokenizer, MergesGivenAsStringsOrPairsAreTheSame) {
  Json json = small_tokenizer();
  const auto ids = parse(json).encode("hello  w", SpecialText::kPlain);
  EXPECT_THAT(ids, ElementsAre(259, 32, 260));
  json["model"]["merges"] = Json::array();
  for (const std::string& merge : kSmallMerges) {
    const std::size_t space = merge.find(' ');
    json["model"]["merges"].push_back({merge.substr(0, space), merge.substr(space + 1)});
  }
  EXPECT_EQ(parse(json).encode("hello  w", SpecialText::kPlain), ids);
}

TEST(Tokenizer, IgnoreMergesTakesAPieceThatIsATokenWhole) {
  Json json = small_tokenizer();
  json["model"]["vocab"]["xyz"] = 300;
  EXPECT_THAT(parse(json).encode("xyz", SpecialText::kPlain), ElementsAre('x', 'y', 'z'));
  json["model"]["ignore_merges"] = true;
  EXPECT_THAT(parse(json).encode("xyz", SpecialText::kPlain), ElementsAre(300));
  EXPECT_THAT(parse(json).encode("xyzhe", SpecialText::kPlain), ElementsAre('x', 'y', 'z', 256));
}

TEST(Tokenizer, ByteLevelRegexIsGpt2s) {
  Json json = small_tokenizer();
  json["model"]["vocab"].update({{"oĠ", 300}, {"12", 301}, {"Ġ1", 302}});
  json["model"]["merges"] = {"o Ġ", "1 2", "Ġ 1"};
  EXPECT_THAT(parse(json).encode("o 12", SpecialText::kPlain), ElementsAre(300, 301));
  json["pre_tokenizer"]["use_regex"] = true;
  EXPECT_THAT(parse(json).encode("o 12", SpecialText::kPlain), ElementsAre('o', ' ', 301));
}

TEST(Tokenizer, NormalizedTokensAreFoundInNormalisedText) {
  Json json = small_tokenizer();
  json["normalizer"] = {{"type", "NFC"}};
  json["added_tokens"] = {added_token(300, "<e\u0301>"), added_token(301, "[e\u0301]")};
  json["added_tokens"][1]["normalized"] = true;
  const Tokenizer tokenizer = parse(json);
  EXPECT_THAT(tokenizer.encode("<e\u0301>[e\u0301][\u00E9]", SpecialText::kParse),
              ElementsAre(300, 301, 301));
  EXPECT_THAT(tokenizer.encode("<\u00E9>", SpecialText::kParse), ElementsAre('<', 0xC3, 0xA9, '>'));
}

TEST(Tokenizer, PlainTextNeverBecomesASpecialToken) {
  Json json = small_tokenizer();
  json["added_tokens"] = {added_token(300, "<s>"), added_token(301, "<t>")};
  json["added_tokens"][0]["special"] = true;
  const Tokenizer tokenizer = parse(json);
  EXPECT_THAT(tokenizer.encode("<s><t>", SpecialText::kParse), ElementsAre(300, 301));
  EXPECT_THAT(tokenizer.encode("<s><t>", SpecialText::kPlain), ElementsAre('<', 's', '>', 301));
  EXPECT_THAT(tokenizer.encode_bytes("<s><t>"), ElementsAre('<', 's', '>', '<', 't', '>'));
  // Not even when the vocabulary spells it and pieces are taken whole.
  json["model"]["vocab"]["<s>"] = 300;
  json["model"]["ignore_merges"] = true;
  EXPECT_THAT(parse(json).encode("<s>", SpecialText::kPlain), ElementsAre('<', 's', '>'));
}

TEST(Tokenizer, StrayBytesBecomeSingleByteTokens) {
  Json json = small_tokenizer();
  json["normalizer"] = {{"type", "NFC"}};
  const Tokenizer tokenizer = parse(json);
  EXPECT_THAT(tokenizer.encode("hello\xFF\xE2\x82he", SpecialText::kPlain),
              ElementsAre(259, 0xFF, 0xE2, 0x82, 256));
}

TEST(Tokenizer, DecodeJoinsBytesAndSkipsSpecialsOnRequest) {
  Json json = small_tokenizer();
  json["added_tokens"] = {added_token(300, "<s>"), added_token(301, "<ä>")};
  json["added_tokens"][0]["special"] = true;
  const Tokenizer tokenizer = parse(json);
  const std::vector<Token> ids = {300, 259, 0xE2, 301, 299, -1, 1 << 30};
  EXPECT_EQ(tokenizer.decode(ids, false), "<s>hello\xE2<ä>");
  EXPECT_EQ(tokenizer.decode(ids, true), "hello\xE2<ä>");
  EXPECT_EQ(tokenizer.bytes(301), "<ä>");
  EXPECT_EQ(tokenizer.bytes(-1), "");
  EXPECT_EQ(tokenizer.find("<ä>"), 301);
  EXPECT_EQ(tokenizer.find("he"), std::nullopt);
  EXPECT_EQ(tokenizer.size(), 302);
  EXPECT_FALSE(tokenizer.contains(299));
  EXPECT_FALSE(tokenizer.contains(302));
  EXPECT_FALSE(tokenizer.is_special(301));
  EXPECT_THAT(tokenizer.specials(), ElementsAre(Pair(300, "<s>")));
}

TEST(Tokenizer, VocabularyMaySpellAddedTokensAsPlainText) {
  Json json = small_tokenizer();
  json["model"]["vocab"]["<[PAD▁TOKEN]>"] = 300;
  json["added_tokens"] = Json::array({added_token(300, "<[PAD▁TOKEN]>")});
  const Tokenizer tokenizer = parse(json);
  EXPECT_THAT(tokenizer.encode("he<[PAD▁TOKEN]>", SpecialText::kParse), ElementsAre(256, 300));
  EXPECT_EQ(tokenizer.bytes(300), "<[PAD▁TOKEN]>");
}

TEST(Tokenizer, NamesComeFromTheConfigurationBesideTheFile) {
  const TemporaryFolder folder;
  Json json = small_tokenizer();
  json["added_tokens"] = {added_token(0, "Ā"), added_token(300, "<e>")};
  folder.write("tokenizer.json", json.dump());
  folder.write(
      "tokenizer_config.json",
      R"({"bos_token": {"content": "Ā"}, "eos_token": "<e>", "pad_token": "!", "unk_token": null,
                   "add_bos_token": true})");
  folder.write("special_tokens_map.json", R"({"eos_token": "Ā", "unk_token": "<e>"})");
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  EXPECT_EQ(tokenizer.named("bos_token"), 0);  // an id like any other
  EXPECT_EQ(tokenizer.named("eos_token"), 300);
  EXPECT_EQ(tokenizer.named("pad_token"), '!');
  EXPECT_EQ(tokenizer.named("unk_token"), 300);
  EXPECT_EQ(tokenizer.named("mask_token"), std::nullopt);
  EXPECT_EQ(tokenizer.named("add_bos_token"), std::nullopt);
}

TEST(Tokenizer, TokensThatOnlyTheFilesBesideItHaveAreAdded) {
  const TemporaryFolder folder;
  Json json = small_tokenizer();
  json["added_tokens"] = {added_token(300, "<a>")};
  folder.write("tokenizer.json", json.dump());
  folder.write("tokenizer_config.json", R"({"mask_token": "<m>", "added_tokens_decoder": {
      "300": {"content": "<a>", "special": true}, "301": {"content": "<m>", "special": true}}})");
  folder.write("added_tokens.json", R"({"<a>": 300, "<t>": 302})");
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  EXPECT_EQ(tokenizer.named("mask_token"), 301);
  EXPECT_TRUE(tokenizer.is_special(301));
  EXPECT_FALSE(tokenizer.is_special(300)) << "tokenizer.json counts where it speaks";
  EXPECT_THAT(tokenizer.encode("<a><t><m>", SpecialText::kParse), ElementsAre(300, 302, 301));
  folder.write("added_tokens.json", R"({"<t>": 65})");
  EXPECT_THAT(error_of([&] { Tokenizer::load(folder.path()); }),
              HasSubstr("id 65 is the token 'A' and the added token '<t>'"));
}

TEST(Tokenizer, DroppedGapsSurviveAsBytes) {
  Json json = small_tokenizer();
  Json split = split_rule(R"(\p{L}+)");
  split.update({{"behavior", "Removed"}, {"invert", true}});
  json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, json["pre_tokenizer"]}}};
  const Tokenizer tokenizer = parse(json);
  EXPECT_THAT(tokenizer.encode("he, he", SpecialText::kPlain), ElementsAre(256, 256));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode_bytes("he, he"), false), "he, he");
}

TEST(Tokenizer, HostileRegexFailsWithAnError) {
  Json json = small_tokenizer();
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", {split_rule("(?:a|a)+(?!.)"), json["pre_tokenizer"]}}};
  const Tokenizer tokenizer = parse(json);
  EXPECT_THAT(error_of([&] { (void)tokenizer.encode_bytes(std::string(200, 'a') + "b"); }),
              ::testing::StartsWith("tokenizer.json: pre_tokenizer: the regex gave up at byte 0"));
}

TEST(Tokenizer, MayBeSharedByThreads) {
  const Tokenizer tokenizer = parse(small_tokenizer());
  const auto expected = tokenizer.encode("hello  world", SpecialText::kPlain);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        wrong += tokenizer.encode("hello  world", SpecialText::kPlain) != expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace umf
