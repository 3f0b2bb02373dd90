#include "model/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

// Which model it is, also where a part of it has names of its own.
constexpr const char* kIdentity[] = {"architectures", "model_type"};

// Written by one version or another of the exporting libraries; none of them reaches the
// arithmetic.
constexpr const char* kHarmless[] = {
    // of the export
    "auto_map", "transformers_version", "torch_dtype", "dtype", "_name_or_path", "name_or_path",
    "_commit_hash", "_attn_implementation", "_attn_implementation_autoset", "attn_implementation",
    "_attn_implementation_internal", "_experts_implementation", "tokenizer_class",
    "unsloth_version", "unsloth_fixed",
    // of training
    "initializer_range", "output_attentions", "output_hidden_states", "output_scores",
    "return_dict", "return_dict_in_generate", "gradient_checkpointing", "pruned_heads",
    "finetuning_task", "task_specific_params", "problem_type", "id2label", "label2id",
    "chunk_size_feed_forward", "torchscript", "use_bfloat16", "tf_legacy_loss",
    // of the library's own loops
    "use_cache", "is_decoder", "is_encoder_decoder", "decoder_start_token_id", "prefix",
    "sep_token_id", "cls_token_id", "forced_bos_token_id", "forced_eos_token_id", "max_length",
    "min_length", "do_sample", "early_stopping", "num_beams", "num_beam_groups",
    "diversity_penalty", "temperature", "top_k", "top_p", "typical_p", "repetition_penalty",
    "length_penalty", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids",
    "num_return_sequences", "remove_invalid_values", "exponential_decay_length_penalty",
    "suppress_tokens", "begin_suppress_tokens", "add_cross_attention",
    "cross_attention_hidden_size", "tie_encoder_decoder"};

// Known to change what is computed unless they have this value. A family that computes it asks for
// the key itself.
const std::pair<const char*, Json> kNeutral[] = {{"quantization_config", nullptr},
                                                 {"compression_config", nullptr},
                                                 {"partial_rotary_factor", 1},
                                                 {"rotary_dim", nullptr},
                                                 {"qk_norm", false},
                                                 {"use_qk_norm", false},
                                                 {"qk_layernorm", false},
                                                 {"use_bias", false},
                                                 {"mlp_bias", false},
                                                 {"clip_qkv", nullptr},
                                                 {"norm_head", false},
                                                 {"norm_softmax", false},
                                                 {"num_experts", nullptr},
                                                 {"num_local_experts", nullptr},
                                                 {"n_routed_experts", nullptr},
                                                 {"routed_scaling_factor", 1},
                                                 {"logit_scale", 1},
                                                 {"logits_scaling", 1},
                                                 {"embedding_multiplier", 1},
                                                 {"residual_multiplier", 1},
                                                 {"attention_multiplier", nullptr},
                                                 {"final_logit_softcapping", nullptr},
                                                 {"attn_logit_softcapping", nullptr}};

constexpr int kMostToken = 1 << 24;

template <class Names>
bool is_in(const Names& names, const std::string& key) {
  return std::ranges::find(names, key) != std::end(names);
}

// The object with the keys of its text_config beside its own.
Json flattened(const Json& file, const std::string& where) {
  if (!file.is_object()) throw Error(fmt::format("{}: expected a JSON object", where));
  const auto nested = file.find("text_config");
  if (nested == file.end() || !nested->is_object()) return file;
  Json flat = file;
  flat.erase("text_config");
  for (const auto& [key, value] : nested->items()) {
    const auto outer = file.find(key);
    const bool alone = outer == file.end() || outer->is_null();
    if (alone) flat[key] = value;
    if (alone || value.is_null() || *outer == value || is_in(kIdentity, key) ||
        is_in(kHarmless, key))
      continue;
    throw Error(fmt::format("{}: key '{}' is {}, but {} in text_config", where, excerpt(key),
                            outer->dump(), value.dump()));
  }
  return flat;
}

}  // namespace

Config::Config(const Json& file, const std::string& where,
               std::map<std::string, std::string> spelled)
    : ConfigObject{flattened(file, where)},
      JsonFields(object, where, Null::kIsAbsent),
      spelled_(std::move(spelled)) {}

void Config::fail(const std::string& key, const std::string& what) const {
  const auto other = spelled_.find(key);
  throw Error(fmt::format("{}: key '{}' {}", where(),
                          excerpt(other == spelled_.end() ? key : other->second), what));
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
  return integer(key, 0, kMostToken);
}

std::vector<Token> Config::tokens(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) return {*token(key)};
  std::vector<Token> ids;
  for (const Json& id : *value) {
    if (!id.is_number_integer() || id < 0 || id > kMostToken)
      refuse(key, fmt::format("must be an id from 0 to {} or a list of ids", kMostToken));
    ids.push_back(id.get<Token>());
  }
  return ids;
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

std::vector<std::string> Config::unknown_keys() const {
  for (const auto& [key, only] : kNeutral) {
    if (!asked().contains(key)) expect(key, only);
  }
  std::vector<std::string> keys = all_unasked();
  std::erase_if(keys, [](const std::string& key) { return is_in(kHarmless, key); });
  for (std::string& key : keys) key = excerpt(key);
  return keys;
}

}  // namespace umf
