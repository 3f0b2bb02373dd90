#include "reward/json_schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace umf {
namespace {

constexpr int kDepth = 64;           // of subschemas, references followed
constexpr int kMostSteps = 1 << 16;  // of one value
constexpr const char* kLists[] = {"anyOf", "oneOf", "allOf"};
constexpr const char* kMaps[] = {"properties", "$defs", "definitions"};
constexpr const char* kSingle[] = {"items", "additionalProperties"};
constexpr const char* kCounts[] = {"minItems", "maxItems", "minLength", "maxLength"};
constexpr const char* kBounds[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
constexpr const char* kTypes[] = {"object",  "array",   "string", "number",
                                  "integer", "boolean", "null"};
constexpr const char* kSaysNothing[] = {"title",      "description", "default",  "examples",
                                        "format",     "$schema",     "$id",      "$comment",
                                        "deprecated", "readOnly",    "writeOnly"};

bool among(const std::string& key, const auto& list) {
  return std::ranges::any_of(list, [&](const char* one) { return key == one; });
}

// Looks at every subschema once, before any value.
class Checker {
 public:
  Checker(const Json& root, const std::string& where) : root_(root), where_(where) {}

  void check(const Json& schema, const std::string& path, int depth) const {
    if (depth > kDepth) refuse(path, "is nested too deeply");
    if (schema.is_boolean()) return;
    if (!schema.is_object()) refuse(path, "must be an object, true or false");
    for (const auto& [key, value] : schema.items()) check_keyword(key, value, path, depth);
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& wish) const {
    throw Error(fmt::format("{}: {} {}", where_, path, wish));
  }

  void check_keyword(const std::string& key, const Json& value, const std::string& path,
                     int depth) const {
    const std::string place = path + "/" + key;
    if (among(key, kSaysNothing) || key == "const") return;
    if (among(key, kLists)) {
      if (!value.is_array() || value.empty()) refuse(place, "must be a list of schemas");
      for (const Json& one : value) check(one, place, depth + 1);
    } else if (among(key, kMaps)) {
      if (!value.is_object()) refuse(place, "must be an object of schemas");
      for (const auto& [name, one] : value.items()) check(one, place + "/" + name, depth + 1);
    } else if (among(key, kSingle)) {
      check(value, place, depth + 1);
    } else if (among(key, kCounts)) {
      if (!value.is_number_unsigned()) refuse(place, "must be a whole number from 0");
    } else if (among(key, kBounds)) {
      if (!value.is_number()) refuse(place, "must be a number");
    } else if (key == "type") {
      check_type(value, place);
    } else if (key == "enum") {
      if (!value.is_array() || value.empty()) refuse(place, "must be a list of values");
    } else if (key == "required") {
      const auto is_text = [](const Json& one) { return one.is_string(); };
      if (!value.is_array() || !std::ranges::all_of(value, is_text))
        refuse(place, "must be a list of names");
    } else if (key == "$ref") {
      check_reference(value, place);
    } else {
      refuse(place, "is not a keyword that is checked here; leave it out");
    }
  }

  void check_type(const Json& value, const std::string& place) const {
    const auto is_type = [](const Json& one) {
      return one.is_string() && among(one.get<std::string>(), kTypes);
    };
    const bool list = value.is_array() && !value.empty() && std::ranges::all_of(value, is_type);
    if (!list && !is_type(value)) refuse(place, "must be the name of a type, or a list of them");
  }

  void check_reference(const Json& value, const std::string& place) const {
    if (value.is_string() && value.get<std::string>().starts_with('#')) {
      try {
        if (root_.contains(Json::json_pointer(value.get<std::string>().substr(1)))) return;
      } catch (const Json::exception&) {  // NOLINT(bugprone-empty-catch)
        // No pointer at all.
      }
    }
    refuse(place, "must point into the schema, as #/$defs/NAME does");
  }

  const Json& root_;
  const std::string& where_;
};

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  return value.is_number_integer() ||
         (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>());
}

std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

// Compares one value.
class Fitting {
 public:
  explicit Fitting(const Json& root) : root_(root) {}

  JsonSchema::Fit fit(const Json& schema, const Json& value, const std::string& path, int depth) {
    JsonSchema::Fit fit;
    if (++steps_ > kMostSteps || depth > kDepth) {
      expect(fit, false, path, "is too large or nested too deeply for the schema");
    } else if (schema.is_boolean()) {
      expect(fit, schema.get<bool>(), path, "is not allowed");
    } else {
      if (schema.contains("$ref")) {
        const Json::json_pointer place(schema["$ref"].get<std::string>().substr(1));
        add(fit, this->fit(root_.at(place), value, path, depth + 1));
      }
      check_kind(schema, value, path, fit);
      check_choices(schema, value, path, depth, fit);
      if (value.is_object()) check_object(schema, value, path, depth, fit);
      if (value.is_array()) check_list(schema, value, path, depth, fit);
      if (value.is_number()) check_number(schema, value.get<double>(), path, fit);
      if (value.is_string()) check_text(schema, value.get<std::string>(), path, fit);
    }
    return fit;
  }

