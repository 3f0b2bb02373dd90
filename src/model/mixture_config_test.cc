// Published configurations of models with experts, and what is refused of them.
#include "model/mixture_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/checkpoint.h"
#include "support/expect_error.h"

namespace umf {
namespace {

Json llada2_mini() {
  return parse_json(R"({
    "architectures": ["LLaDA2MoeModelLM"], "model_type": "llada2_moe", "attention_dropout": 0.0,
    "embedding_dropout": 0.0, "first_k_dense_replace": 1, "head_dim": 128, "hidden_act": "silu",
    "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 5120,
    "max_position_embeddings": 32768, "max_window_layers": 20, "moe_intermediate_size": 512,
    "moe_router_enable_expert_bias": true, "n_group": 8, "norm_head": false, "norm_softmax": false,
    "norm_topk_prob": true, "num_attention_heads": 16, "num_experts": 256,
    "num_experts_per_tok": 8, "num_hidden_layers": 20, "num_key_value_heads": 4,
    "num_shared_experts": 1, "output_dropout": 0.0, "output_router_logits": false,
    "pad_token_id": 156892, "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-06,
    "rope_scaling": null, "rope_theta": 600000, "rotary_dim": 64, "routed_scaling_factor": 2.5,
    "router_dtype": "fp32", "score_function": "sigmoid", "tie_word_embeddings": false,
    "topk_group": 4, "use_bias": false, "use_cache": false, "use_qkv_bias": false,
    "use_rmsnorm": true, "use_sliding_window": false,
    "using_split_qkv_in_self_attention": false, "vocab_size": 157184})",
                    "llada2");
}

Json qwen3_moe(const char* architecture, const char* type) {
  return {{"architectures", {architecture}},
          {"model_type", type},
          {"hidden_size", 2048},
          {"num_hidden_layers", 48},
          {"intermediate_size", 6144},
          {"num_attention_heads", 32},
          {"num_key_value_heads", 4},
          {"head_dim", 128},
          {"hidden_act", "silu"},
          {"max_position_embeddings", 40960},
          {"rms_norm_eps", 1e-6},
          {"rope_theta", 1e6},
          {"vocab_size", 151936},
          {"num_experts", 128},
          {"num_experts_per_tok", 8},
          {"moe_intermediate_size", 768},
          {"norm_topk_prob", true},
          {"decoder_sparse_step", 1},
          {"mlp_only_layers", Json::array()}};
}

Json llada_moe() {
  Json json = qwen3_moe("LLaDAMoEModelLM", "llada");
  for (const char* key : {"head_dim", "intermediate_size", "moe_intermediate_size",
                          "decoder_sparse_step", "mlp_only_layers"})
    json.erase(key);
  json.update({{"num_hidden_layers", 16},
               {"num_attention_heads", 16},
               {"num_key_value_heads", 16},
               {"num_experts", 64},
               {"expert_intermediate_size", 1024},
               {"shared_expert_intermediate_size", nullptr},
               {"moe_layer_freq", std::vector<int>(16, 1)},
               {"qk_layernorm", true},
               {"rope_theta", 50000},
               {"vocab_size", 157184}});
  return json;
}

Architecture read(const Json& json) { return read_config(json.dump(), "config.json").architecture; }

Architecture with(Json json, const std::string& key, const Json& value) {
  json[key] = value;
  return read(json);
}

TEST(MixtureConfig, Llada2IsReadAsPublished) {
  const Architecture a = read(llada2_mini());
  const MixtureShape& m = *a.mixture;
  EXPECT_EQ(m.routing, (Routing{.experts = 256,
                                .chosen = 8,
                                .sigmoid = true,
                                .normalised = true,
                                .scale = 2.5f,
                                .groups = 8,
                                .kept_groups = 4}));
  EXPECT_TRUE(m.biased);
  EXPECT_EQ(m.width, 512);
  EXPECT_EQ(m.shared_width, 512);
  EXPECT_EQ(a.rotated, 64);
  EXPECT_TRUE(a.qk_norm);
  EXPECT_EQ(a.attention.kind, AttentionKind::kBlockCausal);
  EXPECT_EQ(a.attention.block, 32);
  EXPECT_FALSE(a.has_experts(0));
  EXPECT_TRUE(a.has_experts(1));
  EXPECT_EQ(a.dense_width(0), 5120);
  EXPECT_EQ(a.active_width(1), 9 * 512);
  EXPECT_THAT(read_config(llada2_mini().dump(), "config.json").unknown_keys, testing::IsEmpty());
  EXPECT_EQ(with(llada2_mini(), "block_size", 8).attention.block, 8);
  EXPECT_FALSE(with(llada2_mini(), "num_experts_per_tok", 1).mixture->routing.normalised);
}

