#include "model/config.h"

#include <fmt/core.h>

#include "base/error.h"

namespace umf {

Config::Config(const Json& object, const std::string& where)
    : JsonFields(object, where, Null::kIsAbsent) {
  if (!object.is_object()) throw Error(fmt::format("{}: expected a JSON object", where));
  // Written by every version of the exporting library; none of them reaches the arithmetic.
  ignore({"architectures",
          "model_type",
          "auto_map",
          "transformers_version",
          "torch_dtype",
          "dtype",
          "_name_or_path",
          "use_cache",
          "initializer_range",
          "_attn_implementation",
          "_attn_implementation_autoset",
          "is_encoder_decoder",
          "output_attentions",
          "output_hidden_states",
          "return_dict",
          "id2label",
          "label2id",
          "problem_type",
          "tokenizer_class",
          "quantization_config"});
  expect("quantization_config", nullptr);
}

void Config::fail(const std::string& key, const std::string& what) const {
  throw Error(fmt::format("{}: key '{}' {}", where(), key, what));
}

void Config::refuse(const std::string& key, const std::string& wish) const {
  const Json* value = find(key);
  fail(key, value == nullptr ? "is missing" : fmt::format("{}, not {}", wish, value->dump()));
}

int Config::integer(const std::string& key, int least, int most) const {
  const Json* value = find(key);
  if (value == nullptr || !value->is_number_integer()) refuse(key, "must be an integer");
  if (*value < least || *value > most)
    refuse(key, fmt::format("must be from {} to {}", least, most));
  return value->get<int>();
}

int Config::integer_or(const std::string& key, int least, int most, int otherwise) const {
  return has(key) ? integer(key, least, most) : otherwise;
}

double Config::number(const std::string& key, double least, double most) const {
  const Json* value = find(key);
  if (value == nullptr || !value->is_number()) refuse(key, "must be a number");
  const double number = value->get<double>();
  if (!(number >= least && number <= most))
    refuse(key, fmt::format("must be from {} to {}", least, most));
  return number;
}

std::optional<Token> Config::token(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  return integer(key, 0, 1 << 24);
}

std::string Config::first_architecture() const {
  const Json* value = find("architectures");
  if (value == nullptr || !value->is_array() || value->empty() || !value->front().is_string()) {
    fail("architectures", "must be a list that names the model class");
  }
  return value->front().get<std::string>();
}

void Config::expect(const std::string& key, const Json& only) const {
  const Json* value = find(key);
  if (value == nullptr || *value == only) return;
  fail(key, fmt::format("is {}, which is not supported (only {})", value->dump(), only.dump()));
}

void Config::refuse_the_rest() const {
  if (const auto key = unasked())
    fail(*key, "is not known for this family; it might change what the model computes");
}

}  // namespace umf
