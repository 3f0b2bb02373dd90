#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/checkpoint.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The published configuration of LLaDA-8B-Instruct, key by key.
Json llada() {
  return Json::parse(R"({
    "activation_type": "silu", "alibi": false, "alibi_bias_max": 8.0, "architectures": ["LLaDAModelLM"],
    "attention_dropout": 0.0, "attention_layer_norm": false, "attention_layer_norm_with_affine": true,
    "auto_map": {"AutoConfig": "configuration_llada.LLaDAConfig"}, "bias_for_layer_norm": false,
    "block_group_size": 1, "block_type": "llama", "d_model": 4096, "embedding_dropout": 0.0,
    "embedding_size": 126464, "eos_token_id": 126081, "flash_attention": false, "include_bias": false,
    "include_qkv_bias": false, "init_cutoff_factor": null, "init_device": "meta", "init_fn": "mitchell",
    "init_std": 0.02, "input_emb_norm": false, "layer_norm_type": "rms", "layer_norm_with_affine": true,
    "mask_token_id": 126336, "max_sequence_length": 4096, "mlp_hidden_size": 12288, "mlp_ratio": 4,
    "model_type": "llada", "multi_query_attention": null, "n_heads": 32, "n_kv_heads": 32, "n_layers": 32,
    "pad_token_id": 126081, "precision": "amp_bf16", "residual_dropout": 0.0, "rms_norm_eps": 1e-05,
    "rope": true, "rope_full_precision": true, "rope_theta": 500000.0, "scale_logits": false,
    "transformers_version": "4.46.3", "use_cache": false, "vocab_size": 126464, "weight_tying": false})");
}

Json dream() {
  return Json::parse(R"({
    "architectures": ["DreamModel"], "attention_dropout": 0.0, "auto_map": {}, "bos_token_id": 151643,
    "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 3584, "initializer_range": 0.02,
    "intermediate_size": 18944, "mask_token_id": 151666, "max_position_embeddings": 131072,
    "max_window_layers": 28, "model_type": "Dream", "num_attention_heads": 28, "num_hidden_layers": 28,
    "num_key_value_heads": 4, "pad_token_id": 151643, "rms_norm_eps": 1e-06, "rope_scaling": null,
    "rope_theta": 1000000.0, "sliding_window": null, "tie_word_embeddings": false,
    "torch_dtype": "bfloat16", "transformers_version": "4.46.2", "use_cache": true,
    "use_sliding_window": false, "vocab_size": 152064})");
}

Architecture read(const Json& json) { return read_config(json.dump(), "config.json").architecture; }
std::vector<std::string> unknown(const Json& json) {
  return read_config(json.dump(), "config.json").unknown_keys;
}

Json with(Json json, const char* key, Json value) {
  json[key] = std::move(value);
  return json;
}

Json without(Json json, const char* key) {
  json.erase(key);
  return json;
}

TEST(Config, PublishedConfigurationsAreUnderstood) {
  const Architecture a = read(llada());
  EXPECT_EQ(a.layers, 32);
  EXPECT_EQ(a.mlp, 12288);
  EXPECT_EQ(a.attention.head_dim, 128);
  EXPECT_EQ(a.attention.kind, AttentionKind::kFull);
  EXPECT_FALSE(a.qkv_bias);
  const Architecture b = read(dream());
  EXPECT_EQ(b.attention.kv_heads, 4);
  EXPECT_EQ(b.vocabulary, 152064);
  EXPECT_TRUE(b.qkv_bias);
  EXPECT_FLOAT_EQ(b.norm_eps, 1e-6f);
}

TEST(Config, AbsentOptionalKeysHaveTheirDocumentedMeaning) {
  EXPECT_EQ(read(with(llada(), "n_kv_heads", nullptr)).attention.kv_heads, 32);
  EXPECT_EQ(read(with(llada(), "mlp_hidden_size", nullptr)).mlp, 4 * 4096);
  EXPECT_EQ(read(with(llada(), "embedding_size", nullptr)).vocabulary, 126464);
}

