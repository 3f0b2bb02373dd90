// An object of a request, read field by field: what nobody asked for is an error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "server/api_error.h"

namespace umf {

// Every getter throws ApiError when the value is of another kind or out of range. `null` is the
// same as absent, as clients write it.
class Fields {
 public:
  // `path` names the object in errors: "umf", or "" for the request itself. Must outlive this.
  Fields(const Json& object, std::string path);

  const Json* find(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  std::optional<bool> flag(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least,
                                      std::int64_t most);
  std::optional<std::uint64_t> seed(const std::string& key);
  std::optional<double> number(const std::string& key, double least, double most);
  // A string, or a list of them.
  std::vector<std::string> texts(const std::string& key, std::size_t at_most);

  // These change nothing here, whatever they hold.
  void ignore(std::initializer_list<const char*> keys);
  // A field we do not have: allowed where it asks for nothing.
  void neutral(const std::string& key, std::initializer_list<Json> values);
  // Throws for the first key that was not asked for.
  void finish() const;

  std::string name(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

 private:
  const Json& object_;
  std::string path_;
  std::set<std::string> asked_;
};

}  // namespace umf
