#include "tiny/tiny_configs.h"

#include <string>
#include <vector>

#include "base/json.h"
#include "tiny/tiny_tokenizers.h"

namespace umf {
namespace {

std::string torch_dtype(const std::string& dtype) {
  return dtype == "F32" ? "float32" : dtype == "BF16" ? "bfloat16" : "float16";
}

OrderedJson llada_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  // With fewer kv heads the two counts differ, so that a reader must know which one the matrices
  // have.
  const int tokens = spec.kv_heads == spec.heads ? spec.vocab : ids.size;
  return {
      {"activation_type", "silu"},
      {"alibi", false},
      {"alibi_bias_max", 8.0},
      {"architectures", OrderedJson::array({"LLaDAModelLM"})},
      {"attention_dropout", 0.0},
      {"attention_layer_norm", false},
      {"attention_layer_norm_with_affine", true},
      {"auto_map",
       {{"AutoConfig", "configuration_llada.LLaDAConfig"},
        {"AutoModelForCausalLM", "modeling_llada.LLaDAModelLM"},
        {"AutoModel", "modeling_llada.LLaDAModelLM"}}},
      {"bias_for_layer_norm", false},
      {"block_group_size", 1},
      {"block_type", "llama"},
      {"d_model", spec.hidden},
      {"embedding_dropout", 0.0},
      {"embedding_size", spec.vocab},
      {"eos_token_id", ids.eos},
      {"flash_attention", false},
      {"include_bias", false},
      {"include_qkv_bias", false},
      {"init_cutoff_factor", nullptr},
      {"init_device", "meta"},
      {"init_fn", "mitchell"},
      {"init_std", 0.02},
      {"input_emb_norm", false},
      {"layer_norm_type", "rms"},
      {"layer_norm_with_affine", true},
      {"mask_token_id", ids.mask},
      {"max_sequence_length", 4096},
      {"mlp_hidden_size", spec.mlp},
      {"mlp_ratio", 4},
      {"model_type", "llada"},
      {"multi_query_attention", nullptr},
      {"n_heads", spec.heads},
      {"n_kv_heads", spec.kv_heads},
      {"n_layers", spec.layers},
      {"pad_token_id", ids.pad},
      {"precision", "amp_bf16"},
      {"residual_dropout", 0.0},
      {"rms_norm_eps", spec.eps},
      {"rope", true},
      {"rope_full_precision", true},
      {"rope_theta", spec.theta},
      {"scale_logits", false},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.46.3"},
      {"use_cache", false},
      {"vocab_size", tokens},
      {"weight_tying", options.tied},
  };
}

OrderedJson dream_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {
      {"architectures", OrderedJson::array({"DreamModel"})},
      {"attention_dropout", 0.0},
      {"auto_map",
       {{"AutoConfig", "configuration_dream.DreamConfig"},
        {"AutoModel", "modeling_dream.DreamModel"}}},
      {"bos_token_id", ids.bos},
      {"eos_token_id", ids.eos},
      {"hidden_act", "silu"},
      {"hidden_size", spec.hidden},
      {"initializer_range", 0.02},
      {"intermediate_size", spec.mlp},
      {"mask_token_id", ids.mask},
      {"max_position_embeddings", 131072},
      {"max_window_layers", spec.layers},
      {"model_type", "Dream"},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads},
      {"pad_token_id", ids.pad},
      {"rms_norm_eps", spec.eps},
      {"rope_scaling", nullptr},
      {"rope_theta", spec.theta},
      {"sliding_window", nullptr},
      {"tie_word_embeddings", options.tied},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.46.2"},
      {"use_cache", false},
      {"use_sliding_window", false},
      {"vocab_size", spec.vocab},
  };
}

