// The tokens' bytes by id, and ids by bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/token.h"

namespace umf {

// Filled once, then only read.
class Vocabulary {
 public:
  // Room for about `tokens` tokens of `bytes` bytes in all.
  Vocabulary(std::size_t tokens, std::size_t bytes);

  // False when the id is taken.
  [[nodiscard]] bool add(Token id, std::string_view bytes);
  // Makes the token `id` the one that find() gives for its bytes.
  void make_findable(Token id);

  std::optional<Token> find(std::string_view bytes) const;
  bool contains(Token id) const { return id >= 0 && id < size() && spans_[id].begin != kAbsent; }
  std::string_view bytes(Token id) const;
  int size() const { return static_cast<int>(spans_.size()); }

 private:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;
  struct Span {
    std::uint32_t begin = kAbsent, length = 0;
  };
  struct Slot {
    std::uint32_t hash = 0;
    Token id = -1;
  };

  void grow();
  void place(Slot slot);

  std::string arena_;
  std::vector<Span> spans_;  // by id
  std::vector<Slot> slots_;  // open addressing, a power of two of them, at most half full
  std::size_t used_ = 0;
};

}  // namespace umf
