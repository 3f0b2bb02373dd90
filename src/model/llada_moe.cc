// LLaDA-MoE: Qwen3's names, keys of its own; full attention as LLaDA's; the weights of the experts
// that are chosen are the softmax over all, whatever the file says of norms.
#include "model/mixture_config.h"
#include "model/rope_config.h"

namespace umf {
namespace {

Architecture read(const Config& config) {
  Architecture a = read_qwen_shape(config);
  a.rope_theta = read_rope_theta(config);
  a.qk_norm = true;
  config.expect("qk_layernorm", true);
  config.expect("attention_bias", false);
  config.expect("moe_router_score_function", "softmax");
  config.expect("moe_router_enable_expert_bias", false);
  config.expect("router_num_group", nullptr);
  config.expect("router_topk_group", nullptr);
  config.expect("shared_expert_intermediate_size", nullptr);
  MixtureShape mixture = read_experts(config, "expert_intermediate_size");
  mixture.layers.assign(a.layers, true);
  if (const Json* all = config.find("moe_layer_freq"))
    config.expect("moe_layer_freq",
                  all->is_array() ? Json(std::vector<int>(a.layers, 1)) : Json(1));
  config.ignore({"dense_intermediate_size", "intermediate_size", "norm_topk_prob"});
  set_mixture(config, std::move(mixture), a);
  return a;
}

}  // namespace

const Family kLladaMoe = {
    .name = "llada-moe",
    .classes = {{"LLaDAMoEModelLM", "llada"},
                {"LLaDAMoEModelLM", "lladamoe"},
                {"LLaDAMoEModel", "llada"},
                {"LLaDAMoEModel", "lladamoe"}},
    .read = read,
    .names = qwen3_mixture_names(),
    .tokens = {.mask = "<|mask|>",
               .end_of_turn = "<|role_end|>",
               .other_ends = {},
               .mask_id = 156895},
    .chat_template = turns_with_roles(),
    .strategy = "low-confidence",
};

}  // namespace umf
