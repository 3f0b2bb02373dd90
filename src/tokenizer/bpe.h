// Byte pair encoding of one piece of text: from its bytes, join the neighbours that were merged
// earliest in training until no two can be joined.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/token.h"
#include "tokenizer/pair_table.h"
#include "tokenizer/vocabulary.h"

namespace umf {

// Two tokens and what they become; its index in the list is its rank, lower first.
struct Merge {
  Token left, right, joined;
};

// Immutable; threads may share it.
class Bpe {
 public:
  // `vocabulary` outlives this object and holds a findable token for each of the 256 bytes. The
  // bytes of a merge's `joined` are those of its parts. A pair given twice keeps its first rank.
  // `take_whole`: a piece that is itself a findable token needs no merges.
  Bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges, bool take_whole);

  // Appends the tokens of `piece`, whatever bytes it holds; their bytes are those of `piece`.
  void encode(std::string_view piece, std::vector<Token>& ids) const;

  Token byte_token(unsigned char byte) const { return byte_tokens_[byte]; }

 private:
  struct Rule {
    std::uint32_t rank;
    Token joined;
  };

  void merge_short(std::string_view piece, std::vector<Token>& ids) const;
  void merge_long(std::string_view piece, std::vector<Token>& ids) const;
  // By id: 1 when the merges make this token, and nothing else, of its bytes.
  std::vector<std::uint8_t> find_whole_tokens() const;

  const Vocabulary& vocabulary_;
  std::array<Token, 256> byte_tokens_;
  PairTable<Rule> rules_;
  std::vector<std::uint8_t> whole_;  // by id: taken without merging
};

}  // namespace umf
