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

// What two neighbours become, and how early: lower ranks go first.
struct MergeRule {
  std::uint32_t rank;
  Token joined;
};
using MergeTable = PairTable<MergeRule>;  // by the two tokens; each rank once

// Immutable; threads may share it.
class Bpe {
 public:
  // `vocabulary` outlives this object and holds a findable token for each of the 256 bytes. The
  // bytes of a rule's `joined` are those of its two tokens. `take_whole`: a piece that is itself a
  // findable token needs no merges.
  Bpe(const Vocabulary& vocabulary, MergeTable merges, bool take_whole);

  // Appends the tokens of `piece`, whatever bytes it holds; their bytes are those of `piece`.
  void encode(std::string_view piece, std::vector<Token>& ids) const;

  Token byte_token(unsigned char byte) const { return byte_tokens_[byte]; }

 private:
  void merge_short(std::string_view piece, std::vector<Token>& ids) const;
  void merge_long(std::string_view piece, std::vector<Token>& ids) const;
  // By id: 1 when the merges make this token, and nothing else, of its bytes.
  std::vector<std::uint8_t> find_whole_tokens() const;

  const Vocabulary& vocabulary_;
  std::array<Token, 256> byte_tokens_;
  MergeTable merges_;
  std::vector<std::uint8_t> whole_;  // by id: taken without merging
};

}  // namespace umf
