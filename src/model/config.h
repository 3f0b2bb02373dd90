// config.json read with suspicion: every key is asked for, named as harmless, or an error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "base/json.h"
#include "base/token.h"

namespace umf {

class Config {
 public:
  // `where` names the file in errors. Throws Error when `object` is not an object.
  Config(Json object, std::string where);

  // The value of a key that must be there, within the range. null counts as absent.
  int integer(const std::string& key, int least, int most) const;
  double number(const std::string& key, double least, double most) const;
  std::string text(const std::string& key) const;
  // The value, or `otherwise` where the key is absent or null.
  int integer_or(const std::string& key, int least, int most, int otherwise) const;
  std::optional<Token> token(const std::string& key) const;
  std::string first_architecture() const;

  bool has(const std::string& key) const;
  // Absent, null or this value: anything else is an error that names the key and what is supported.
  void expect(const std::string& key, const Json& only) const;
  // Keys that cannot change what the model computes.
  void ignore(std::initializer_list<const char*> keys) const;
  // Throws for the first key that nobody asked for: ignoring it could change the result silently.
  void refuse_the_rest() const;

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  const Json* find(const std::string& key) const;

  Json object_;
  std::string where_;
  mutable std::set<std::string> seen_;
};

}  // namespace umf
