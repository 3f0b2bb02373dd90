#include "model/gguf_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "model/gguf_architecture.h"
#include "model/gguf_weights.h"
#include "tokenizer/gguf_tokenizer.h"
#include "tokenizer/tokenizer.h"

namespace umf {
namespace {

constexpr std::size_t kTemplateLimit = 1 << 20;
constexpr const char* kShift = "diffusion.shift_logits";
constexpr int kQuantisation = 2;  // general.quantization_version since 2023

Json to_json(const GgufValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return to_valid_utf8(*text);
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return *natural;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return Json::array();  // what it holds is never asked for here
}

// What other architectures compute: config.json's keys for it, and those behind "NAME.".
constexpr std::pair<const char*, const char*> kElsewhere[] = {
    {"logit_scale", "logit_scale"},
    {"embedding_multiplier", "embedding_scale"},
    {"residual_multiplier", "residual_scale"},
    {"attention_multiplier", "attention.scale"},
    {"final_logit_softcapping", "final_logit_softcapping"},
    {"attn_logit_softcapping", "attn_logit_softcapping"},
    {"routed_scaling_factor", "expert_weights_scale"}};

// The keys of config.json, and what the file calls them.
struct Translation {
  Json config = Json::object();
  std::map<std::string, std::string> spelled;
};

class Translator {
 public:
  Translator(const GgufModel& model, const GgufArchitecture& kind)
      : metadata_(model.metadata), tensors_(model.tensors), kind_(kind) {}

  Translation translate() {
    check_general();
    check_attention();
    check_rotation();
    const auto& [architecture, model_type] = kind_.family->classes.front();
    result_.config = {{"architectures", Json::array({architecture})}, {"model_type", model_type}};
    for (const auto& [config, gguf] : kind_.keys) take(config, own(gguf));
    for (const auto& [config, gguf] : kElsewhere) take(config, own(gguf));
    const GgufTensor* embedding = find_tensor(gguf_tensor_names().embedding);
    if (!result_.config.contains("vocab_size") && embedding != nullptr)
      result_.config["vocab_size"] = embedding->sizes.back();
    result_.config[kind_.tied_key] = find_tensor(gguf_tensor_names().head) == nullptr;
    take_tokens();
    return std::move(result_);
  }

 private:
  // "llada.block_count"
  std::string own(const std::string& key) const { return fmt::format("{}.{}", kind_.name, key); }

  const GgufTensor* find_tensor(const std::string& name) const {
    const auto found = std::ranges::find(tensors_, name, &GgufTensor::name);
    return found == tensors_.end() ? nullptr : &*found;
  }

  void take(const std::string& config, const std::string& gguf) {
    result_.spelled.emplace(config, gguf);
    if (const GgufValue* value = metadata_.find(gguf)) result_.config[config] = to_json(*value);
  }

  void check_general() const {
    if (const auto type = metadata_.text("general.type"); type && *type != "model")
      metadata_.fail("general.type", fmt::format("is '{}', not 'model'", printable(*type)));
    const char* version = "general.quantization_version";
    if (metadata_.has(version) && metadata_.integer(version, 0, INT32_MAX) != kQuantisation)
      metadata_.fail(version, fmt::format("must be {}; convert the model again", kQuantisation));
  }

  // Absent, or this value.
  void expect(const std::string& key, std::int64_t only, const std::string& because) const {
    const auto value = metadata_.integer(own(key), INT64_MIN, INT64_MAX);
    if (value && *value != only)
      metadata_.fail(own(key), fmt::format("is {}, which is not supported (only {}{})", *value,
                                           only, because));
  }

  void check_attention() const {
    if (metadata_.flag(own("attention.causal")).value_or(false))
      metadata_.fail(own("attention.causal"), "is true, but this is a diffusion model");
    expect("attention.sliding_window", 0, "");
    check_experts();
    const auto width = metadata_.integer(own("embedding_length"), 1, 1 << 20);
    const auto heads = metadata_.integer(own("attention.head_count"), 1, 1 << 20);
    if (!width || !heads) return;  // told when they are read
    const auto own_width = metadata_.integer(own("attention.key_length"), 1, 1 << 20);
    const bool free = kind_.free_heads && own_width;
    for (const char* key :
         {"attention.key_length", "attention.value_length", "rope.dimension_count"})
      expect(key, free ? *own_width : *width / *heads,
             free ? ", the length of a key" : ", the embedding's length by the number of heads");
  }