TEST(Config, HeadsMayBeWiderOrNarrowerThanTheHiddenSize) {
  EXPECT_EQ(read(dream()).attention.head_dim, 128);
  EXPECT_EQ(read(with(dream(), "head_dim", nullptr)).attention.head_dim, 128);
  const Architecture a = read(with(dream(), "head_dim", 256));
  EXPECT_EQ(a.query_cols(), 28 * 256);
  EXPECT_EQ(a.kv_cols(), 4 * 256);
}

TEST(Config, MissingKeysAreNamedAndNeverGuessed) {
  for (const char* key :
       {"d_model", "n_layers", "n_heads", "vocab_size", "rope_theta", "rms_norm_eps"}) {
    EXPECT_ERROR(read(without(llada(), key)), std::string("key '") + key + "' is missing");
  }
  for (const char* key : {"hidden_size", "intermediate_size", "rope_theta", "rms_norm_eps"}) {
    EXPECT_ERROR(read(without(dream(), key)), std::string("key '") + key + "' is missing");
  }
}

TEST(Config, UnknownKeysAreToldAndHarmlessOnesAreNot) {
  EXPECT_THAT(unknown(llada()), IsEmpty());
  EXPECT_THAT(unknown(dream()), IsEmpty());
  EXPECT_THAT(unknown(with(with(llada(), "new_feature", 1), "another", nullptr)),
              ElementsAre("another", "new_feature"));
  EXPECT_THAT(unknown(with(with(dream(), "num_beams", 1), "pruned_heads", Json::object())),
              IsEmpty());
}

TEST(Config, KeysThatChangeWhatIsComputedAreErrorsUnlessTheyAreNeutral) {
  EXPECT_ERROR(read(with(dream(), "qk_norm", true)), "key 'qk_norm' is true");
  EXPECT_ERROR(read(with(llada(), "partial_rotary_factor", 0.5)), "partial_rotary_factor");
  EXPECT_ERROR(read(with(dream(), "num_experts", 64)), "key 'num_experts' is 64");
  EXPECT_ERROR(read(with(llada(), "clip_qkv", 8)), "key 'clip_qkv' is 8");
  EXPECT_THAT(unknown(with(dream(), "qk_norm", false)), IsEmpty());
  EXPECT_THAT(unknown(with(dream(), "partial_rotary_factor", 1.0)), IsEmpty());
}

// As transformers 5 writes what 4 wrote.
Json renewed(Json json) {
  json["dtype"] = "bfloat16";
  json["rope_parameters"] = {{"rope_theta", json["rope_theta"]}, {"rope_type", "default"}};
  for (const char* old : {"torch_dtype", "rope_theta", "rope_scaling"}) json.erase(old);
  json["transformers_version"] = "5.2.0";
  return json;
}

TEST(Config, TheFormOfTransformers5IsUnderstood) {
  for (const Json& json : {llada(), dream()}) {
    EXPECT_EQ(read(renewed(json)).rope_theta, read(json).rope_theta);
    EXPECT_THAT(unknown(renewed(json)), IsEmpty());
    EXPECT_EQ(read(with(json, "rope_parameters", {{"rope_theta", json["rope_theta"]}})).rope_theta,
              json["rope_theta"])
        << "both forms, and they agree";
  }
  EXPECT_EQ(read(with(without(dream(), "rope_theta"), "rope_scaling",
                      {{"type", "default"}, {"rope_theta", 5e4}}))
                .rope_theta,
            5e4);
  EXPECT_EQ(read(with(dream(), "rope_scaling", false)).rope_theta, 1e6);
  EXPECT_EQ(read(with(dream(), "layer_types", {"full_attention", "full_attention"})).layers, 28);
}