TEST(MixtureConfig, Qwen3sKinAreReadAsPublished) {
  const Architecture sdar = read(qwen3_moe("SDARMoeForCausalLM", "sdar_moe"));
  EXPECT_EQ(sdar.mixture->routing, (Routing{.experts = 128, .chosen = 8, .normalised = true}));
  EXPECT_EQ(sdar.attention.block, 4);
  EXPECT_EQ(sdar.mlp, 0) << "no layer has one";
  EXPECT_EQ(sdar.active_width(7), 8 * 768);
  const Architecture rnd1 = read(qwen3_moe("RND1LM", "rnd1"));
  EXPECT_EQ(rnd1.attention.kind, AttentionKind::kFull);
  EXPECT_TRUE(rnd1.mixture->routing.normalised);
  Json some = qwen3_moe("SDARMoeForCausalLM", "sdar_moe");
  some["mlp_only_layers"] = {0, 5};
  some["decoder_sparse_step"] = 2;
  const Architecture mixed = read(some);
  EXPECT_FALSE(mixed.has_experts(0));
  EXPECT_TRUE(mixed.has_experts(1));
  EXPECT_FALSE(mixed.has_experts(5));
  EXPECT_EQ(mixed.mlp, 6144);
}

// Its class writes them, whatever they are, into every file.
TEST(MixtureConfig, Rnd1sOwnKeysAreKnown) {
  Json json = qwen3_moe("RND1LM", "rnd1");
  json.update({{"is_causal", false}, {"moe_backend", "hf"}, {"num_diffusion_steps", 256}});
  EXPECT_THAT(read_config(json.dump(), "config.json").unknown_keys, testing::IsEmpty());
  EXPECT_ERROR(with(json, "is_causal", true), "key 'is_causal' is true");
}

TEST(MixtureConfig, LladaMoeDoesNotNormaliseWhateverItsFileSays) {
  EXPECT_FALSE(read(llada_moe()).mixture->routing.normalised);
  EXPECT_EQ(read(llada_moe()).mixture->width, 1024);
  EXPECT_EQ(read(llada_moe()).attention.head_dim, 128);
}

TEST(MixtureConfig, PartsOfAHeadMustAgree) {
  EXPECT_EQ(with(llada2_mini(), "rotary_dim", nullptr).rotated, 64);
  EXPECT_EQ(with(llada2_mini(), "partial_rotary_factor", nullptr).rotated, 64);
  EXPECT_ERROR(with(llada2_mini(), "rotary_dim", 32), "one part of every head is supported");
  Json nested = llada2_mini();
  nested.erase("rope_theta");
  nested["rope_parameters"] = {
      {"rope_theta", 6e5}, {"rope_type", "default"}, {"partial_rotary_factor", 0.5}};
  EXPECT_EQ(read(nested).rotated, 64);
  nested["rope_parameters"]["partial_rotary_factor"] = 0.25;
  EXPECT_ERROR(read(nested), "rotary");
  Json odd = llada2_mini();
  odd.erase("rotary_dim");
  EXPECT_ERROR(with(odd, "partial_rotary_factor", 0.3), "no even number");
}

TEST(MixtureConfig, WhatIsNotComputedIsRefusedByItsKey) {
  const Json llada2 = llada2_mini(), moe = llada_moe();
  EXPECT_ERROR(with(llada2, "score_function", "softmax"), "key 'score_function' is \"softmax\"");
  EXPECT_ERROR(with(llada2, "norm_head", true), "key 'norm_head' is true");
  EXPECT_ERROR(with(llada2, "tie_word_embeddings", true), "key 'tie_word_embeddings' is true");
  EXPECT_ERROR(with(llada2, "expert_capacity", 48), "key 'expert_capacity' chooses experts");
  EXPECT_ERROR(with(llada2, "rope_scaling", {{"type", "yarn"}}), "rope_scaling.type");
  EXPECT_ERROR(with(moe, "moe_layer_freq", {1, 0}), "key 'moe_layer_freq' is [1,0]");
  EXPECT_ERROR(with(moe, "shared_expert_intermediate_size", 8), "shared_expert_intermediate_size");
}

TEST(MixtureConfig, ImpossibleChoicesAreRefused) {
  const Json llada2 = llada2_mini();
  EXPECT_ERROR(with(llada2, "num_experts_per_tok", 257), "but there are 256 experts");
  EXPECT_ERROR(with(llada2, "num_experts_per_tok", 200), "which have no 200 experts");
  EXPECT_ERROR(with(llada2, "num_experts", 1 << 20), "'num_experts' must be from 1 to 4096");
  EXPECT_ERROR(with(llada2, "num_shared_experts", 1000), "key 'num_shared_experts' must be");
  EXPECT_ERROR(with(llada2, "n_group", 7), "not so many equal groups");
  EXPECT_ERROR(with(llada2, "n_group", 256), "not so many equal groups");
  EXPECT_ERROR(with(llada2, "topk_group", 9), "key 'topk_group' is 9 of 8 groups");
  EXPECT_ERROR(with(llada2, "first_k_dense_replace", 20), "no layer has experts");
  EXPECT_ERROR(with(qwen3_moe("RND1LM", "rnd1"), "mlp_only_layers", {48}), "layers from 0 to 47");
}

}  // namespace
}  // namespace umf
