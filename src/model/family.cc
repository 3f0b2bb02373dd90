#include "model/family.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "model/mixture_config.h"
#include "model/rope_config.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

const Json kFull = "full_attention", kSliding = "sliding_attention";

// Every layer sees all that the family sees: one of another kind would need another attention.
void check_layer_types(const Config& config) {
  config.expect("use_sliding_window", false);
  const bool off = config.has("use_sliding_window");  // so that sliding layers have no window
  const Json* types = config.find("layer_types");
  if (types == nullptr) return;
  if (!types->is_array()) config.refuse("layer_types", "must be a list");
  for (const Json& type : *types) {
    if (type == kFull || (off && type == kSliding)) continue;
    config.fail(
        "layer_types",
        fmt::format("names {}, which is not supported (only \"full_attention\")", type.dump()));
  }
}

// No biases, and a q/k norm whether the file speaks of it or not.
void read_head_norms(const Config& config, Architecture& a) {
  a.qk_norm = true;
  config.expect("attention_bias", false);
  for (const char* key : {"qk_norm", "use_qk_norm", "qk_layernorm"}) config.expect(key, true);
}

bool is_of(const Family& family, const ModelClass& own) {
  return std::ranges::find(family.classes, own) != family.classes.end();
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

const Family& named_family(const Config& config, const ModelClass& own, const std::string& named,
                           std::span<const Family* const> families) {
  std::vector<std::string> known;
  for (const Family* family : families) {
    known.push_back(family->name);
    if (family->name != named) continue;
    if (is_of(*family, own)) return *family;
    config.fail("architectures",
                fmt::format("names '{}' and 'model_type' is '{}', which models of the family {} "
                            "are not",
                            excerpt(own.architecture), excerpt(own.model_type), named));
  }
  throw Error(fmt::format("there is no family '{}'. Known are {}", named, fmt::join(known, ", ")));
}

}  // namespace

const Family& find_family(const Config& config, const std::string& named,
                          std::span<const Family* const> families) {
  const ModelClass own{config.first_architecture(), config.needed_text("model_type")};
  if (!named.empty()) return named_family(config, own, named, families);
  std::vector<std::string> known, types, by_name;
  for (const Family* family : families) {
    const bool mine = is_of(*family, own);
    if (mine && !family->only_if_named) return *family;
    if (mine) by_name.push_back(family->name);
    if (family->only_if_named) continue;
    for (const auto& [architecture, type] : family->classes) {
      add_once(known, architecture);
      if (architecture == own.architecture) add_once(types, fmt::format("'{}'", type));
    }
  }
  if (!by_name.empty())
    config.fail("architectures",
                fmt::format("names '{}', as models do that are no diffusion models; if this one "
                            "is, say so behind its place: @{}",
                            own.architecture, fmt::join(by_name, " or @")));
  if (types.empty())
    config.fail("architectures", fmt::format("names '{}'; supported are {}",
                                             excerpt(own.architecture), fmt::join(known, ", ")));
  config.fail("model_type", fmt::format("is '{}', but {} models have {}", excerpt(own.model_type),
                                        own.architecture, fmt::join(types, " or ")));
}

const std::string& template_of(const Family& family, const std::string& place) {
  if (family.chat_template.empty())
    throw Error(
        fmt::format("{} has no chat template, and no layout is known for {} models: put a "
                    "chat_template.jinja there, or give the text as it is (--raw)",
                    place, family.name));
  return family.chat_template;
}

int Architecture::active_width(int layer) const {
  const int experts = has_experts(layer) ? mixture->routing.chosen * mixture->width : 0;
  return dense_width(layer) + experts;
}

ModelShape Architecture::shape() const {
  int widest = mixture ? mixture->width : 0;
  for (int layer = 0; layer < layers; ++layer) widest = std::max(widest, dense_width(layer));
  return {hidden, widest, vocabulary, attention};
}

Architecture read_qwen_shape(const Config& config) {
  Architecture a;
  a.layers = config.integer("num_hidden_layers", 1, 1000);
  a.hidden = config.integer("hidden_size", 8, 1 << 20);
  a.vocabulary = config.integer("vocab_size", 2, 1 << 24);
  a.max_length = config.integer("max_position_embeddings", 1, 1 << 24);
  a.attention.heads = config.integer("num_attention_heads", 1, 4096);
  a.attention.kv_heads = config.integer_or("num_key_value_heads", 1, 4096, a.attention.heads);
  a.attention.head_dim = config.has("head_dim") ? config.integer("head_dim", 2, 1024)
                                                : shared_width(config, "num_attention_heads",
                                                               a.hidden, a.attention.heads);
  a.norm_eps = static_cast<float>(config.number("rms_norm_eps", 0, 1));
  config.expect("hidden_act", "silu");
  a.tied_head = config.flag("tie_word_embeddings").value_or(false);
  check_layer_types(config);
  // Training only, or switched off by use_sliding_window.
  config.ignore({"attention_dropout", "sliding_window", "max_window_layers", "bos_token_id",
                 "eos_token_id", "pad_token_id", "mask_token_id"});
  return a;
}

Architecture read_qwen_style(const Config& config) {
  Architecture a = read_qwen_shape(config);
  a.mlp = config.integer("intermediate_size", 8, 1 << 22);
  a.rope_theta = read_rope_theta(config);
  return a;
}

