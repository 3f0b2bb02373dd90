#include "model/family.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "model/rope_config.h"

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

}  // namespace

const Family& find_family(const Config& config, std::span<const Family* const> families) {
  const std::string architecture = config.first_architecture();
  const std::string type = config.needed_text("model_type");
  std::vector<std::string> known, types;
  for (const Family* family : families) {
    if (std::ranges::find(known, family->architecture) == known.end())
      known.push_back(family->architecture);
    if (family->architecture != architecture) continue;
    if (family->model_type == type) return *family;
    types.push_back(fmt::format("'{}'", family->model_type));
  }
  if (types.empty())
    config.fail("architectures",
                fmt::format("names '{}'; supported are {}", architecture, fmt::join(known, ", ")));
  config.fail("model_type", fmt::format("is '{}', but {} models have {}", type, architecture,
                                        fmt::join(types, " or ")));
}

Architecture read_qwen_style(const Config& config) {
  Architecture a;
  a.layers = config.integer("num_hidden_layers", 1, 1000);
  a.hidden = config.integer("hidden_size", 8, 1 << 20);
  a.mlp = config.integer("intermediate_size", 8, 1 << 22);
  a.vocabulary = config.integer("vocab_size", 2, 1 << 24);
  a.max_length = config.integer("max_position_embeddings", 1, 1 << 24);
  a.attention.heads = config.integer("num_attention_heads", 1, 4096);
  a.attention.kv_heads = config.integer_or("num_key_value_heads", 1, 4096, a.attention.heads);
  a.attention.head_dim = config.has("head_dim") ? config.integer("head_dim", 2, 1024)
                                                : shared_width(config, "num_attention_heads",
                                                               a.hidden, a.attention.heads);
  a.rope_theta = read_rope_theta(config);
  a.norm_eps = static_cast<float>(config.number("rms_norm_eps", 0, 1));
  config.expect("hidden_act", "silu");
  a.tied_head = config.flag("tie_word_embeddings").value_or(false);
  check_layer_types(config);
  // Training only, or switched off by use_sliding_window.
  config.ignore({"attention_dropout", "sliding_window", "max_window_layers", "bos_token_id",
                 "eos_token_id", "pad_token_id", "mask_token_id"});
  return a;
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
