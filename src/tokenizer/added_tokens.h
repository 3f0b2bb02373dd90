// Finds the tokens that were added to a vocabulary in text, before any regex sees it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/token.h"
#include "tokenizer/pair_table.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

// Immutable; threads may share it.
class AddedTokens {
 public:
  // The content of each token is not empty; of two with the same content the first counts.
  explicit AddedTokens(std::vector<AddedToken> tokens);

  // A stretch of the text: an added token, or what lies between them.
  struct Part {
    std::string_view text;
    std::optional<Token> token;
  };

  // The parts of `text` (valid UTF-8) in order. At each place the longest token counts; with kPlain
  // special tokens stay text.
  std::vector<Part> cut(std::string_view text, SpecialText special) const;

 private:
  // The longest token at `at`; nullptr when there is none.
  const AddedToken* match(std::string_view text, std::size_t at) const;

  std::vector<AddedToken> tokens_;
  // A trie: children by (node, byte), and for each node the token that ends there or -1.
  PairTable<std::uint32_t> children_;
  std::vector<std::int32_t> ends_{-1};
  std::array<bool, 256> starts_{};  // bytes that some token starts with: most text has few of them
};

}  // namespace umf
