#include "tokenizer/gguf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gguf/gguf_files.h"
#include "tokenizer/chat.h"
#include "tokenizer/gguf_tokenizer_writer.h"
#include "tokenizer/tokenizer_files.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/tokenizer_testing.h"

namespace umf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A file that holds nothing but these keys.
std::string gguf_of(const GgufKeyWriter& keys) {
  const TemporaryFolder folder;
  DraftFile file(folder.path() / "x.gguf");
  const GgufStream stream(file, keys, {});
  file.rename();
  return read_file(folder.path() / "x.gguf");
}

Tokenizer read_keys(const GgufKeyWriter& keys) {
  const std::string bytes = gguf_of(keys);
  const GgufMetadata metadata("x.gguf", parse_gguf(std::as_bytes(std::span(bytes)), "x.gguf").keys);
  return Tokenizer(read_gguf_tokenizer(metadata));
}

// What the tokenizer is when it went through a GGUF file, as arrays alone or with its json.
Tokenizer through_gguf(const TokenizerSpec& spec, const std::optional<std::string>& json = {}) {
  const Tokenizer tokenizer(spec);
  GgufKeyWriter keys;
  write_gguf_tokenizer(spec, tokenizer.size() + 8, json, keys);
  std::map<std::string, Token> roles;
  for (const auto& [role, text] : spec.named) {
    if (const auto token = tokenizer.named(role)) roles[role] = *token;
  }
  write_gguf_roles(roles, keys);
  return read_keys(keys);
}

std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(UMF_SOURCE_DIR "/tests/data/tokenizer") / name;
}

void expect_vectors(const Tokenizer& tokenizer, const std::string& name) {
  std::istringstream lines(read_file(data("vectors.jsonl")));
  int wrong = 0;
  for (std::string line; std::getline(lines, line) && wrong < 5;) {
    const Json row = parse_json(line, "vectors.jsonl");
    const auto ids = tokenizer.encode(row["text"].get<std::string>(), SpecialText::kParse);
    EXPECT_EQ(ids, row[name].get<std::vector<Token>>()) << row["text"];
    wrong += ids != row[name].get<std::vector<Token>>() ? 1 : 0;
  }
}

TEST(GgufTokenizer, SmallTokenizersGiveTheSameIds) {
  for (const char* name : {"llada_like", "seed_coder_like", "gpt2_like"}) {
    const std::string json = read_file(data(std::string(name) + ".json"));
    expect_vectors(through_gguf(parse_tokenizer_json(json, name), json), name);
  }
}

TEST(GgufTokenizer, ArraysAloneGiveTheSameIds) {
  const std::string json = read_file(data("llada_like.json"));
  expect_vectors(through_gguf(parse_tokenizer_json(json, "llada_like")), "llada_like");
}

