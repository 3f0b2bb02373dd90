// The keys of a GGUF file asked for by name, with their kinds and ranges checked; what nobody asked
// for can be told.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/gguf.h"

namespace umf {

// Views point into the file, which outlives this.
class GgufMetadata {
 public:
  GgufMetadata(std::string where, GgufKeys keys)
      : where_(std::move(where)), keys_(std::move(keys)) {}

  const std::string& where() const { return where_; }
  const GgufValue* find(const std::string& key) const;  // nullptr where it is absent
  bool has(const std::string& key) const { return find(key) != nullptr; }

  // Nothing where the key is absent; another kind or a value outside of the range is an Error.
  std::optional<std::string_view> text(const std::string& key) const;
  std::optional<bool> flag(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least,
                                      std::int64_t most) const;
  // Arrays of at most `most` elements.
  std::optional<std::vector<std::string_view>> texts(const std::string& key,
                                                     std::uint64_t most) const;
  std::optional<std::vector<std::int64_t>> integers(const std::string& key,
                                                    std::uint64_t most) const;

  // The keys that begin with `prefix` and that nobody has asked for.
  std::vector<std::string> unasked(std::string_view prefix) const;
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  const GgufArray* array(const std::string& key, std::uint64_t most) const;

  std::string where_;
  GgufKeys keys_;
  mutable std::set<std::string> asked_;
};

}  // namespace umf