 private:
  static void expect(JsonSchema::Fit& fit, bool holds, const std::string& path,
                     const std::string& wish) {
    ++fit.checks;
    if (holds) return;
    if (fit.failed++ == 0) fit.first = path + " " + wish;
  }
  static void add(JsonSchema::Fit& fit, const JsonSchema::Fit& more) {
    if (fit.failed == 0) fit.first = more.first;
    fit.checks += more.checks;
    fit.failed += more.failed;
  }

  static void check_kind(const Json& schema, const Json& value, const std::string& path,
                         JsonSchema::Fit& fit) {
    if (schema.contains("type")) {
      const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      const bool holds = std::ranges::any_of(
          types, [&](const Json& type) { return has_type(value, type.get<std::string>()); });
      expect(fit, holds, path, fmt::format("must be of type {}", schema["type"].dump()));
    }
    if (schema.contains("enum")) {
      const Json& list = schema["enum"];
      expect(fit, std::ranges::find(list, value) != list.end(), path,
             fmt::format("must be one of {}", list.dump()));
    }
    if (schema.contains("const"))
      expect(fit, value == schema["const"], path,
             fmt::format("must be {}", schema["const"].dump()));
  }

  void check_choices(const Json& schema, const Json& value, const std::string& path, int depth,
                     JsonSchema::Fit& fit) {
    if (schema.contains("allOf")) {
      for (const Json& one : schema["allOf"]) add(fit, this->fit(one, value, path, depth + 1));
    }
    for (const char* key : {"anyOf", "oneOf"}) {
      if (!schema.contains(key)) continue;
      int holding = 0;
      for (const Json& one : schema[key])
        holding += this->fit(one, value, path, depth + 1).failed == 0;
      const bool exactly = key == std::string("oneOf");
      expect(fit, exactly ? holding == 1 : holding > 0, path,
             exactly ? "must fit exactly one of the choices" : "must fit one of the choices");
    }
  }

  void check_object(const Json& schema, const Json& value, const std::string& path, int depth,
                    JsonSchema::Fit& fit) {
    static const Json kNone = Json::object(), kAnything = true;
    if (schema.contains("required")) {
      for (const Json& name : schema["required"])
        expect(fit, value.contains(name.get<std::string>()), path,
               fmt::format("must have '{}'", name.get<std::string>()));
    }
    const Json& known = schema.contains("properties") ? schema["properties"] : kNone;
    const Json& others =
        schema.contains("additionalProperties") ? schema["additionalProperties"] : kAnything;
    for (const auto& [name, member] : value.items()) {
      const Json& own = known.contains(name) ? known[name] : others;
      add(fit, this->fit(own, member, path + "." + name, depth + 1));
    }
  }

  void check_list(const Json& schema, const Json& value, const std::string& path, int depth,
                  JsonSchema::Fit& fit) {
    check_count(schema, value.size(), "minItems", "maxItems", "values", path, fit);
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i)
      add(fit, this->fit(schema["items"], value[i], fmt::format("{}[{}]", path, i), depth + 1));
  }

  static void check_text(const Json& schema, const std::string& value, const std::string& path,
                         JsonSchema::Fit& fit) {
    check_count(schema, characters_in(value), "minLength", "maxLength", "characters", path, fit);
  }

  static void check_count(const Json& schema, std::size_t count, const char* least,
                          const char* most, const char* what, const std::string& path,
                          JsonSchema::Fit& fit) {
    if (schema.contains(least))
      expect(fit, count >= schema[least].get<std::size_t>(), path,
             fmt::format("must have {} {} at least", schema[least].get<std::size_t>(), what));
    if (schema.contains(most))
      expect(fit, count <= schema[most].get<std::size_t>(), path,
             fmt::format("must have {} {} at most", schema[most].get<std::size_t>(), what));
  }

  static void check_number(const Json& schema, double value, const std::string& path,
                           JsonSchema::Fit& fit) {
    for (const char* key : kBounds) {
      if (!schema.contains(key)) continue;
      const std::string name = key;
      const double bound = schema[key];
      const bool holds = name == "minimum"            ? value >= bound
                         : name == "maximum"          ? value <= bound
                         : name == "exclusiveMinimum" ? value > bound
                                                      : value < bound;
      expect(fit, holds, path, fmt::format("is against {} {}", name, schema[key].dump()));
    }
  }

  const Json& root_;
  int steps_ = 0;
};

}  // namespace

JsonSchema::JsonSchema(Json schema, const std::string& where) : schema_(std::move(schema)) {
  Checker(schema_, where).check(schema_, "the schema", 0);
}

JsonSchema::Fit JsonSchema::fit(const Json& value) const {
  return Fitting(schema_).fit(schema_, value, "$", 0);
}

}  // namespace umf