TEST(Config, RotationsThatAreNotComputedAreRefusedByName) {
  const auto rotating = [](Json rotation) {
    return read(with(renewed(dream()), "rope_parameters", std::move(rotation)));
  };
  EXPECT_ERROR(rotating({{"rope_type", "yarn"}, {"rope_theta", 1e6}, {"factor", 4}}),
               "key 'rope_parameters.factor' is 4");
  EXPECT_ERROR(rotating({{"rope_type", "yarn"}, {"rope_theta", 1e6}}),
               "key 'rope_parameters.rope_type' is \"yarn\"");
  EXPECT_ERROR(rotating({{"rope_theta", 1e6}, {"partial_rotary_factor", 0.25}}),
               "rope_parameters.partial_rotary_factor");
  EXPECT_ERROR(rotating({{"rope_type", "default"}}), "key 'rope_theta' is missing");
  EXPECT_ERROR(rotating({{"rope_theta", "1e6"}}), "rope_theta");
  EXPECT_ERROR(rotating(3), "key 'rope_parameters' must be an object");
  EXPECT_ERROR(read(with(dream(), "rope_parameters", {{"rope_theta", 1e4}})),
               "key 'rope_parameters.rope_theta' is 10000, but 'rope_theta' is 1000000");
}

TEST(Config, RotationsByKindOfLayerAreTakenWhereTheyAreOne) {
  const auto rotating = [](double full, double sliding) {
    return read(with(renewed(dream()), "rope_parameters",
                     {{"full_attention", {{"rope_theta", full}, {"rope_type", "default"}}},
                      {"sliding_attention", {{"rope_theta", sliding}}}}));
  };
  EXPECT_EQ(rotating(1e6, 1e6).rope_theta, 1e6);
  EXPECT_ERROR(rotating(1e6, 1e4), "key 'rope_parameters.sliding_attention.rope_theta' is 10000");
}

TEST(Config, LayersWithAnotherAttentionAreRefused) {
  const Json sliding = with(dream(), "layer_types", {"full_attention", "sliding_attention"});
  EXPECT_EQ(read(sliding).layers, 28) << "use_sliding_window is false";
  EXPECT_ERROR(read(without(sliding, "use_sliding_window")),
               "key 'layer_types' names \"sliding_attention\"");
  EXPECT_ERROR(read(with(dream(), "layer_types", {"linear_attention"})), "linear_attention");
  EXPECT_ERROR(read(with(dream(), "layer_types", "full_attention")), "must be a list");
}

TEST(Config, ATextConfigCountsAsIfItStoodOutside) {
  Json outer = {{"architectures", {"DreamModel"}}, {"model_type", "Dream"}, {"use_cache", false}};
  outer["text_config"] = dream();
  outer["text_config"]["model_type"] = "Dream_text";
  EXPECT_EQ(read(outer).hidden, 3584);
  EXPECT_THAT(unknown(outer), IsEmpty());
  outer["text_config"]["new_feature"] = 1;
  outer["vision_config"] = {{"hidden_size", 8}};
  EXPECT_THAT(unknown(outer), ElementsAre("new_feature", "vision_config"));
  outer["vocab_size"] = 152064;
  EXPECT_EQ(read(outer).vocabulary, 152064);
  outer["vocab_size"] = 7;
  EXPECT_ERROR(read(outer), "key 'vocab_size' is 7, but 152064 in text_config");
}

TEST(Config, TiedHeadsAreRead) {
  EXPECT_FALSE(read(dream()).tied_head || read(llada()).tied_head);
  EXPECT_TRUE(read(with(dream(), "tie_word_embeddings", true)).tied_head);
  EXPECT_TRUE(read(with(llada(), "weight_tying", true)).tied_head);
  EXPECT_FALSE(read(without(dream(), "tie_word_embeddings")).tied_head);
  EXPECT_ERROR(read(with(dream(), "tie_word_embeddings", "yes")), "must be true or false");
}

TEST(Config, FamiliesAreFoundByArchitectureAndModelTypeTogether) {
  const Family one = {.name = "one", .classes = {{"Model", "a"}}};
  const Family two = {.name = "two", .classes = {{"Model", "b"}, {"Model2", "b"}}};
  const Family three = {.name = "three", .classes = {{"ModelLM", "a"}}};
  const Family* const families[] = {&one, &two, &three};
  const auto find = [&](const char* architecture, const char* type) {
    return find_family(
               Config({{"architectures", {architecture}}, {"model_type", type}}, "config.json"), "",
               families)
        .name;
  };
  EXPECT_EQ(find("Model", "a"), "one");
  EXPECT_EQ(find("Model", "b"), "two");
  EXPECT_EQ(find("Model2", "b"), "two");
  EXPECT_EQ(find("ModelLM", "a"), "three");
  EXPECT_ERROR(find("Model", "c"), "key 'model_type' is 'c', but Model models have 'a' or 'b'");
  EXPECT_ERROR(find("ModelLM", "b"), "but ModelLM models have 'a'");
  EXPECT_ERROR(find("Other", "a"), "supported are Model, Model2, ModelLM");
}