OrderedJson sdc_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {
      {"architectures", OrderedJson::array({"StableDiffcoderForCausalLM"})},
      {"attention_bias", false},
      {"attention_dropout", 0.1},
      {"auto_map",
       {{"AutoModelForCausalLM", "modeling_stable_diffcoder.StableDiffcoderForCausalLM"}}},
      {"bos_token_id", ids.bos},
      {"eos_token_id", ids.eos},
      {"head_dim", spec.hidden / spec.heads},
      {"hidden_act", "silu"},
      {"hidden_size", spec.hidden},
      {"initializer_range", 0.02},
      {"intermediate_size", spec.mlp},
      {"layer_norm_eps", nullptr},
      {"max_position_embeddings", 8192},
      {"mlp_bias", false},
      {"model_type", "llama"},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads},
      {"pad_token_id", ids.pad},
      {"pretraining_tp", 1},
      {"resid_pdrop", 0.1},
      {"rms_norm_eps", spec.eps},
      {"rope_scaling", nullptr},
      {"rope_theta", spec.theta},
      {"tie_word_embeddings", options.tied},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.46.2"},
      {"use_cache", true},
      {"vocab_size", spec.vocab},
  };
}

OrderedJson prm_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {
      {"architectures", OrderedJson::array({"Qwen2ForProcessRewardModel"})},
      {"attention_dropout", 0.0},
      {"auto_map",
       {{"AutoConfig", "configuration_qwen2_rm.Qwen2RMConfig"},
        {"AutoModel", "modeling_qwen2_rm.Qwen2ForProcessRewardModel"}}},
      {"bos_token_id", ids.bos},
      {"eos_token_id", ids.eos},
      {"hidden_act", "silu"},
      {"hidden_size", spec.hidden},
      {"initializer_range", 0.02},
      {"intermediate_size", spec.mlp},
      {"max_position_embeddings", 4096},
      {"max_window_layers", spec.layers},
      {"model_type", "qwen2"},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads},
      {"pad_token_id", ids.pad},
      {"rms_norm_eps", spec.eps},
      {"rope_theta", spec.theta},
      {"sliding_window", 4096},
      {"tie_word_embeddings", options.tied},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.37.0"},
      {"use_cache", false},
      {"use_sliding_window", false},
      {"vocab_size", spec.vocab},
  };
}

// What the files of Qwen's and Llama's descendants have in common.
OrderedJson common_config(const TinySpec& spec, const TinyOptions& options,
                          const std::string& architecture, const std::string& model_type) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {{"architectures", OrderedJson::array({architecture})},
          {"model_type", model_type},
          {"bos_token_id", ids.bos},
          {"eos_token_id", ids.eos},
          {"pad_token_id", ids.pad},
          {"attention_dropout", 0.0},
          {"hidden_act", "silu"},
          {"hidden_size", spec.hidden},
          {"initializer_range", 0.02},
          {"intermediate_size", spec.mlp},
          {"max_position_embeddings", 32768},
          {"num_hidden_layers", spec.layers},
          {"num_attention_heads", spec.heads},
          {"num_key_value_heads", spec.kv_heads},
          {"rms_norm_eps", spec.eps},
          {"rope_scaling", nullptr},
          {"rope_theta", spec.theta},
          {"tie_word_embeddings", spec.tied || options.tied},
          {"torch_dtype", torch_dtype(options.dtype)},
          {"transformers_version", "4.52.4"},
          {"use_cache", true},
          {"vocab_size", spec.vocab}};
}

// Windows that are switched off, as Qwen's files have them.
const OrderedJson kNoWindow = {
    {"max_window_layers", 2}, {"sliding_window", nullptr}, {"use_sliding_window", false}};

OrderedJson sdar_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "SDARForCausalLM", "sdar");
  json.update(kNoWindow);
  json.update({{"attention_bias", false},
               {"attn_implementation", "flash_attention_2"},
               {"block_size", spec.block},
               {"debug", false},
               {"ep_size", 1},
               {"fuse_cross_entropy", true},
               {"head_dim", spec.head_width()},
               {"mask_token_id", tiny_tokens(spec.family).mask},
               {"micro_forward", false},
               {"skip_checkpoint", false},
               {"use_deepep", false}});
  return json;
}

OrderedJson dreamreasoner_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "DreamForCausalLM", "Dream");
  json.update(kNoWindow);
  json.update({{"attention_bias", false},
               {"block_size", spec.block},
               {"head_dim", spec.head_width()},
               {"mask_token_id", tiny_tokens(spec.family).mask}});
  return json;
}

OrderedJson illada_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "ILLaDAForCausalLM", "illada");
  json.update({{"attention_bias", false},
               {"head_dim", spec.head_width()},
               {"layer_norm_eps", nullptr},
               {"mlp_bias", false},
               {"resid_pdrop", 0.1}});
  return json;
}

