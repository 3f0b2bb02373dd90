// LLaDA2.0 and 2.1: Ling 2.0's keys and names; blocks of 32; half of every head is rotated; experts
// by sigmoids in groups, with a bias, behind a first layer without.
#include <fmt/core.h>

#include "model/mixture_config.h"
#include "model/rope_config.h"

namespace umf {
namespace {

constexpr int kBlock = 32;

MixtureShape read_mixture(const Config& config, int layers) {
  config.expect("score_function", "sigmoid");
  config.expect("moe_router_enable_expert_bias", true);
  config.expect("router_dtype", "fp32");
  if (config.integer_or("expert_capacity", 0, 1 << 16, 0) > 0)
    config.fail("expert_capacity",
                "chooses experts for blocks of rows (LLaDA2.2), which is not supported");
  MixtureShape mixture = read_experts(config, "moe_intermediate_size");
  Routing& routing = mixture.routing;
  routing.sigmoid = true;
  // The published code divides whatever norm_topk_prob says, but not for one expert.
  routing.normalised = routing.chosen > 1;
  routing.groups = config.integer_or("n_group", 1, 1 << 16, 1);
  routing.kept_groups = config.integer_or("topk_group", 1, 1 << 16, routing.groups);
  if (config.has("routed_scaling_factor"))
    routing.scale = static_cast<float>(config.number("routed_scaling_factor", 1e-6, 1e6));
  mixture.biased = true;
  mixture.shared_width = config.integer_or("num_shared_experts", 0, 1 << 6, 0) * mixture.width;
  const int dense = config.integer_or("first_k_dense_replace", 0, layers, 0);
  for (int layer = 0; layer < layers; ++layer) mixture.layers.push_back(layer >= dense);
  config.ignore({"norm_topk_prob"});
  return mixture;
}

Architecture read(const Config& config) {
  Architecture a = read_qwen_shape(config);
  a.mlp = config.integer("intermediate_size", 8, 1 << 22);
  const PartialRotation rotation = read_partial_rotation(config, a.attention.head_dim);
  a.rope_theta = rotation.theta;
  a.rotated = rotation.rotated;
  a.qk_norm = true;
  read_blocks(config, "block_size", kBlock, a);
  set_mixture(config, read_mixture(config, a.layers), a);
  for (const char* key : {"use_bias", "use_qkv_bias", "norm_head", "norm_softmax",
                          "tie_word_embeddings", "using_split_qkv_in_self_attention"})
    config.expect(key, false);
  config.expect("use_rmsnorm", true);
  // Training; and use_qk_norm, which the published code does not look at.
  config.ignore({"embedding_dropout", "output_dropout", "use_qk_norm"});
  return a;
}

Family without_edits() {
  return {
      .name = "llada2",
      .classes = {{"LLaDA2MoeModelLM", "llada2_moe"}, {"LLaDA2MoeModelLM", "llada2_moe_veomni"}},
      .tempered_scores = true,
      .read = read,
      .names = {.embedding = "model.word_embeddings.weight",
                .layer = "model.layers.",
                .final_norm = "model.norm.weight",
                .head = "lm_head.weight",
                .attention_norm = "input_layernorm.weight",
                .query = {},
                .key = {},
                .value = {},
                .attention_out = "attention.dense.weight",
                .mlp_norm = "post_attention_layernorm.weight",
                .gate = "mlp.gate_proj.weight",
                .up = "mlp.up_proj.weight",
                .down = "mlp.down_proj.weight",
                .query_norm = "attention.query_layernorm.weight",
                .key_norm = "attention.key_layernorm.weight",
                .query_key_value = "attention.query_key_value",
                .experts = {.router = "mlp.gate.weight",
                            .bias = "mlp.gate.expert_bias",
                            .expert = "mlp.experts.",
                            .gate = "gate_proj.weight",
                            .up = "up_proj.weight",
                            .down = "down_proj.weight",
                            .shared_gate = "mlp.shared_experts.gate_proj.weight",
                            .shared_up = "mlp.shared_experts.up_proj.weight",
                            .shared_down = "mlp.shared_experts.down_proj.weight",
                            .stacked_gate = "mlp.experts.gate_proj",
                            .stacked_up = "mlp.experts.up_proj",
                            .stacked_down = "mlp.experts.down_proj"}},
      .tokens = {.mask = "<|mask|>",
                 .end_of_turn = "<|role_end|>",
                 .other_ends = {},
                 .mask_id = 156895},
      .chat_template = turns_with_roles(),
      .strategy = "low-confidence",
      .commit = "tau:0.95"};
}

// Files of 2.1 are like those of 2.0, but for one re-upload's model type: it is this family where
// the user says so.
Family with_edits() {
  Family family = without_edits();
  family.name = "llada2.1";
  family.classes.insert(family.classes.begin(), {"LLaDA2MoeModelLM", "llada21_moe"});
  family.edit = 0.9f;
  return family;
}

}  // namespace

const Family kLlada2 = without_edits();
const Family kLlada21 = with_edits();

}  // namespace umf