TEST(Config, AFamilyWhoseFilesDoNotTellIsTakenWhereItIsNamed) {
  const Family sure = {.name = "sure", .classes = {{"Model", "a"}}};
  const Family variant = {.name = "variant", .classes = {{"Model", "a"}}, .only_if_named = true};
  const Family hidden = {.name = "hidden", .classes = {{"Other", "b"}}, .only_if_named = true};
  const Family* const families[] = {&variant, &sure, &hidden};
  const auto find = [&](const char* architecture, const char* type, const char* named) {
    return find_family(
               Config({{"architectures", {architecture}}, {"model_type", type}}, "config.json"),
               named, families)
        .name;
  };
  EXPECT_EQ(find("Model", "a", ""), "sure");
  EXPECT_EQ(find("Model", "a", "sure"), "sure");
  EXPECT_EQ(find("Model", "a", "variant"), "variant");
  EXPECT_EQ(find("Other", "b", "hidden"), "hidden");
  EXPECT_ERROR(find("Other", "b", ""), "say so behind its place: @hidden");
  EXPECT_ERROR(find("Third", "b", ""), "supported are Model");
  EXPECT_ERROR(find("Other", "b", "sure"), "which models of the family sure are not");
  EXPECT_ERROR(find("Other", "b", "seen"), "there is no family 'seen'. Known are variant, sure");
}

// Files come from strangers, and messages go to terminals.
TEST(Config, WhatAFileSaysStaysInOneLine) {
  EXPECT_ERROR(read(with(dream(), "architectures", {"a\nb"})), R"(names 'a\x0Ab')");
  EXPECT_ERROR(read(with(dream(), "model_type", "a\nb")), R"(is 'a\x0Ab')");
  EXPECT_ERROR(read(with(dream(), "rope_scaling", {{"a\nb", 1}})), R"(rope_scaling.a\x0Ab')");
  EXPECT_ERROR(read(with(dream(), "rope_scaling", {{"a\nb", {{"rope_theta", "x"}}}})),
               R"(rope_scaling.a\x0Ab)");
  Json nested = {{"a\nb", 1}, {"text_config", dream()}};
  nested["text_config"]["a\nb"] = 2;
  EXPECT_ERROR(read(nested), R"(key 'a\x0Ab' is 1, but 2 in text_config)");
}

TEST(Config, TokensAreOneOrSeveral) {
  const auto tokens = [](Json value) {
    return Config({{"eos_token_id", std::move(value)}}, "config.json").tokens("eos_token_id");
  };
  EXPECT_THAT(tokens(nullptr), IsEmpty());
  EXPECT_THAT(tokens(7), ElementsAre(7));
  EXPECT_THAT(tokens({7, 0}), ElementsAre(7, 0));
  for (const Json& wrong : {Json({7, -1}), Json({"7"}), Json(1.5), Json({1 << 25})})
    EXPECT_ERROR(tokens(wrong), "key 'eos_token_id' must be");
}

TEST(Config, UnsupportedValuesAreNamed) {
  EXPECT_ERROR(read(with(llada(), "scale_logits", true)), "key 'scale_logits' is true");
  EXPECT_ERROR(read(with(llada(), "block_group_size", 2)), "key 'block_group_size' is 2");
  EXPECT_ERROR(read(with(llada(), "attention_layer_norm", true)), "attention_layer_norm");
  EXPECT_ERROR(read(with(dream(), "rope_scaling", {{"type", "yarn"}})), "rope_scaling");
  EXPECT_ERROR(read(with(dream(), "use_sliding_window", true)), "use_sliding_window");
  EXPECT_ERROR(read(with(dream(), "hidden_act", "gelu")), "hidden_act");
  EXPECT_ERROR(read(with(dream(), "quantization_config", {{"bits", 4}})), "quantization_config");
}