OrderedJson a2d_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "A2DQwen3LMHeadModel", "a2d-qwen3");
  json.update(kNoWindow);
  json.update({{"attention_bias", false}, {"head_dim", spec.head_width()}});
  return json;
}

OrderedJson open_dcoder_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "Qwen2ForCausalLM", "qwen2");
  json.update(kNoWindow);
  return json;
}

OrderedJson fdv2_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "Fast_dLLM_QwenForCausalLM", "Fast_dLLM_Qwen");
  json.update(kNoWindow);
  json.update({{"bd_size", spec.block},
               {"layer_types", std::vector<std::string>(spec.layers, "full_attention")}});
  return json;
}

// The keys of Qwen3-MoE's files.
OrderedJson qwen3_mixture(const TinySpec& spec) {
  OrderedJson dense = OrderedJson::array();
  for (int layer = 0; layer < spec.dense_layers; ++layer) dense.push_back(layer);
  return {{"attention_bias", false},
          {"decoder_sparse_step", 1},
          {"head_dim", spec.head_width()},
          {"mask_token_id", tiny_tokens(spec.family).mask},
          {"mlp_only_layers", dense},
          {"moe_intermediate_size", spec.expert_width},
          {"norm_topk_prob", true},
          {"num_experts", spec.experts},
          {"num_experts_per_tok", spec.chosen},
          {"output_router_logits", false},
          {"router_aux_loss_coef", 0.001}};
}

OrderedJson sdarmoe_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "SDARMoeForCausalLM", "sdar_moe");
  json.update(kNoWindow);
  json.update(qwen3_mixture(spec));
  json.update({{"block_size", spec.block}, {"ep_size", 1}, {"use_deepep", false}});
  return json;
}

// Windows and scaling are switched off in a way of its own.
OrderedJson rnd1_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "RND1LM", "rnd1");
  json.update(qwen3_mixture(spec));
  json.update({{"max_window_layers", 2},
               {"rope_scaling", false},
               {"sliding_window", false},
               {"use_sliding_window", false}});
  return json;
}

OrderedJson lladamoe_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "LLaDAMoEModelLM", "llada");
  json.erase("intermediate_size");
  json.update({{"dense_intermediate_size", spec.mlp},
               {"expert_intermediate_size", spec.expert_width},
               {"moe_layer_freq", std::vector<int>(spec.layers, 1)},
               {"norm_topk_prob", nullptr},
               {"num_experts", spec.experts},
               {"num_experts_per_tok", spec.chosen},
               {"partial_rotary_factor", 1},
               {"qk_layernorm", true},
               {"shared_expert_intermediate_size", nullptr}});
  return json;
}

OrderedJson llada2_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json = common_config(spec, options, "LLaDA2MoeModelLM", "llada2_moe");
  json.update({{"block_size", spec.block},
               {"embedding_dropout", 0.0},
               {"first_k_dense_replace", spec.dense_layers},
               {"head_dim", spec.head_width()},
               {"max_window_layers", spec.layers},
               {"moe_intermediate_size", spec.expert_width},
               {"moe_router_enable_expert_bias", true},
               {"n_group", spec.groups},
               {"norm_head", false},
               {"norm_softmax", false},
               {"norm_topk_prob", true},
               {"num_experts", spec.experts},
               {"num_experts_per_tok", spec.chosen},
               {"num_shared_experts", spec.shared},
               {"output_dropout", 0.0},
               {"output_router_logits", false},
               {"partial_rotary_factor", double(spec.rotated) / spec.head_width()},
               {"rotary_dim", spec.rotated},
               {"routed_scaling_factor", 2.5},
               {"router_dtype", "fp32"},
               {"score_function", "sigmoid"},
               {"topk_group", spec.kept_groups},
               {"use_bias", false},
               {"use_qkv_bias", false},
               {"use_rmsnorm", true},
               {"use_sliding_window", false},
               {"using_split_qkv_in_self_attention", false}});
  return json;
}