Architecture read_qwen2_style(const Config& config) {
  Architecture a = read_qwen_style(config);
  a.qkv_bias = true;
  return a;
}

Architecture read_qwen3_style(const Config& config) {
  Architecture a = read_qwen_style(config);
  read_head_norms(config, a);
  return a;
}

Architecture read_qwen3_mixture(const Config& config, bool normalised) {
  Architecture a = read_qwen_shape(config);
  a.rope_theta = read_rope_theta(config);
  a.mlp = config.integer_or("intermediate_size", 0, 1 << 22, 0);
  read_head_norms(config, a);
  MixtureShape mixture = read_experts(config, "moe_intermediate_size");
  mixture.routing.normalised = config.flag("norm_topk_prob").value_or(normalised);
  const int step = config.integer_or("decoder_sparse_step", 1, 1000, 1);
  const std::set<int> dense = read_layers(config, "mlp_only_layers", a.layers);
  for (int layer = 0; layer < a.layers; ++layer)
    mixture.layers.push_back(!dense.contains(layer) && (layer + 1) % step == 0);
  set_mixture(config, std::move(mixture), a);
  return a;
}

Architecture read_llama_style(const Config& config) {
  Architecture a = read_qwen_style(config);
  config.expect("attention_bias", false);
  config.expect("mlp_bias", false);
  config.expect("pretraining_tp", 1);
  config.expect("layer_norm_eps", nullptr);  // a number would mean another norm
  config.expect("sliding_window", nullptr);  // no key of theirs switches one off
  config.ignore({"resid_pdrop"});
  return a;
}

void read_blocks(const Config& config, const std::string& key, int otherwise, Architecture& a) {
  a.attention.kind = AttentionKind::kBlockCausal;
  a.attention.block = config.integer_or(key, 1, 4096, otherwise);
}

TensorNames qwen_style_names() {
  return {.embedding = "model.embed_tokens.weight",
          .layer = "model.layers.",
          .final_norm = "model.norm.weight",
          .head = "lm_head.weight",
          .attention_norm = "input_layernorm.weight",
          .query = "self_attn.q_proj",
          .key = "self_attn.k_proj",
          .value = "self_attn.v_proj",
          .attention_out = "self_attn.o_proj.weight",
          .mlp_norm = "post_attention_layernorm.weight",
          .gate = "mlp.gate_proj.weight",
          .up = "mlp.up_proj.weight",
          .down = "mlp.down_proj.weight"};
}

TensorNames qwen3_style_names() {
  TensorNames names = qwen_style_names();
  names.query_norm = "self_attn.q_norm.weight";
  names.key_norm = "self_attn.k_norm.weight";
  return names;
}

TensorNames qwen3_mixture_names() {
  TensorNames names = qwen3_style_names();
  names.experts = {.router = "mlp.gate.weight",
                   .bias = "mlp.gate.expert_bias",
                   .expert = "mlp.experts.",
                   .gate = "gate_proj.weight",
                   .up = "up_proj.weight",
                   .down = "down_proj.weight",
                   .stacked_gate = "mlp.experts.gate_proj",
                   .stacked_up = "mlp.experts.up_proj",
                   .stacked_down = "mlp.experts.down_proj",
                   .stacked_gate_up = "mlp.experts.gate_up_proj"};
  return names;
}

std::string chatml(const std::string& system) {
  const std::string opening = system.empty()
                                  ? ""
                                  : fmt::format(
                                        "{{% if messages[0]['role'] != 'system' %}}"
                                        "<|im_start|>system\n{}<|im_end|>\n{{% endif %}}",
                                        system);
  return opening +
         "{% for message in messages %}"
         "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>{{ '\\n' }}"
         "{% endfor %}"
         "{% if add_generation_prompt %}<|im_start|>assistant{{ '\\n' }}{% endif %}";
}

std::string turns_with_roles() {
  return "{% if messages[0]['role'] != 'system' %}"
         "<role>SYSTEM</role>detailed thinking off<|role_end|>{% endif %}"
         "{% for message in messages %}"
         "<role>{{ 'HUMAN' if message['role'] == 'user' else message['role'] | upper }}</role>"
         "{{ message['content'] }}<|role_end|>{% endfor %}"
         "{% if add_generation_prompt %}<role>ASSISTANT</role>{% endif %}";
}

std::string turns_with_headers() {
  return "{{ bos_token }}{% for message in messages %}"
         "<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n"
         "{{ message['content'] | trim }}<|eot_id|>{% endfor %}"
         "<|start_header_id|>assistant<|end_header_id|>{{ '\\n\\n' }}";
}

int shared_width(const Config& config, const std::string& heads_key, int hidden, int heads) {
  if (hidden % heads != 0)
    config.fail(heads_key,
                fmt::format("is {}, which does not divide the hidden size {}", heads, hidden));
  return hidden / heads;
}

void check(const Architecture& a, const Config& config, const std::string& heads) {
  if (a.attention.heads % a.attention.kv_heads != 0) {
    config.fail(heads, fmt::format("is {}, which the {} key/value heads do not divide",
                                   a.attention.heads, a.attention.kv_heads));
  }
  if (a.attention.head_dim % 8 != 0) {
    config.fail(heads, fmt::format("gives heads of size {}; multiples of 8 are supported",
                                   a.attention.head_dim));
  }
}

}  // namespace umf