TEST(GgufTokenizer, QwenGivesTheSameIds) {
  const TemporaryFolder whole, parts;
  if (!unpack_qwen(whole, {"tokenizer.json", "tokenizer_config.json", "encode_vectors.jsonl"}) ||
      !unpack_qwen(parts, {"vocab.json", "merges.txt", "tokenizer_config.json"}))
    GTEST_SKIP() << "no Qwen2.5 tokenizer beside the checkout (shared/data)";
  for (const TemporaryFolder* folder : {&whole, &parts}) {
    const Tokenizer tokenizer = through_gguf(read_tokenizer(folder->path()));
    expect_vectors(tokenizer, "qwen2_5");
    EXPECT_EQ(tokenizer.size(), 151665);
    EXPECT_EQ(tokenizer.named("eos_token"), 151645);
    EXPECT_EQ(tokenizer.specials().size(), 14u);
    EXPECT_FALSE(tokenizer.is_special(151657));
    std::istringstream lines(read_file(whole.path() / "encode_vectors.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const Json row = parse_json(line, "encode_vectors.jsonl");
      EXPECT_EQ(tokenizer.encode(row["text"].get<std::string>(), SpecialText::kParse),
                row["ids"].get<std::vector<Token>>())
          << row["text"];
    }
  }
}

// The small tokenizer, with a control token, a user's and an unused one.
struct Small {
  std::vector<std::string> tokens, merges = kSmallMerges;
  std::vector<std::int32_t> types;
  std::string pre = "bailingmoe", model = "gpt2";
  std::optional<bool> add_bos;
  std::uint32_t bos = 262;

  Small() {
    const Json vocab = small_vocab();
    tokens.resize(vocab.size());
    for (const auto& [text, id] : vocab.items()) tokens[id.get<int>()] = text;
    types.assign(tokens.size(), 1);
    for (const auto& [text, type] :
         {std::pair{"<s>", 3}, std::pair{"<tool>", 4}, std::pair{"[PAD264]", 5}}) {
      tokens.emplace_back(text);
      types.push_back(type);
    }
  }
  GgufKeyWriter keys() const {
    GgufKeyWriter keys;
    keys.text("tokenizer.ggml.model", model);
    if (!pre.empty()) keys.text("tokenizer.ggml.pre", pre);
    keys.texts("tokenizer.ggml.tokens", tokens);
    keys.integers("tokenizer.ggml.token_type", types);
    keys.texts("tokenizer.ggml.merges", merges);
    keys.natural("tokenizer.ggml.bos_token_id", bos);
    if (add_bos) keys.flag("tokenizer.ggml.add_bos_token", *add_bos);
    return keys;
  }
};

TEST(GgufTokenizer, TypesSayWhatATokenIs) {
  const Tokenizer tokenizer = read_keys(Small().keys());
  EXPECT_THAT(tokenizer.encode("<s><tool>hello", SpecialText::kParse), ElementsAre(262, 263, 259));
  EXPECT_TRUE(tokenizer.is_special(262));
  EXPECT_FALSE(tokenizer.is_special(263));
  EXPECT_EQ(tokenizer.decode(std::vector<Token>{262, 263, 259}, true), "<tool>hello");
  EXPECT_FALSE(tokenizer.contains(264));
  EXPECT_EQ(tokenizer.encode("[PAD264]", SpecialText::kParse).size(), 8u) << "one per byte";
  EXPECT_EQ(tokenizer.named("bos_token"), 262);
}

TEST(GgufTokenizer, Qwen2NormalisesAndOthersDoNot) {
  Small small;
  const std::string apart = "e\u0301", joined = "\u00E9";
  EXPECT_EQ(read_keys(small.keys()).encode(apart, SpecialText::kParse).size(), 3u);
  small.pre = "qwen2";
  const Tokenizer tokenizer = read_keys(small.keys());
  EXPECT_EQ(tokenizer.encode(apart, SpecialText::kParse),
            tokenizer.encode(joined, SpecialText::kParse));
}

TEST(GgufTokenizer, ATokenThatMergesMakeMayBeAUsersToo) {
  Small small;
  small.types[259] = 4;  // "hello"
  EXPECT_THAT(read_keys(small.keys()).encode("xhello", SpecialText::kParse), ElementsAre('x', 259));
}

TEST(GgufTokenizer, AMergeMayBeginWithASpace) {
  Small small;
  small.merges.emplace_back(" a b");
  EXPECT_THAT(error_of([&] { read_keys(small.keys()); }), HasSubstr("merge 6 (' a' with 'b')"));
}

TEST(GgufTokenizer, PromptsBeginWithOneBosIfTheFileSaysSo) {
  Small small;
  const auto prompt = [&](const char* chat_template) {
    return encode_chat(read_keys(small.keys()), chat_template, {{"user", "hello"}}, true);
  };
  const char *with = "{{ bos_token }}{{ messages[0].content }}",
             *without = "{{ messages[0].content }}";
  EXPECT_THAT(prompt(without), ElementsAre(259));
  EXPECT_THAT(prompt(with), ElementsAre(262, 259));
  small.add_bos = true;
  EXPECT_THAT(prompt(without), ElementsAre(262, 259));
  EXPECT_THAT(prompt(with), ElementsAre(262, 259));
  EXPECT_THAT(read_keys(small.keys()).encode("hello", SpecialText::kParse), ElementsAre(259));
  small.bos = 264;
  EXPECT_THAT(error_of([&] { read_keys(small.keys()); }),
              HasSubstr("'tokenizer.ggml.add_bos_token' is true, but the file names no bos token"));
}

TEST(GgufTokenizer, RefusalsNameTheKey) {
  const auto refusal = [](auto change) {
    Small small;
    change(small);
    return error_of([&] { read_keys(small.keys()); });
  };
  EXPECT_THAT(refusal([](Small& small) { small.pre = ""; }),
              HasSubstr("x.gguf: key 'tokenizer.ggml.pre' is missing"));
  EXPECT_THAT(
      refusal([](Small& small) { small.pre = "default"; }),
      HasSubstr("'tokenizer.ggml.pre' is 'default', which is not supported (supported: qwen2"));
  EXPECT_THAT(refusal([](Small& small) { small.model = "gemma4"; }),
              HasSubstr("'tokenizer.ggml.model' is 'gemma4', which is not supported"));
  EXPECT_THAT(refusal([](Small& small) { small.types[7] = 6; }),
              HasSubstr("'tokenizer.ggml.token_type' [7] is 6, which is not supported"));
  EXPECT_THAT(refusal([](Small& small) { small.types.pop_back(); }),
              HasSubstr("has 264 elements, but there are 265 tokens"));
  EXPECT_THAT(refusal([](Small& small) { small.merges[2] = "hell"; }),
              HasSubstr("'tokenizer.ggml.merges' [2] must be two tokens"));
  EXPECT_THAT(error_of([] { read_keys({}); }), HasSubstr("there is no tokenizer in the file"));
}

TEST(GgufTokenizer, AWholeTokenizerJsonCounts) {
  Json json = small_tokenizer();
  json["added_tokens"].push_back(added_token(262, "<b>"));
  GgufKeyWriter keys;
  keys.text("tokenizer.ggml.model", "gpt2");
  keys.text("tokenizer.huggingface.json", json.dump());
  EXPECT_THAT(read_keys(keys).encode("<b>hello", SpecialText::kParse), ElementsAre(262, 259));
  // The arrays may add what it lacks.
  keys.texts("tokenizer.ggml.tokens", Small().tokens);
  keys.integers("tokenizer.ggml.token_type", Small().types);
  EXPECT_THAT(read_keys(keys).encode("<b><tool>", SpecialText::kParse), ElementsAre(262, 263));
}

}  // namespace
}  // namespace umf
