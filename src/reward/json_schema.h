// JSON Schema, as far as people describe answers with it: does a value fit, and how well?
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"

namespace umf {

// Types, enum, const, properties, required, additionalProperties, items, bounds of numbers, lengths
// and counts, anyOf, oneOf, allOf, and $ref inside the schema. Titles, formats and the like say
// nothing about what fits. Any other keyword is an Error: what is not checked must not seem to be.
class JsonSchema {
 public:
  // Throws Error naming `where`.
  JsonSchema(Json schema, const std::string& where);

  struct Fit {
    int checks = 0, failed = 0;
    std::string first;  // of what failed: "$.name must be a string"
  };
  Fit fit(const Json& value) const;

 private:
  const Json schema_;
};

}  // namespace umf
