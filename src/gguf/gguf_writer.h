// Writes GGUF files, version 3: keys in the order given, then tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "gguf/gguf.h"

namespace umf {

// The keys of a file in the making.
class GgufKeyWriter {
 public:
  void text(std::string_view key, std::string_view value);
  void natural(std::string_view key, std::uint32_t value);
  void number(std::string_view key, float value);
  void flag(std::string_view key, bool value);
  void texts(std::string_view key, std::span<const std::string> values);
  void integers(std::string_view key, std::span<const std::int32_t> values);

  std::int64_t count() const { return count_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void begin(std::string_view key, GgufKind kind);
  void begin_array(std::string_view key, GgufKind kind, std::size_t count);

  std::int64_t count_ = 0;
  std::string bytes_;
};

// What the header says of a tensor; `sizes` with the row length first, which is whole blocks.
struct GgufTensorHeader {
  std::string name;
  const GgufType* type = nullptr;
  std::vector<std::int64_t> sizes;

  std::uint64_t bytes() const;
};

// A file in the making, for models larger than memory: the tensors' bytes follow in the order of
// the headers, in pieces of any size that end where a tensor does. All of them must come.
class GgufStream {
 public:
  GgufStream(DraftFile& file, const GgufKeyWriter& keys, std::vector<GgufTensorHeader> tensors);
  void append(std::span<const std::byte> bytes);

 private:
  void pad(std::uint64_t written);

  DraftFile& file_;
  const std::vector<GgufTensorHeader> tensors_;
  std::size_t tensor_ = 0;
  std::uint64_t written_ = 0;  // of this tensor
};

}  // namespace umf
