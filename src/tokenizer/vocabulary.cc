#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace umf {
namespace {

std::uint64_t mix(std::uint64_t value) {
  value *= 0x9E3779B97F4A7C15;
  return value ^ value >> 29;
}

// Eight bytes at a time: pieces of text are short, and hashing them must cost less than a cache
// miss.
std::uint32_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (bytes.size() > 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = mix(hash ^ word);
    bytes.remove_prefix(8);
  }
  std::uint64_t word = 0;
  for (const char c : bytes) word = word << 8 | static_cast<unsigned char>(c);
  return static_cast<std::uint32_t>(mix(mix(hash ^ word)) >> 32);
}

}  // namespace

Vocabulary::Vocabulary(std::size_t tokens, std::size_t bytes)
    : slots_(std::bit_ceil(std::max<std::size_t>(tokens, 8) * 2)) {
  arena_.reserve(bytes);
  spans_.reserve(tokens);
}

bool Vocabulary::add(Token id, std::string_view bytes) {
  if (id >= size()) spans_.resize(static_cast<std::size_t>(id) + 1);
  Span& span = spans_[id];
  if (span.begin != kAbsent) return false;
  span = {static_cast<std::uint32_t>(arena_.size()), static_cast<std::uint32_t>(bytes.size())};
  arena_.append(bytes);
  return true;
}

void Vocabulary::make_findable(Token id) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  place({hash_bytes(bytes(id)), id});
  ++used_;
}

void Vocabulary::place(Slot slot) {
  std::size_t at = slot.hash & (slots_.size() - 1);
  while (slots_[at].id >= 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = slot;
}

void Vocabulary::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id >= 0) place(slot);
  }
}

std::optional<Token> Vocabulary::find(std::string_view wanted) const {
  const std::uint32_t hash = hash_bytes(wanted);
  for (std::size_t at = hash & (slots_.size() - 1); slots_[at].id >= 0;
       at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash == hash && bytes(slots_[at].id) == wanted) return slots_[at].id;
  }
  return std::nullopt;
}

std::string_view Vocabulary::bytes(Token id) const {
  if (!contains(id)) return {};
  return std::string_view(arena_).substr(spans_[id].begin, spans_[id].length);
}

}  // namespace umf
