#include "tokenizer/bpe.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace umf {
namespace {

// Byte b has id b; further tokens are added by joining two.
struct Toy {
  Vocabulary vocabulary{300, 1000};
  struct Merge {
    Token left, right, joined;
  };
  std::vector<Merge> merges;  // by rank

  Toy() {
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  }
  Token add(const std::string& bytes) {
    const Token id = vocabulary.size();
    EXPECT_TRUE(vocabulary.add(id, bytes));
    vocabulary.make_findable(id);
    return id;
  }
  Token merge(const std::string& left, const std::string& right) {
    const auto known = vocabulary.find(left + right);
    const Token joined = known ? *known : add(left + right);
    merges.push_back({*vocabulary.find(left), *vocabulary.find(right), joined});
    return joined;
  }
  Bpe bpe(bool take_whole = false) const {
    MergeTable table;
    for (std::uint32_t rank = 0; rank < merges.size(); ++rank) {
      EXPECT_TRUE(table.insert(merges[rank].left, merges[rank].right, {rank, merges[rank].joined}));
    }
    return Bpe(vocabulary, std::move(table), take_whole);
  }
};

std::vector<Token> encode(const Bpe& bpe, std::string_view piece) {
  std::vector<Token> ids;
  bpe.encode(piece, ids);
  return ids;
}

// The definition, as slowly as it can be said.
std::vector<Token> merge_plainly(const Toy& toy, std::string_view piece) {
  std::vector<Token> tokens;
  for (const char c : piece) tokens.push_back(static_cast<unsigned char>(c));
  for (;;) {
    std::size_t best_rank = toy.merges.size(), best = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      for (std::size_t rank = 0; rank < best_rank; ++rank) {
        if (toy.merges[rank].left == tokens[i] && toy.merges[rank].right == tokens[i + 1]) {
          best_rank = rank;
          best = i;
        }
      }
    }
    if (best_rank == toy.merges.size()) return tokens;
    tokens[best] = toy.merges[best_rank].joined;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(Bpe, LowerRankGoesFirstAndThenTheLeftmost) {
  Toy toy;
  const Token bc = toy.merge("b", "c");
  const Token ab = toy.merge("a", "b");
  const Token aa = toy.merge("a", "a");
  const Bpe bpe = toy.bpe();
  EXPECT_EQ(encode(bpe, "abc"), (std::vector<Token>{'a', bc}));
  EXPECT_EQ(encode(bpe, "ab"), (std::vector<Token>{ab}));
  EXPECT_EQ(encode(bpe, "aaa"), (std::vector<Token>{aa, 'a'}));
  EXPECT_EQ(encode(bpe, ""), (std::vector<Token>{}));
}

TEST(Bpe, TokenThatMergesDoNotMakeIsOnlyTakenWholeOnRequest) {
  Toy toy;
  const Token bc = toy.merge("b", "c");
  toy.merge("a", "b");
  const Token abc = toy.merge("ab", "c");  // never reached: "b c" comes first
  EXPECT_EQ(encode(toy.bpe(), "abc"), (std::vector<Token>{'a', bc}));
  EXPECT_EQ(encode(toy.bpe(true), "abc"), (std::vector<Token>{abc}));
}

TEST(Bpe, ShortAndLongPiecesAgreeWithTheDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Toy toy;
    std::vector<std::string> texts = {"a", "b", "c"};
    std::shuffle(texts.begin(), texts.end(), random);
    for (int i = 0; i < 25; ++i) {
      const std::string left = texts[random() % texts.size()],
                        right = texts[random() % texts.size()];
      const bool fresh = !toy.vocabulary.find(left + right);
      if (!fresh) continue;
      toy.merge(left, right);
      texts.push_back(left + right);
    }
    const Bpe bpe = toy.bpe();
    for (int length = 0; length < 80; ++length) {
      std::string piece;
      for (int i = 0; i < length; ++i) piece += static_cast<char>('a' + random() % 3);
      ASSERT_EQ(encode(bpe, piece), merge_plainly(toy, piece)) << piece;
    }
  }
}

TEST(Bpe, MillionEqualLettersDoNotTakeQuadraticTime) {
  Toy toy;
  std::string text = "a";
  Token longest = 'a';
  for (int i = 0; i < 6; ++i, text += text) longest = toy.merge(text, text);
  const auto ids = encode(toy.bpe(), std::string(1 << 20, 'a'));
  EXPECT_EQ(ids, std::vector<Token>((1 << 20) / 64, longest));
}

}  // namespace
}  // namespace umf
