#include "math/math_verify.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/json_fields.h"
#include "math/comparison.h"
#include "math/text.h"

namespace umf {
namespace {

class ConfigFields final : public JsonFields {
 public:
  using JsonFields::JsonFields;
  [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override {
    throw Error(fmt::format("{}: config '{}' {}", where(), key, wish));
  }
};

void set_targets(const ConfigFields& fields, MathVerifyConfig& config) {
  const Json* targets = fields.find("targets");
  if (targets == nullptr) return;
  config.latex = config.plain = false;
  bool good = targets->is_array();
  for (const Json& target : good ? *targets : Json::array()) {
    if (target == "latex")
      config.latex = true;
    else if (target == "expr")
      config.plain = true;
    else
      good = false;
  }
  if (!good) fields.refuse("targets", "must be a list of \"latex\" and \"expr\"");
}

}  // namespace

MathVerifyConfig parse_math_verify_config(const Json& config, const std::string& where) {
  MathVerifyConfig result;
  if (config.is_null()) return result;
  if (!config.is_object()) throw Error(where + ": 'config' must be an object");
  const ConfigFields fields(config, where);
  const auto integer = [&](const char* key, int least, int most, int otherwise) {
    return static_cast<int>(fields.integer(key, least, most).value_or(otherwise));
  };
  set_targets(fields, result);
  result.boxed_match_priority =
      integer("boxed_match_priority", -1, 1000, result.boxed_match_priority);
  result.float_rounding = integer("float_rounding", 0, 50, result.float_rounding);
  result.numeric_precision = integer("numeric_precision", 1, 50, result.numeric_precision);
  result.strict = fields.flag("strict").value_or(result.strict);
  result.allow_set_relation_comp =
      fields.flag("allow_set_relation_comp").value_or(result.allow_set_relation_comp);
  if (const auto key = fields.unasked())
    throw Error(fmt::format(
        "{}: unknown config key '{}'; there are targets, boxed_match_priority, float_rounding, "
        "numeric_precision, strict and allow_set_relation_comp",
        where, *key));
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
