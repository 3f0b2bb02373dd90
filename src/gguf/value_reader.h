// Reads the numbers, texts and values of a GGUF file one after the other, never past its end.
#pragma once

#include <fmt/core.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "gguf/gguf.h"

namespace umf {

class GgufValueReader {
 public:
  // `where` names the file in errors and outlives the reader, as the bytes do.
  GgufValueReader(std::span<const std::byte> file, const std::string& where)
      : file_(file), where_(where) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t size() const { return file_.size(); }
  std::uint64_t left() const { return file_.size() - at_; }
  std::span<const std::byte> bytes(std::uint64_t begin, std::uint64_t count) const {
    return file_.subspan(begin, count);
  }

  // The next bytes; `what` they belong to, for the message where the file ends before.
  std::string_view take(std::uint64_t count, std::string_view what);
  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }
  std::string_view text(std::string_view what);            // after its length
  GgufValue value(std::string_view what);                  // after its kind
  GgufValue scalar(GgufKind kind, std::string_view what);  // of a kind that is no array

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(where_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  [[noreturn]] void fail_at(std::uint64_t byte, fmt::format_string<Args...> format,
                            Args&&... args) const {
    throw Error(fmt::format("{}: byte {}: {}", where_, byte,
                            fmt::format(format, std::forward<Args>(args)...)));
  }

 private:
  GgufKind kind(std::string_view what);
  GgufArray array(std::string_view what);

  std::span<const std::byte> file_;
  const std::string& where_;
  std::uint64_t at_ = 0;
};

}  // namespace umf
