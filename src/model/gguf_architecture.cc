#include "model/gguf_architecture.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace umf {
namespace {

constexpr const char* kKey = "general.architecture";

const std::vector<GgufArchitecture>& architectures() {
  static const std::vector<GgufArchitecture> table = {
      {.name = "llada",
       .family = &kLlada,
       .keys = {{"n_layers", "block_count"},
                {"d_model", "embedding_length"},
                {"mlp_hidden_size", "feed_forward_length"},
                {"n_heads", "attention.head_count"},
                {"n_kv_heads", "attention.head_count_kv"},
                {"max_sequence_length", "context_length"},
                {"rope_theta", "rope.freq_base"},
                {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
                {"vocab_size", "vocab_size"}},
       .tied_key = "weight_tying",
       .paired_rows = true,
       .begins_prompts = true},
      {.name = "dream",
       .family = &kDream,
       .keys = {{"num_hidden_layers", "block_count"},
                {"hidden_size", "embedding_length"},
                {"intermediate_size", "feed_forward_length"},
                {"num_attention_heads", "attention.head_count"},
                {"num_key_value_heads", "attention.head_count_kv"},
                {"max_position_embeddings", "context_length"},
                {"rope_theta", "rope.freq_base"},
                {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
                {"vocab_size", "vocab_size"}},
       .tied_key = "tie_word_embeddings",
       .fused_qkv = true},
      {.name = "llada-moe",
       .family = &kLladaMoe,
       .keys = {{"num_hidden_layers", "block_count"},
                {"hidden_size", "embedding_length"},
                {"dense_intermediate_size", "feed_forward_length"},
                {"expert_intermediate_size", "expert_feed_forward_length"},
                {"num_experts", "expert_count"},
                {"num_experts_per_tok", "expert_used_count"},
                {"norm_topk_prob", "expert_weights_norm"},
                {"num_attention_heads", "attention.head_count"},
                {"num_key_value_heads", "attention.head_count_kv"},
                {"head_dim", "attention.key_length"},
                {"max_position_embeddings", "context_length"},
                {"rope_theta", "rope.freq_base"},
                {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
                {"vocab_size", "vocab_size"}},
       .tied_key = "tie_word_embeddings",
       .fused_qkv = true,
       .free_heads = true,
       .has_experts = true},
      {.name = "rnd1",
       .family = &kRnd1,
       .keys = {{"num_hidden_layers", "block_count"},
                {"hidden_size", "embedding_length"},
                {"intermediate_size", "feed_forward_length"},
                {"moe_intermediate_size", "expert_feed_forward_length"},
                {"num_experts", "expert_count"},
                {"num_experts_per_tok", "expert_used_count"},
                {"norm_topk_prob", "expert_weights_norm"},
                {"num_attention_heads", "attention.head_count"},
                {"num_key_value_heads", "attention.head_count_kv"},
                {"head_dim", "attention.key_length"},
                {"max_position_embeddings", "context_length"},
                {"rope_theta", "rope.freq_base"},
                {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
                {"vocab_size", "vocab_size"}},
       .tied_key = "tie_word_embeddings",
       .fused_qkv = true,
       .free_heads = true,
       .has_experts = true}};
  return table;
}

std::string known_names() {
  std::vector<std::string_view> names;
  for (const GgufArchitecture& architecture : architectures()) names.push_back(architecture.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const GgufArchitecture& find_gguf_architecture(const GgufMetadata& metadata) {
  const auto name = metadata.text(kKey);
  if (!name) metadata.fail(kKey, "is missing");
  for (const GgufArchitecture& architecture : architectures()) {
    if (architecture.name == *name) return architecture;
  }
  metadata.fail(kKey, fmt::format("is '{}', which is not supported in GGUF files (supported: {}); "
                                  "umf models lists what is supported as safetensors",
                                  printable(*name), known_names()));
}

const GgufArchitecture& gguf_architecture_of(const Family& family, const std::string& where) {
  for (const GgufArchitecture& architecture : architectures()) {
    if (architecture.family == &family) return architecture;
  }
  throw Error(fmt::format("'{}' is a {} model; GGUF files are written of {}", where, family.name,
                          known_names()));
}

const TensorNames& gguf_tensor_names() {
  static const TensorNames names = {.embedding = "token_embd.weight",
                                    .layer = "blk.",
                                    .final_norm = "output_norm.weight",
                                    .head = "output.weight",
                                    .attention_norm = "attn_norm.weight",
                                    .query = "attn_q",
                                    .key = "attn_k",
                                    .value = "attn_v",
                                    .attention_out = "attn_output.weight",
                                    .mlp_norm = "ffn_norm.weight",
                                    .gate = "ffn_gate.weight",
                                    .up = "ffn_up.weight",
                                    .down = "ffn_down.weight",
                                    .query_norm = "attn_q_norm.weight",
                                    .key_norm = "attn_k_norm.weight",
                                    .query_key_value = {},
                                    .experts = {.router = "ffn_gate_inp.weight",
                                                .bias = {},
                                                .expert = "ffn_exps.",
                                                .gate = "gate.weight",
                                                .up = "up.weight",
                                                .down = "down.weight",
                                                .stacked_gate = "ffn_gate_exps.weight",
                                                .stacked_up = "ffn_up_exps.weight",
                                                .stacked_down = "ffn_down_exps.weight",
                                                .stacked_gate_up = "ffn_gate_up_exps.weight"}};
  return names;
}

}  // namespace umf