// As the tools of their makers write them.
Json qwen3(const char* architecture, const char* type) {
  return Json::parse(R"({
    "attention_bias": false, "attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151643,
    "head_dim": 128, "hidden_act": "silu", "hidden_size": 2560, "initializer_range": 0.02,
    "intermediate_size": 9728, "mask_token_id": 151669, "max_position_embeddings": 32768,
    "max_window_layers": 36, "num_attention_heads": 32, "num_hidden_layers": 36,
    "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 1000000,
    "sliding_window": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "transformers_version": "4.52.4", "use_cache": true, "use_sliding_window": false,
    "vocab_size": 151936})")
      .patch({{{"op", "add"}, {"path", "/architectures"}, {"value", {architecture}}},
              {{"op", "add"}, {"path", "/model_type"}, {"value", type}}});
}

TEST(Config, SdarsHeadsAreWiderThanItsHiddenSizeAndItsBlocksAsTheFileSays) {
  Json json = qwen3("SDARForCausalLM", "sdar");
  for (const char* key : {"attn_implementation", "debug", "ep_size", "fuse_cross_entropy",
                          "micro_forward", "skip_checkpoint", "use_deepep"})
    json[key] = "x";
  const Architecture a = read(json);
  EXPECT_EQ(a.query_cols(), 4096);
  EXPECT_TRUE(a.qk_norm);
  EXPECT_FALSE(a.qkv_bias);
  EXPECT_EQ(a.attention.kind, AttentionKind::kBlockCausal);
  EXPECT_EQ(a.attention.block, 4);
  EXPECT_EQ(read(with(json, "block_size", 16)).attention.block, 16);
  EXPECT_THAT(unknown(with(json, "block_size", 16)), IsEmpty());
}

TEST(Config, DreamReasonerIsNotDream) {
  const Json json = qwen3("DreamForCausalLM", "Dream");
  EXPECT_EQ(read_config(json.dump(), "config.json").family, &kDreamReasoner);
  EXPECT_EQ(read_config(dream().dump(), "config.json").family, &kDream);
  EXPECT_EQ(read(json).attention.block, 32);
  EXPECT_EQ(read(with(with(json, "head_dim", nullptr), "hidden_size", 4096)).query_cols(), 4096);
}

TEST(Config, A2dIsWhatItWasMadeFrom) {
  const Json made = qwen3("A2DQwen3LMHeadModel", "a2d-qwen3");
  EXPECT_TRUE(read(made).qk_norm);
  EXPECT_EQ(read(made).attention.kind, AttentionKind::kFull);
  const auto from = [&](const char* architecture, const char* type) {
    return read(qwen3(architecture, type));
  };
  EXPECT_TRUE(from("A2DQwen2LMHeadModel", "a2d-qwen2").qkv_bias);
  EXPECT_FALSE(from("A2DQwen2LMHeadModel", "a2d-qwen2").qk_norm);
  const Architecture llama = from("A2DLlamaLMHeadModel", "a2d-llama");
  EXPECT_FALSE(llama.qkv_bias || llama.qk_norm);
  EXPECT_EQ(read_config(made.dump(), "config.json", "a2d-block").architecture.attention.block, 32);
}

Json fast_dllm() {
  Json json = qwen3("Fast_dLLM_QwenForCausalLM", "Fast_dLLM_Qwen");
  json.erase("attention_bias");
  json["bd_size"] = 32;
  json["layer_types"] = std::vector<std::string>(36, "full_attention");
  return json;
}

TEST(Config, FastDllmHasBiasesAndBlocks) {
  const Architecture a = read(fast_dllm());
  EXPECT_TRUE(a.qkv_bias);
  EXPECT_FALSE(a.qk_norm);
  EXPECT_EQ(a.attention.block, 32);
  EXPECT_EQ(read(with(fast_dllm(), "bd_size", 8)).attention.block, 8);
  EXPECT_THAT(unknown(fast_dllm()), IsEmpty());
}

