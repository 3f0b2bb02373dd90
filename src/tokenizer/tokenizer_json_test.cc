#include "tokenizer/tokenizer_json.h"

#include "tokenizer/tokenizer_testing.h"

namespace umf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The refusal of the small tokenizer with the value at `pointer` replaced.
std::string refusal_with(const std::string& pointer, const Json& value) {
  Json json = small_tokenizer();
  json[Json::json_pointer(pointer)] = value;
  return refusal(json);
}

TEST(TokenizerJson, AcceptsEverySupportedForm) {
  Json json = small_tokenizer();
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}}}};
  json["post_processor"] = {{"type", "Sequence"},
                            {"processors",
                             {{{"type", "ByteLevel"}, {"trim_offsets", false}},
                              {{"type", "TemplateProcessing"},
                               {"single", Json::array()},
                               {"special_tokens", Json::object()}}}}};
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", {split_rule(R"(\p{N})"), json["pre_tokenizer"]}}};
  json["model"].update({{"dropout", nullptr},
                        {"unk_token", nullptr},
                        {"fuse_unk", true},
                        {"byte_fallback", false},
                        {"continuing_subword_prefix", ""},
                        {"end_of_word_suffix", nullptr},
                        {"ignore_merges", true}});
  EXPECT_EQ(refusal(json), "");
  json["model"].erase("type");  // as in the oldest files
  json["model"]["unk_token"] = "<unk>";
  EXPECT_EQ(refusal(json), "");
}

