#include "model/config.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/error.h"

namespace umf {

Config::Config(Json object, std::string where)
    : object_(std::move(object)), where_(std::move(where)) {
  if (!object_.is_object()) throw Error(fmt::format("{}: expected a JSON object", where_));
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

const Json* Config::find(const std::string& key) const {
  seen_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool Config::has(const std::string& key) const { return find(key) != nullptr; }

void Config::fail(const std::string& key, const std::string& what) const {
  throw Error(fmt::format("{}: key '{}' {}", where_, key, what));
}

int Config::integer(const std::string& key, int least, int most) const {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  if (!value->is_number_integer())
    fail(key, fmt::format("must be an integer, not {}", value->dump()));
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : value->get<std::int64_t>() <= most;
  if (!fits || value->get<std::int64_t>() < least) {
    fail(key, fmt::format("must be from {} to {}, not {}", least, most, value->dump()));
  }
  return value->get<int>();
}

int Config::integer_or(const std::string& key, int least, int most, int otherwise) const {
  return has(key) ? integer(key, least, most) : otherwise;
}

double Config::number(const std::string& key, double least, double most) const {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  if (!value->is_number()) fail(key, fmt::format("must be a number, not {}", value->dump()));
  const double number = value->get<double>();
  if (!(number >= least && number <= most)) {
    fail(key, fmt::format("must be from {} to {}, not {}", least, most, value->dump()));
  }
  return number;
}

std::string Config::text(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) fail(key, "is missing");
  if (!value->is_string()) fail(key, fmt::format("must be a string, not {}", value->dump()));
  return value->get<std::string>();
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

void Config::ignore(std::initializer_list<const char*> keys) const {
  for (const char* key : keys) seen_.insert(key);
}

void Config::refuse_the_rest() const {
  for (const auto& [key, value] : object_.items()) {
    if (!seen_.contains(key)) {
      fail(key, "is not known for this family; it might change what the model computes");
    }
  }
}

}  // namespace umf