// As NVIDIA's tools write it.
Json nemotron() {
  return Json::parse(R"({
    "architectures": ["NemotronLabsDiffusionModel"], "ar_loss_weight": 1.0, "attention_bias": false,
    "attention_dropout": 0.0, "attn_implementation": "sdpa", "block_size": 32, "bos_token_id": 1,
    "dlm_loss_weight": null, "dlm_paradigm": "bidirectional", "dp_varying_mask_ratio": false,
    "eos_token_id": 11, "head_dim": 128, "hidden_act": "silu", "hidden_size": 3072,
    "intermediate_size": 9216, "mask_token_id": 100, "max_position_embeddings": 262144,
    "mlp_bias": false, "model_type": "nemotron_labs_diffusion", "num_attention_heads": 32,
    "num_hidden_layers": 26, "num_key_value_heads": 8, "rms_norm_eps": 1e-05,
    "rope_parameters": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 16.0,
      "llama_4_scaling_beta": 0.1, "mscale": 1.0, "mscale_all_dim": 1.0,
      "original_max_position_embeddings": 16384, "rope_theta": 1000000.0, "rope_type": "yarn"},
    "sliding_window": null, "tie_word_embeddings": false, "vocab_size": 131072})");
}

TEST(Config, NemotronsRotationIsStretchedAndItsQueriesGrow) {
  const Architecture a = read(nemotron());
  EXPECT_EQ(a.query_cols(), 4096);
  EXPECT_FALSE(a.qkv_bias || a.qk_norm);
  EXPECT_EQ(a.attention.block, 32);
  EXPECT_TRUE(a.causal_context);
  EXPECT_EQ(a.rope_theta, 1e6);
  EXPECT_EQ(a.stretch, (RotationStretch{.factor = 16, .length = 16384}));
  EXPECT_EQ(a.query_growth, (RotationGrowth{.share = 0.1, .length = 16384}));
  EXPECT_FALSE(a.rotation().growth) << "keys do not grow";
  EXPECT_THAT(unknown(nemotron()), IsEmpty());
  Json named_before = without(nemotron(), "rope_parameters");
  named_before["rope_scaling"] = nemotron()["rope_parameters"];
  EXPECT_EQ(read(named_before).stretch, a.stretch);
  // As one published file has it: shorter than it was trained, by the factor that it says.
  Json shorter = with(nemotron(), "max_position_embeddings", 4096);
  shorter["rope_parameters"]["factor"] = 0.25;
  EXPECT_EQ(read(shorter).stretch->factor, 0.25);
}

TEST(Config, StretchedRotationsThatNoFileHasAreRefusedByName) {
  const auto rotating = [](const char* key, Json value) {
    Json json = nemotron();
    json["rope_parameters"][key] = std::move(value);
    return read(json);
  };
  EXPECT_ERROR(rotating("rope_type", "default"), "key 'rope_parameters.rope_type' is \"default\"");
  EXPECT_ERROR(rotating("rope_type", nullptr), "key 'rope_parameters.rope_type' is null");
  EXPECT_ERROR(rotating("short_factor", {1, 2}), "key 'rope_parameters.short_factor'");
  EXPECT_ERROR(rotating("factor", 8),
               "key 'rope_parameters.factor' is 8, but "
               "'max_position_embeddings' is 16 times the original 16384");
  EXPECT_ERROR(rotating("mscale", 0.7), "key 'rope_parameters.mscale' gives an attention factor");
  EXPECT_ERROR(rotating("attention_factor", 1.3), "key 'rope_parameters.attention_factor' gives");
  EXPECT_EQ(rotating("attention_factor", 1).stretch->factor, 16);
  EXPECT_FALSE(rotating("truncate", false).stretch->whole_pairs);
  EXPECT_FALSE(rotating("llama_4_scaling_beta", 0).query_growth);
  for (const char* key :
       {"factor", "rope_theta", "original_max_position_embeddings", "llama_4_scaling_beta"})
    EXPECT_ERROR(rotating(key, nullptr),
                 std::string("key 'rope_parameters.") + key + "' is missing");
  for (const Json& wrong : {Json(-1), Json(0), Json(1.5), Json("16"), Json(1e30)})
    EXPECT_ERROR(rotating("original_max_position_embeddings", wrong), "rope_parameters");
  EXPECT_ERROR(rotating("rope_theta", 1), "rope_theta");
  EXPECT_ERROR(read(with(nemotron(), "rope_parameters", 3)), "must be an object");
  EXPECT_ERROR(read(without(nemotron(), "rope_parameters")), "key 'rope_parameters' is missing");
  EXPECT_ERROR(read(with(nemotron(), "rope_theta", 1e4)), "but 'rope_theta' is 10000");
  EXPECT_ERROR(read(with(nemotron(), "rope_scaling", {{"rope_type", "yarn"}})),
               "key 'rope_scaling' differs from 'rope_parameters'");
}