TEST(TokenizerJson, RefusesWhatIsNotSupportedByName) {
  EXPECT_EQ(
      refusal_with("/normalizer", {{"type", "NFKC"}}),
      "tokenizer.json: normalizer: type 'NFKC' is not supported (supported: null, NFC, Sequence)");
  EXPECT_EQ(
      refusal_with("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "Strip"}}}}}),
      "tokenizer.json: normalizer.normalizers[0]: type 'Strip' is not supported (supported: null, "
      "NFC, Sequence)");
  EXPECT_THAT(refusal_with("/pre_tokenizer", {{"type", "Metaspace"}}),
              StartsWith("tokenizer.json: pre_tokenizer: type 'Metaspace' is not supported"));
  EXPECT_THAT(refusal_with("/pre_tokenizer", nullptr), HasSubstr("it must end with ByteLevel"));
  EXPECT_THAT(refusal_with("/pre_tokenizer", split_rule("a")),
              HasSubstr("must end with ByteLevel"));
  EXPECT_THAT(refusal_with("/pre_tokenizer/add_prefix_space", true),
              StartsWith("tokenizer.json: pre_tokenizer.add_prefix_space: true"));
  EXPECT_THAT(refusal_with("/post_processor", {{"type", "BertProcessing"}}),
              StartsWith("tokenizer.json: post_processor: type 'BertProcessing' is not supported"));
  EXPECT_THAT(refusal_with("/decoder", {{"type", "WordPiece"}}),
              HasSubstr("decoder: type 'WordPiece'"));
  EXPECT_THAT(refusal_with("/decoder", nullptr), HasSubstr("decoder: null is not supported"));
  EXPECT_THAT(refusal_with("/model/type", "Unigram"), HasSubstr("model: type 'Unigram'"));
  EXPECT_THAT(refusal_with("/model/byte_fallback", true), HasSubstr("model.byte_fallback: true"));
  EXPECT_THAT(refusal_with("/model/dropout", 0.1),
              HasSubstr("model.dropout: 0.1 is not supported"));
  EXPECT_THAT(refusal_with("/model/end_of_word_suffix", "</w>"),
              HasSubstr("model.end_of_word_suffix: '</w>' is not supported"));
}

TEST(TokenizerJson, RefusesSplitsThatCutDifferently) {
  const auto with = [](const std::string& key, const Json& value) {
    Json json = small_tokenizer();
    Json split = split_rule("a");
    split[key] = value;
    json["pre_tokenizer"] = {{"type", "Sequence"},
                             {"pretokenizers", {split, json["pre_tokenizer"]}}};
    return refusal(json);
  };
  EXPECT_THAT(with("behavior", "MergedWithNext"),
              HasSubstr("pretokenizers[0]: behavior 'MergedWithNext' with invert false"));
  EXPECT_THAT(with("behavior", "Removed"), HasSubstr("behavior 'Removed' with invert false"));
  EXPECT_THAT(with("invert", true), HasSubstr("behavior 'Isolated' with invert true"));
  EXPECT_THAT(with("pattern", {{"String", "a"}}),
              HasSubstr("pattern: key 'String' is not supported"));
  EXPECT_THAT(with("pattern", {{"Regex", "^a"}}), HasSubstr("regex \"^a\": '^' at byte 0"));
  EXPECT_THAT(with("pattern", {{"Regex", "(a"}}), HasSubstr("regex \"(a\" does not compile"));
  EXPECT_THAT(with("extra", 1), HasSubstr("key 'extra' is not supported"));

  Json json = small_tokenizer();
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", {json["pre_tokenizer"], split_rule("a")}}};
  EXPECT_THAT(refusal(json), HasSubstr("pretokenizers[1]: a step after ByteLevel"));
}

TEST(TokenizerJson, RefusesUnknownAndRepeatedKeys) {
  EXPECT_EQ(refusal_with("/model/cache", 1), "tokenizer.json: model: key 'cache' is not supported");
  EXPECT_EQ(refusal_with("/surprise", 1), "tokenizer.json: key 'surprise' is not supported");
  EXPECT_THAT(refusal_with("/normalizer", {{"type", "NFC"}, {"extra", 1}}),
              HasSubstr("key 'extra'"));
  EXPECT_THAT(error_of([] { Tokenizer::parse(R"({"model": 1, "model": 2})", "file"); }),
              HasSubstr("file: key 'model' is given twice"));
  std::string text = small_tokenizer().dump();
  text.replace(text.find("\"he\":256"), 8, "\"he\":256,\"he\":300");
  EXPECT_THAT(error_of([&] { Tokenizer::parse(text, "file"); }),
              HasSubstr("token 'he' is given twice"));
}

TEST(TokenizerJson, RefusesBadIds) {
  EXPECT_THAT(refusal_with("/model/vocab/he", -1),
              HasSubstr("model.vocab: token 'he' has the id -1"));
  EXPECT_THAT(refusal_with("/model/vocab/he", 4'000'000), HasSubstr("has the id 4000000"));
  EXPECT_THAT(refusal_with("/model/vocab/he", 1e300), HasSubstr("token 'he' has the id"));
  EXPECT_THAT(refusal_with("/model/vocab/he", "7"), HasSubstr("has the id \"7\""));
  EXPECT_THAT(refusal_with("/model/vocab/he", 5), HasSubstr("id 5 of token 'ą' is given twice"));
  EXPECT_THAT(refusal_with("/added_tokens", Json::array({added_token(-5, "<a>")})),
              HasSubstr("added_tokens[0].id: expected a whole number from 0 to 3999999, found -5"));
}

TEST(TokenizerJson, RefusesAddedTokensThatContradict) {
  EXPECT_THAT(refusal_with("/added_tokens",
                           Json::array({added_token(300, "<a>"), added_token(300, "<b>")})),
              HasSubstr("added token '<b>' has the id 300 of '<a>'"));
  EXPECT_THAT(refusal_with("/added_tokens",
                           Json::array({added_token(300, "<a>"), added_token(301, "<a>")})),
              HasSubstr("added token '<a>' is given twice"));
  EXPECT_THAT(refusal_with("/added_tokens", Json::array({added_token(256, "<a>")})),
              HasSubstr("id 256 is the token 'he' and the added token '<a>'"));
  EXPECT_THAT(refusal_with("/added_tokens", Json::array({added_token(300, "he")})),
              HasSubstr("added token 'he' has the id 300, but 256 in the vocabulary"));
  EXPECT_THAT(refusal_with("/added_tokens", Json::array({added_token(300, "")})),
              HasSubstr("id 300 is empty"));
  EXPECT_THAT(
      refusal_with("/added_tokens", Json::array({added_token(300, std::string(5000, 'x'))})),
      HasSubstr("is longer than 4096 bytes"));
  EXPECT_THAT(refusal_with("/added_tokens", Json::array({{{"id", 300}}})),
              HasSubstr("[0]: 'content' is missing"));
  EXPECT_THAT(refusal_with("/added_tokens",
                           Json::array({{{"id", 300}, {"content", "a"}, {"special", "yes"}}})),
              HasSubstr("[0].special: expected true or false, found \"yes\""));
}

TEST(TokenizerJson, RefusesVocabulariesThatAreNotByteLevel) {
  Json json = small_tokenizer();
  json["model"]["vocab"].erase("Ġ");
  EXPECT_THAT(refusal(json), HasSubstr("no token for byte 0x20 ('Ġ')"));
  EXPECT_THAT(refusal_with("/model/vocab/▁the", 300),
              HasSubstr("token '▁the' (id 300) is not written in the byte alphabet"));
  EXPECT_THAT(refusal_with("/model/vocab", 5), HasSubstr("model.vocab: expected an object"));
  json = small_tokenizer();
  json["model"]["vocab"][""] = 300;
  EXPECT_THAT(refusal(json), HasSubstr("the token with id 300 is empty"));
}

TEST(TokenizerJson, RefusesMergesOfUnknownTokens) {
  EXPECT_THAT(refusal_with("/model/merges/0", "h x"),
              HasSubstr("merge 0 ('h' with 'x'): 'hx' is not an ordinary token"));
  EXPECT_THAT(refusal_with("/model/merges/1", "hx e"), HasSubstr("merge 1 ('hx' with 'e'): 'hx'"));
  EXPECT_THAT(refusal_with("/model/merges/1", "▁ e"), HasSubstr("'▁' is not an ordinary token"));
  EXPECT_THAT(refusal_with("/model/merges/0", "he"),
              HasSubstr("model.merges[0]: expected \"left right\""));
  EXPECT_THAT(refusal_with("/model/merges/0", "h e x"), HasSubstr("model.merges[0]: expected"));
  EXPECT_THAT(refusal_with("/model/merges/0", {"h", "e", "x"}), HasSubstr("found an array"));
  EXPECT_THAT(refusal_with("/model/merges/0", {"h", 1}), HasSubstr("model.merges[0]: expected"));
  EXPECT_THAT(refusal_with("/model/merges/1", "h e"),
              HasSubstr("merge 1 ('h' with 'e') is given twice"));
  Json json = small_tokenizer();
  json["added_tokens"] = Json::array({added_token(256, "he")});
  json["added_tokens"][0]["special"] = true;
  EXPECT_THAT(refusal(json), HasSubstr("'he' is not an ordinary token"));
}

TEST(TokenizerJson, RefusesBrokenFilesInOneLine) {
  const std::string whole = small_tokenizer().dump();
  std::vector<std::string> broken = {"",
                                     "null",
                                     "[]",
                                     "{}",
                                     "{\"model\":",
                                     "\xFF",
                                     whole + "x",
                                     std::string(100000, '['),
                                     whole.substr(0, whole.size() / 2)};
  std::string invalid = whole;
  invalid[invalid.find("he")] = '\xC3';
  broken.push_back(invalid);
  std::string deep = "{\"normalizer\":";
  for (int i = 0; i < 100; ++i) deep += R"({"type":"Sequence","normalizers":[)";
  broken.push_back(deep + "]}");
  for (const std::string& text : broken) {
    const std::string message = error_of([&] { Tokenizer::parse(text, "file"); });
    EXPECT_THAT(message, StartsWith("file: ")) << text.substr(0, 40);
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace umf
