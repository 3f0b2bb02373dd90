// Published and generated texts with the ids that the reference library gives for them.
#include <array>
#include <random>
#include <sstream>

#include "tokenizer/normalizer.h"
#include "tokenizer/tokenizer_testing.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

using ::testing::ElementsAre;

#define UMF_SKIP_WITHOUT_QWEN(qwen) \
  if (!(qwen).found) GTEST_SKIP() << "no Qwen2.5 tokenizer beside the checkout (shared/data)"

// The same tokenizer from its two sets of files.
struct Qwen {
  bool found = false;
  TemporaryFolder vectors;
  std::vector<Tokenizer> tokenizers;  // tokenizer.json; vocab.json and merges.txt

  Qwen() {
    const TemporaryFolder whole, parts;
    found = unpack_qwen(whole, {"tokenizer.json", "tokenizer_config.json"}) &&
            unpack_qwen(parts, {"vocab.json", "merges.txt", "tokenizer_config.json"}) &&
            unpack_qwen(vectors,
                        {"encode_vectors.jsonl", "tokenize_vectors.inp", "tokenize_vectors.out"});
    if (!found) return;
    tokenizers.push_back(Tokenizer::load(whole.path()));
    tokenizers.push_back(Tokenizer::load(parts.path()));
  }
};

const Qwen& qwen() {
  static const Qwen qwen;
  return qwen;
}

std::vector<std::string> split_text(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0, end;
  for (; (end = text.find(separator, begin)) != std::string::npos; begin = end + separator.size()) {
    parts.push_back(text.substr(begin, end - begin));
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

TEST(QwenTokenizer, AgreesWithTheEncodeVectors) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  const auto lines = split_text(read_file(qwen().vectors.path() / "encode_vectors.jsonl"), "\n");
  EXPECT_EQ(lines.size(), 55u);
  for (const std::string& line : lines) {
    const Json row = parse_json(line, "encode_vectors.jsonl");
    for (const Tokenizer& tokenizer : qwen().tokenizers) {
      EXPECT_EQ(tokenizer.encode(row["text"].get<std::string>(), SpecialText::kParse),
                row["ids"].get<std::vector<Token>>())
          << row["text"];
    }
  }
}

TEST(QwenTokenizer, AgreesWithTheTokenizeVectors) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  const auto texts = split_text(read_file(qwen().vectors.path() / "tokenize_vectors.inp"),
                                "\n__ggml_vocab_test__\n");
  const auto rows = split_text(read_file(qwen().vectors.path() / "tokenize_vectors.out"), "\n");
  ASSERT_EQ(texts.size(), rows.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::istringstream row(rows[i]);
    const std::vector<Token> expected{std::istream_iterator<Token>(row), {}};
    for (const Tokenizer& tokenizer : qwen().tokenizers) {
      EXPECT_EQ(tokenizer.encode(texts[i], SpecialText::kPlain), expected) << texts[i];
    }
  }
}

TEST(QwenTokenizer, GivesTheKnownPromptIds) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  for (const Tokenizer& tokenizer : qwen().tokenizers) {
    const auto ids = [&](const char* text) { return tokenizer.encode(text, SpecialText::kParse); };
    EXPECT_THAT(ids("system\n"), ElementsAre(8948, 198));
    EXPECT_THAT(ids("You are a helpful assistant."), ElementsAre(2610, 525, 264, 10950, 17847, 13));
    EXPECT_THAT(ids("user\n"), ElementsAre(872, 198));
    EXPECT_THAT(ids("assistant\n"), ElementsAre(77091, 198));
    EXPECT_THAT(ids("\n"), ElementsAre(198));
    EXPECT_THAT(ids("\n\n"), ElementsAre(271));
    EXPECT_THAT(ids("Hello world"), ElementsAre(9707, 1879));
    EXPECT_THAT(ids("<|im_start|>user\n<tool_call>"), ElementsAre(151644, 872, 198, 151657));
  }
}

TEST(QwenTokenizer, KnowsItsSpecialTokens) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  for (const Tokenizer& tokenizer : qwen().tokenizers) {
    EXPECT_EQ(tokenizer.size(), 151665);
    EXPECT_EQ(tokenizer.named("eos_token"), 151645);
    EXPECT_EQ(tokenizer.named("pad_token"), 151643);
    EXPECT_EQ(tokenizer.named("bos_token"), std::nullopt);
    EXPECT_EQ(tokenizer.find("<|im_start|>"), 151644);
    EXPECT_TRUE(tokenizer.is_special(151643));
    EXPECT_FALSE(tokenizer.is_special(151657));  // <tool_call>: added, but not special
    EXPECT_EQ(tokenizer.specials().size(), 14u);
    for (const Token id : tokenizer.encode("<|im_start|>", SpecialText::kPlain)) {
      EXPECT_FALSE(tokenizer.is_special(id));
    }
  }
}