TEST(Config, NemotronOfAnotherKindIsRefusedByName) {
  const auto refuses = [](const char* key, Json value) {
    EXPECT_ERROR(read(with(nemotron(), key, std::move(value))), std::string("key '") + key);
  };
  refuses("dlm_paradigm", "block_diff");
  refuses("dlm_paradigm", "autoregressive");
  refuses("attention_bias", true);
  refuses("mlp_bias", true);
  refuses("sliding_window", 4096);
  refuses("hidden_act", "gelu");
  refuses("use_qk_norm", true);
  refuses("num_experts", 8);
}

TEST(Config, KeysThatContradictAFamilyAreRefusedByName) {
  const Json sdar = qwen3("SDARForCausalLM", "sdar"), reasoner = qwen3("DreamForCausalLM", "Dream"),
             a2d = qwen3("A2DQwen3LMHeadModel", "a2d-qwen3"),
             illada = qwen3("ILLaDAForCausalLM", "illada");
  EXPECT_EQ(read(illada).attention.kind, AttentionKind::kFull);
  for (const Json& json : {sdar, reasoner, a2d, illada, fast_dllm()}) {
    const auto refuses = [&](const char* key, Json value) {
      EXPECT_ERROR(read(with(json, key, std::move(value))), std::string("key '") + key);
    };
    refuses("rope_scaling", {{"rope_type", "yarn"}, {"factor", 4}});
    refuses("use_sliding_window", true);
    refuses("hidden_act", "gelu");
    refuses("num_experts", 8);
    refuses("norm_head", true);
    refuses("attention_bias", json.contains("attention_bias"));
    if (json == illada) refuses("layer_norm_eps", 1e-5);
    if (json == illada) refuses("sliding_window", 4096);
    if (json != illada && json.contains("attention_bias")) refuses("use_qk_norm", false);
  }
}

TEST(Config, ContradictionsAreNamed) {
  EXPECT_ERROR(read(with(llada(), "embedding_size", 100)), "less than vocab_size");
  EXPECT_ERROR(read(with(llada(), "n_heads", 30)), "does not divide the hidden size");
  EXPECT_ERROR(read(with(dream(), "num_key_value_heads", 5)), "do not divide");
  EXPECT_ERROR(read(with(llada(), "n_heads", 1024)), "heads of size 4; multiples of 8");
  EXPECT_ERROR(read(with(llada(), "model_type", "olmo")), "key 'model_type' is 'olmo'");
  EXPECT_ERROR(read(with(dream(), "architectures", {"Qwen2ForCausalLM"})),
               "supported are LLaDAModelLM");
}

TEST(Config, ValuesOfTheWrongKindOrSizeAreRefused) {
  EXPECT_ERROR(read(with(llada(), "n_layers", -1)), "must be from 1 to 1000, not -1");
  EXPECT_ERROR(read(with(llada(), "n_layers", 1e30)), "must be an integer");
  EXPECT_ERROR(read(with(llada(), "n_layers", 18446744073709551615ull)), "must be from 1 to 1000");
  EXPECT_ERROR(read(with(llada(), "d_model", "4096")), "must be an integer");
  EXPECT_ERROR(read(with(llada(), "rope_theta", -1)), "rope_theta");
  EXPECT_ERROR(read(with(llada(), "architectures", "LLaDAModelLM")), "must be a list");
  EXPECT_ERROR(read(with(llada(), "architectures", Json::array())), "must be a list");
  EXPECT_ERROR(read_config("[]", "config.json"), "expected a JSON object");
}

}  // namespace
}  // namespace umf
