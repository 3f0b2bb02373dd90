// config.json read with suspicion: every key is asked for, named as harmless, an error, or told as
// unknown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_fields.h"
#include "base/token.h"

namespace umf {

// What a Config reads: it stands before JsonFields, which refers to it.
struct ConfigObject {
  Json object;
};

class Config final : private ConfigObject, public JsonFields {
 public:
  // What stands in text_config counts as if it stood beside it; that both speak of one key and
  // differ is an Error. Throws Error where `file` is no object. `spelled` are the keys that have
  // another name in the file that they come from, for messages.
  Config(const Json& file, const std::string& where,
         std::map<std::string, std::string> spelled = {});
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  // The value of a key that must be there, within the range. null counts as absent.
  int integer(const std::string& key, int least, int most) const;
  double number(const std::string& key, double least, double most) const;
  // The value, or `otherwise` where the key is absent or null.
  int integer_or(const std::string& key, int least, int most, int otherwise) const;
  // A token, or none.
  std::optional<Token> token(const std::string& key) const;
  // One token or a list of them, as ends of text are given.
  std::vector<Token> tokens(const std::string& key) const;
  std::string first_architecture() const;

  // Absent, null or this value: anything else is an error that names the key and what is supported.
  void expect(const std::string& key, const Json& only) const;
  // The keys that nobody asked for and that are not known to be harmless, as texts of one line.
  // Throws for one that is known to change what is computed. To be called when the family has read
  // what it knows.
  std::vector<std::string> unknown_keys() const;

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override;

 private:
  std::map<std::string, std::string> spelled_;
};

}  // namespace umf
