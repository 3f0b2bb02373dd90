#include "math/math_verify.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "math/comparison.h"
#include "math/text.h"

namespace umf {
namespace {

int whole_number(const Json& value, int least, int most, const std::string& where,
                 const std::string& key) {
  if (!value.is_number_integer() || value < least || value > most) {
    throw Error(fmt::format("{}: config '{}' must be a whole number from {} to {}", where, key,
                            least, most));
  }
  return value;
}

bool truth_value(const Json& value, const std::string& where, const std::string& key) {
  if (!value.is_boolean()) {
    throw Error(fmt::format("{}: config '{}' must be true or false", where, key));
  }
  return value;
}

void set_targets(const Json& targets, MathVerifyConfig& config, const std::string& where) {
  config.latex = config.plain = false;
  bool good = targets.is_array();
  for (const Json& target : good ? targets : Json::array()) {
    if (target == "latex")
      config.latex = true;
    else if (target == "expr")
      config.plain = true;
    else
      good = false;
  }
  if (!good) {
    throw Error(where + ": config 'targets' must be a list of \"latex\" and \"expr\"");
  }
}

}  // namespace

MathVerifyConfig parse_math_verify_config(const Json& config, const std::string& where) {
  MathVerifyConfig result;
  if (config.is_null()) return result;
  if (!config.is_object()) throw Error(where + ": 'config' must be an object");
  for (const auto& [key, value] : config.items()) {
    if (key == "targets")
      set_targets(value, result, where);
    else if (key == "boxed_match_priority")
      result.boxed_match_priority = whole_number(value, -1, 1000, where, key);
    else if (key == "float_rounding")
      result.float_rounding = whole_number(value, 0, 50, where, key);
    else if (key == "numeric_precision")
      result.numeric_precision = whole_number(value, 1, 50, where, key);
    else if (key == "strict")
      result.strict = truth_value(value, where, key);
    else if (key == "allow_set_relation_comp")
      result.allow_set_relation_comp = truth_value(value, where, key);
    else
      throw Error(fmt::format(
          "{}: unknown config key '{}'; there are targets, boxed_match_priority, float_rounding, "
          "numeric_precision, strict and allow_set_relation_comp",
          where, key));
  }
  return result;
}

MathVerdict verify_answer(const MathAnswer& gold, const MathAnswer& answer,
                          const MathVerifyConfig& config, ComputerAlgebra* algebra) {
  if (gold.empty()) return {false, "no gold answer found"};
  if (answer.empty()) return {false, "no answer found"};
  MathVerdict verdict{false, "text"};
  if (gold.value && answer.value) {
    Comparison comparison(config, algebra);
    try {
      verdict.equal = comparison.equal(gold.value, answer.value);
      verdict.decided_by = comparison.decided_by();
    } catch (const MathLimit& limit) {
      verdict.decided_by = fmt::format("given up: {}", limit.what());
    }
  }
  if (!verdict.equal && gold.meant && answer.meant) {
    const auto a = trimmed(*gold.meant), b = trimmed(*answer.meant);
    if (!a.empty() && a == b) return {true, "same text"};
  }
  return verdict;
}

}  // namespace umf