// Random bytes, random characters, or text that looks like code.
std::string random_text(std::mt19937& random) {
  const std::array<const char*, 24> code = {
      "def ", "(x)", ":\n",     "    ", "return",     " 12",         "==", "\t",
      "\r\n", "é",   "e\u0301", "你好", "<|im_end|>", "<tool_call>", "'s", "{",
      "}",    "\"",  "//",      " the", "Zanzibar",   "\n\n\n",      "😀",  "_id"};
  const int kind = static_cast<int>(random() % 3), length = static_cast<int>(random() % 24);
  std::string text;
  for (int i = 0; i < length; ++i) {
    if (kind == 0) {
      text += static_cast<char>(random() % 256);
    } else if (kind == 1) {
      const char32_t limits[] = {0x80, 0x800, 0xD800, 0x10000};
      const char32_t code_point = random() % limits[random() % 4];
      if (code_point < 0x80) {
        text += static_cast<char>(code_point);
      } else if (code_point < 0x800) {
        text += {static_cast<char>(0xC0 | code_point >> 6),
                 static_cast<char>(0x80 | (code_point & 63))};
      } else if (code_point < 0xD800) {
        text += {static_cast<char>(0xE0 | code_point >> 12),
                 static_cast<char>(0x80 | (code_point >> 6 & 63)),
                 static_cast<char>(0x80 | (code_point & 63))};
      }
    } else {
      text += code[random() % code.size()];
    }
  }
  return text;
}

// NFC of each stretch that is UTF-8.
std::string normalised(const std::string& text) {
  std::string result, storage;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = valid_utf8_end(text, at);
    result += to_nfc(std::string_view(text).substr(at, end - at), storage);
    at = end;
    if (at < text.size()) result += text[at++];
  }
  return result;
}

void expect_round_trips(const Tokenizer& tokenizer, bool nfc) {
  std::mt19937 random(11);
  for (int round = 0; round < 10000; ++round) {
    const std::string text = random_text(random);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode_bytes(text), false), text);
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text, SpecialText::kPlain), false),
              nfc ? normalised(text) : text);
  }
}

TEST(QwenTokenizer, BytesRoundTrip) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  for (const Tokenizer& tokenizer : qwen().tokenizers) expect_round_trips(tokenizer, true);
}

TEST(QwenTokenizer, MillionEqualLettersTakeNoTime) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  for (const char letter : {'a', ' '}) {
    const std::string text(1 << 20, letter);
    const Tokenizer& tokenizer = qwen().tokenizers[0];
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, SpecialText::kPlain), false), text);
  }
}

// Generated texts; tools/make_tokenizer_vectors.mjs makes them and the small tokenizers.
std::filesystem::path vector_folder() {
  const char* other = std::getenv("UMF_TOKENIZER_VECTORS");
  return other != nullptr ? other : UMF_SOURCE_DIR "/tests/data/tokenizer";
}

void expect_vectors(const Tokenizer& tokenizer, const std::string& name) {
  const auto lines = split_text(read_file(vector_folder() / "vectors.jsonl"), "\n");
  EXPECT_GT(lines.size(), 300u);
  int wrong = 0;
  for (const std::string& line : lines) {
    const Json row = parse_json(line, "vectors.jsonl");
    const auto ids = tokenizer.encode(row["text"].get<std::string>(), SpecialText::kParse);
    if (ids == row[name].get<std::vector<Token>>()) continue;
    ADD_FAILURE() << row["text"] << "\n  expected " << row[name] << "\n  found    " << Json(ids);
    if (++wrong == 20) return;
  }
}

TEST(GeneratedVectors, QwenAgrees) {
  UMF_SKIP_WITHOUT_QWEN(qwen());
  expect_vectors(qwen().tokenizers[0], "qwen2_5");
}

class SmallTokenizers : public ::testing::TestWithParam<const char*> {};

TEST_P(SmallTokenizers, Agree) {
  const std::string name = GetParam();
  const auto path = vector_folder() / (name + ".json");
  const Tokenizer tokenizer = Tokenizer::parse(read_file(path), path.string());
  expect_vectors(tokenizer, name);
}

TEST_P(SmallTokenizers, BytesRoundTrip) {
  const std::string name = GetParam();
  const auto path = vector_folder() / (name + ".json");
  expect_round_trips(Tokenizer::parse(read_file(path), path.string()), name == "gpt2_like");
}

INSTANTIATE_TEST_SUITE_P(Generated, SmallTokenizers,
                         ::testing::Values("llada_like", "seed_coder_like", "gpt2_like"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace umf