// As the released files have it: in the form of transformers 5, and with keys of training.
OrderedJson nemotron_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson json =
      common_config(spec, options, "NemotronLabsDiffusionModel", "nemotron_labs_diffusion");
  for (const char* old : {"rope_scaling", "rope_theta"}) json.erase(old);
  constexpr int kStretch = 4;
  json.update({{"ar_loss_weight", 1.0},
               {"attention_bias", false},
               {"attn_implementation", "sdpa"},
               {"block_size", spec.block},
               {"dlm_loss_weight", nullptr},
               {"dlm_paradigm", "bidirectional"},
               {"dp_varying_mask_ratio", false},
               {"head_dim", spec.head_width()},
               {"mask_token_id", tiny_tokens(spec.family).mask},
               {"max_position_embeddings", kStretch * spec.trained},
               {"mlp_bias", false},
               {"rope_parameters",
                {{"beta_fast", 32.0},
                 {"beta_slow", 1.0},
                 {"factor", double(kStretch)},
                 {"llama_4_scaling_beta", 0.1},
                 {"mscale", 1.0},
                 {"mscale_all_dim", 1.0},
                 {"original_max_position_embeddings", spec.trained},
                 {"rope_theta", spec.theta},
                 {"rope_type", "yarn"}}},
               {"sliding_window", nullptr}});
  return json;
}

OrderedJson family_config(const TinySpec& spec, const TinyOptions& options) {
  switch (spec.family) {
    case TinyFamily::kLlada:
      return llada_config(spec, options);
    case TinyFamily::kDream:
    case TinyFamily::kDiffuCoder:
      return dream_config(spec, options);
    case TinyFamily::kStableDiffCoder:
      return sdc_config(spec, options);
    case TinyFamily::kSdar:
      return sdar_config(spec, options);
    case TinyFamily::kDreamReasoner:
      return dreamreasoner_config(spec, options);
    case TinyFamily::kIllada:
      return illada_config(spec, options);
    case TinyFamily::kA2d:
      return a2d_config(spec, options);
    case TinyFamily::kOpenDcoder:
      return open_dcoder_config(spec, options);
    case TinyFamily::kFastDllm:
      return fdv2_config(spec, options);
    case TinyFamily::kLladaMoe:
      return lladamoe_config(spec, options);
    case TinyFamily::kSdarMoe:
      return sdarmoe_config(spec, options);
    case TinyFamily::kRnd1:
      return rnd1_config(spec, options);
    case TinyFamily::kLlada2:
      return llada2_config(spec, options);
    case TinyFamily::kNemotron:
      return nemotron_config(spec, options);
    case TinyFamily::kPrm:
      break;
  }
  return prm_config(spec, options);
}

// What transformers 4 wrote, in the form of transformers 5.
void renew(OrderedJson& config, const TinySpec& spec) {
  config["dtype"] = config["torch_dtype"];
  if (!config.contains("rope_parameters"))
    config["rope_parameters"] = {{"rope_theta", config["rope_theta"]}, {"rope_type", "default"}};
  for (const char* old : {"torch_dtype", "rope_theta", "rope_scaling"}) config.erase(old);
  if (spec.family != TinyFamily::kLlada)
    config["layer_types"] = std::vector<std::string>(spec.layers, "full_attention");
  config["transformers_version"] = "5.2.0";
}

}  // namespace

OrderedJson tiny_config(const TinySpec& spec, const TinyOptions& options) {
  OrderedJson config = family_config(spec, options);
  if (options.transformers5) renew(config, spec);
  if (options.leftovers)
    for (const char* key : kTinyLeftovers) config[key] = "harmless";
  return config;
}

OrderedJson tiny_generation_config(const TinySpec& spec) {
  const TinyTokens ids = tiny_tokens(spec.family);
  OrderedJson json = {
      {"_from_model_config", true}, {"bos_token_id", ids.bos}, {"eos_token_id", ids.eos}};
  if (spec.family == TinyFamily::kDream || spec.family == TinyFamily::kDiffuCoder)
    json.update({{"alg", "origin"},
                 {"alg_temp", nullptr},
                 {"eps", 0.001},
                 {"mask_token_id", nullptr},
                 {"output_history", false},
                 {"steps", 512},
                 {"temperature", 0.0},
                 {"top_k", nullptr},
                 {"top_p", nullptr}});
  if (spec.family != TinyFamily::kLlada) json["pad_token_id"] = ids.pad;
  json["transformers_version"] = "4.46.2";
  return json;
}

}  // namespace umf
