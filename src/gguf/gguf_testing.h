// GGUF files put together byte by byte, true or not: for the tests of readers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/gguf.h"

namespace umf {

class GgufBytes {
 public:
  template <class T>
  GgufBytes& number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  GgufBytes& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  GgufBytes& text(std::string_view text) { return number<std::uint64_t>(text.size()).raw(text); }
  GgufBytes& header(std::int64_t tensors, std::int64_t keys, std::uint32_t version = 3) {
    return raw("GGUF").number(version).number(tensors).number(keys);
  }
  template <class T>
  GgufBytes& key(std::string_view name, GgufKind kind, T value) {
    return text(name).number(static_cast<std::uint32_t>(kind)).number(value);
  }
  GgufBytes& key(std::string_view name, std::string_view value) {
    return text(name).number(static_cast<std::uint32_t>(GgufKind::kString)).text(value);
  }
  // The elements follow.
  GgufBytes& array(std::string_view name, GgufKind kind, std::uint64_t count) {
    text(name).number(static_cast<std::uint32_t>(GgufKind::kArray));
    return number(static_cast<std::uint32_t>(kind)).number(count);
  }
  GgufBytes& tensor(std::string_view name, const std::vector<std::int64_t>& sizes,
                    std::uint32_t type, std::uint64_t offset) {
    text(name).number(static_cast<std::uint32_t>(sizes.size()));
    for (const std::int64_t size : sizes) number(size);
    return number(type).number(offset);
  }
  GgufBytes& align(std::size_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, '\0');
    return *this;
  }

  const std::string& str() const { return bytes_; }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(bytes_)); }

 private:
  std::string bytes_;
};

// Three tensors and a key of every kind, aligned to 64 bytes.
inline GgufBytes sample_gguf(std::uint32_t version = 3) {
  GgufBytes file;
  file.header(3, 14, version)
      .key("general.alignment", GgufKind::kU32, std::uint32_t{64})
      .key("a.u8", GgufKind::kU8, std::uint8_t{200})
      .key("a.i8", GgufKind::kI8, std::int8_t{-3})
      .key("a.u16", GgufKind::kU16, std::uint16_t{40000})
      .key("a.i16", GgufKind::kI16, std::int16_t{-300})
      .key("a.i32", GgufKind::kI32, std::int32_t{-70000})
      .key("a.f32", GgufKind::kF32, 0.5f)
      .key("a.bool", GgufKind::kBool, std::uint8_t{1})
      .key("a.string", "two words")
      .key("a.u64", GgufKind::kU64, std::uint64_t{1} << 40)
      .key("a.i64", GgufKind::kI64, -(std::int64_t{1} << 40))
      .key("a.f64", GgufKind::kF64, 1e-5);
  file.array("a.texts", GgufKind::kString, 3).text("x").text("").text("\xFF y");
  file.array("a.numbers", GgufKind::kI32, 2).number(std::int32_t{-1}).number(std::int32_t{7});
  file.tensor("plain", {5, 3}, 0, 0).tensor("packed", {32, 2}, 8, 64).tensor("half", {7}, 1, 192);
  file.align(64);
  for (int i = 0; i < 15; ++i) file.number(static_cast<float>(i));
  file.align(64);
  for (int i = 0; i < 68; ++i) file.number(static_cast<std::uint8_t>(i));
  file.align(64);
  for (int i = 0; i < 7; ++i) file.number(static_cast<std::uint16_t>(0x3C00 + i));
  return file;
}

}  // namespace umf
