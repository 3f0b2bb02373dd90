// The JSON object of a reward.
#pragma once

#include <set>
#include <string>

#include "base/json_fields.h"

namespace umf {

class SpecFields final : public JsonFields {
 public:
  SpecFields(const Json& spec, const std::string& where);  // has a 'type'

  std::string choice(const std::string& key, const std::string& otherwise,
                     const std::set<std::string>& choices) const;
  const Json& needed_list(const std::string& key) const;
  // Throws Error naming a field that nobody asked for.
  void finish() const;
  [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override;
};

}  // namespace umf
