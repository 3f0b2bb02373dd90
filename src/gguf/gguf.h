// GGUF, the container of llama.cpp: the keys and tensors of a model in one file. Its bytes are
// untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umf {

// How a tensor's numbers are stored: `elements` of them in a block of `bytes` bytes.
struct GgufType {
  std::uint32_t id;
  std::string_view name;  // "Q4_K"
  int elements, bytes;
};

// Of those that can be read and written; nullptr: there is none of this name.
const GgufType* find_gguf_type(std::string_view name);

// The kinds of values, with the format's numbers.
enum class GgufKind : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

// Elements that stay where they are in the file: one after the other, all inside it.
struct GgufArray {
  GgufKind kind = GgufKind::kU8;  // of the elements; never an array
  std::uint64_t count = 0;
  std::span<const std::byte> bytes;
};

// A key's value; integers and fractions of any width are one kind here.
using GgufValue =
    std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray>;

using GgufKeys = std::map<std::string, GgufValue, std::less<>>;

struct GgufTensor {
  std::string name;
  const GgufType* type = nullptr;
  std::vector<std::int64_t> sizes;   // the row length first
  std::span<const std::byte> bytes;  // inside the file
};

struct Gguf {
  GgufKeys keys;
  std::vector<GgufTensor> tensors;  // in the order of the file
};

// Checks and lists what one file holds: version 2 or 3, every length against what is left of the
// file, keys and names once and printable, tensors aligned, inside the file and apart from each
// other. Views point into `file`. Throws Error naming `where` and the byte, key or tensor.
Gguf parse_gguf(std::span<const std::byte> file, const std::string& where);

// Bytes of a file as one line of printable ASCII for messages.
std::string printable(std::string_view bytes, std::size_t limit = 80);

// Bytes of an element; 0 for strings and arrays, which differ, and for what is no kind.
std::size_t size_of(GgufKind kind);
// "u32", for messages.
std::string_view name_of(GgufKind kind);

}  // namespace umf
