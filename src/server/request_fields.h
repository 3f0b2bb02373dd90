// The objects of a request.
#pragma once

#include <vector>

#include "base/json_fields.h"

namespace umf {

// `null` is the same as absent, as clients write it. Mistakes are ApiErrors that name the field.
class RequestFields final : public JsonFields {
 public:
  // `path` names the object: "umf", or "" for the request itself. Throws where it is none.
  RequestFields(const Json& object, const std::string& path);

  // A string, or a list of them.
  std::vector<std::string> texts(const std::string& key, std::size_t at_most) const;
  // A field we do not have: allowed where it asks for nothing.
  void neutral(const std::string& key, std::initializer_list<Json> values) const;
  // Throws for the first key that was not asked for.
  void finish() const;

  std::string name(const std::string& key) const {
    return where().empty() ? key : where() + "." + key;
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override;
};

}  // namespace umf
