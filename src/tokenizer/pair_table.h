// A map from pairs of 32-bit numbers in one flat array, for lookups on the hottest path.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace umf {

// Value is small and cheap to copy. Filled once, then only read.
template <class Value>
class PairTable {
 public:
  explicit PairTable(std::size_t expected = 0)
      : slots_(std::bit_ceil(std::max<std::size_t>(expected, 4) * 2)) {}

  // False when the pair is there already. The pair (2^32 - 1, 2^32 - 1) is reserved.
  [[nodiscard]] bool insert(std::uint32_t left, std::uint32_t right, Value value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[index(join(left, right))];
    if (slot.key != kEmpty) return false;
    slot = {join(left, right), value};
    ++used_;
    return true;
  }

  const Value* find(std::uint32_t left, std::uint32_t right) const {
    const Slot& slot = slots_[index(join(left, right))];
    return slot.key == kEmpty ? nullptr : &slot.value;
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kEmpty;
    Value value{};
  };

  static std::uint64_t join(std::uint32_t left, std::uint32_t right) {
    return std::uint64_t{left} << 32 | right;
  }

  // Where the key is, or the empty place where it would go.
  std::size_t index(std::uint64_t key) const {
    std::uint64_t hash = key * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].key != key && slots_[at].key != kEmpty) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != kEmpty) slots_[index(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half full
  std::size_t used_ = 0;
};

}  // namespace umf
