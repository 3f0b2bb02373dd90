// A JSON object read strictly, field by field: a value of another kind, out of range, or that
// nobody asked for is an error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace umf {

// Files and requests tell a mistake in words of their own: a class of theirs says how (refuse).
class JsonFields {
 public:
  enum class Null { kIsAValue, kIsAbsent };

  // `object` must be one, and outlive this; `where` names it in errors.
  JsonFields(const Json& object, std::string where, Null null = Null::kIsAValue)
      : object_(object), where_(std::move(where)), null_(null) {}
  virtual ~JsonFields() = default;

  const std::string& where() const { return where_; }
  // nullptr where the field is absent.
  const Json* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }

  // Nothing where the field is absent; anything of another kind or size is refused.
  std::optional<std::string> text(const std::string& key) const;
  std::optional<bool> flag(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least,
                                      std::int64_t most) const;
  std::optional<double> number(const std::string& key, double least, double most) const;
  // Absent is refused, too.
  std::string needed_text(const std::string& key) const;

  // Keys whose values nobody looks at.
  void ignore(std::initializer_list<const char*> keys) const;
  // The keys that nobody asked for, and the first of them.
  std::vector<std::string> all_unasked() const;
  std::optional<std::string> unasked() const;
  // Throws Error where there is a key besides these: "WHERE: HAS; 'key' is not understood".
  void only(std::initializer_list<const char*> keys, const std::string& has) const;

  // Throws: the field is absent or not as it must be; `wish` goes on after its name, as in "must be
  // a string".
  [[noreturn]] virtual void refuse(const std::string& key, const std::string& wish) const;

 protected:
  const std::set<std::string>& asked() const { return asked_; }

 private:
  const Json& object_;
  std::string where_;
  Null null_;
  mutable std::set<std::string> asked_;
};

}  // namespace umf