  // Of a softmax over all experts, in every layer, and nothing besides.
  void check_experts() const {
    if (!kind_.has_experts) {
      expect("expert_count", 0, "");
      expect("expert_used_count", 0, "");
      return;
    }
    expect("expert_gating_func", 1, ", a softmax");
    for (const char* key : {"expert_shared_count", "expert_shared_feed_forward_length",
                            "expert_group_count", "leading_dense_block_count"})
      expect(key, 0, "");
  }

  void check_rotation() const {
    const auto type = metadata_.text(own("rope.scaling.type"));
    if (type && *type != "none")
      metadata_.fail(
          own("rope.scaling.type"),
          fmt::format("is '{}', which is not supported (only 'none')", printable(*type)));
    for (const char* key :
         {"rope.scaling.factor", "rope.scaling.original_context_length", "rope.scale_linear"}) {
      if (metadata_.has(own(key)) && !type)
        metadata_.fail(own(key), "scales the rotation, which is not supported");
    }
  }

  void take_tokens() {
    const std::string prefix = "tokenizer.ggml.";
    const auto token = [&](const char* key) {
      const auto id = metadata_.integer(prefix + key, INT64_MIN, INT64_MAX);
      return id && *id >= 0 && *id < kTokenLimit ? id : std::nullopt;
    };
    for (const auto& [config, key] : {std::pair{"mask_token_id", "mask_token_id"},
                                      std::pair{"pad_token_id", "padding_token_id"}}) {
      result_.spelled.emplace(config, prefix + key);
      if (const auto id = token(key)) result_.config[config] = *id;
    }
    Json ends = Json::array();
    for (const char* key : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
      if (const auto id = token(key)) ends.push_back(*id);
    }
    if (!ends.empty()) result_.config["eos_token_id"] = ends;
    result_.spelled.emplace("eos_token_id", prefix + "eos_token_id");
  }

  const GgufMetadata& metadata_;
  const std::vector<GgufTensor>& tensors_;
  const GgufArchitecture& kind_;
  Translation result_;
};

class GgufSource final : public CheckpointSource {
 public:
  explicit GgufSource(GgufModel model)
      : model_(std::move(model)),
        kind_(find_gguf_architecture(model_.metadata)),
        translation_(Translator(model_, kind_).translate()),
        config_(translation_.config, where(), translation_.spelled),
        generation_(Json::object(), where()) {}

  const Config& config() const override { return config_; }
  const Config& generation() const override { return generation_; }
  std::vector<std::string> unknown_keys() const override {
    metadata().find(kShift);
    std::vector<std::string> keys = metadata().unasked(fmt::format("{}.", kind_.name));
    for (std::string& key : metadata().unasked("diffusion.")) keys.push_back(std::move(key));
    return keys;
  }
  TokenizerSpec tokenizer() const override { return read_gguf_tokenizer(metadata()); }
  std::optional<std::string> chat_template() const override {
    const std::string key = "tokenizer.chat_template";
    const auto text = metadata().text(key);
    if (text && text->size() > kTemplateLimit)
      metadata().fail(key, fmt::format("is larger than {} bytes", kTemplateLimit));
    return text ? std::optional(std::string(*text)) : std::nullopt;
  }
  Advice advice() const override {
    const auto advice = text("umf.json");
    return advice ? parse_advice(*advice, fmt::format("{} (umf.json)", where())) : Advice{};
  }
  std::optional<std::string> text(const std::string& name) const override {
    const auto text =
        metadata().text(name == "tokenizer.json" ? "tokenizer.huggingface.json" : name);
    return text ? std::optional(std::string(*text)) : std::nullopt;
  }

  TensorNames names(const Family&) const override { return gguf_tensor_names(); }
  Weights weights(const Architecture& architecture) override {
    return gguf_weights(model_, kind_, architecture);
  }
  bool shifted(const Family& family, std::vector<std::string>& warnings) const override {
    const bool says = metadata().flag(kShift).value_or(family.shifted);
    if (says != family.shifted)
      warnings.push_back(
          fmt::format("{}: key '{}' is {}, but {} models have {}; the key is followed", where(),
                      kShift, says, family.name, family.shifted));
    return says;
  }

 private:
  const GgufMetadata& metadata() const { return model_.metadata; }
  const std::string& where() const { return metadata().where(); }

  GgufModel model_;
  const GgufArchitecture& kind_;
  const Translation translation_;
  const Config config_;
  const Config generation_;
};

}  // namespace

std::unique_ptr<CheckpointSource> open_gguf_source(GgufModel model) {
  return std::make_unique<GgufSource>(std::move(model));
}

}  // namespace umf
