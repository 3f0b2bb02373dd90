// LLaDA-8B and LLaDA-1.5: OLMo-style keys and names, full attention, plain softmax scores.
#include <fmt/core.h>

#include "model/family.h"
#include "model/rope_config.h"

namespace umf {
namespace {

Architecture read(const Config& config) {
  Architecture a;
  a.layers = config.integer("n_layers", 1, 1000);
  a.hidden = config.integer("d_model", 8, 1 << 20);
  a.attention.heads = config.integer("n_heads", 1, 4096);
  a.attention.kv_heads = config.integer_or("n_kv_heads", 1, 4096, a.attention.heads);
  a.attention.head_dim = shared_width(config, "n_heads", a.hidden, a.attention.heads);
  const int ratio = config.integer_or("mlp_ratio", 1, 64, 4);
  a.mlp = config.integer_or("mlp_hidden_size", 8, 1 << 22, ratio * a.hidden);
  const int vocab_size = config.integer("vocab_size", 2, 1 << 24);
  a.vocabulary = config.integer_or("embedding_size", 2, 1 << 24, vocab_size);
  if (a.vocabulary < vocab_size) {
    config.fail("embedding_size",
                fmt::format("is {}, less than vocab_size {}", a.vocabulary, vocab_size));
  }
  a.max_length = config.integer("max_sequence_length", 1, 1 << 24);
  a.rope_theta = read_rope_theta(config);
  a.norm_eps = static_cast<float>(config.number("rms_norm_eps", 0, 1));
  a.tied_head = config.flag("weight_tying").value_or(false);
  config.expect("block_type", "llama");
  config.expect("block_group_size", 1);
  config.expect("layer_norm_type", "rms");
  config.expect("layer_norm_with_affine", true);
  config.expect("bias_for_layer_norm", false);
  config.expect("activation_type", "silu");
  config.expect("rope", true);
  config.expect("rope_full_precision", true);
  config.expect("alibi", false);
  config.expect("include_bias", false);
  config.expect("include_qkv_bias", false);
  config.expect("input_emb_norm", false);
  config.expect("scale_logits", false);
  config.expect("attention_layer_norm", false);
  config.expect("multi_query_attention", nullptr);
  // Training, initialisation and kernels of the reference.
  config.ignore({"alibi_bias_max", "attention_dropout", "attention_layer_norm_with_affine",
                 "embedding_dropout", "flash_attention", "init_cutoff_factor", "init_device",
                 "init_fn", "init_std", "precision", "residual_dropout", "mask_token_id",
                 "eos_token_id", "pad_token_id", "bos_token_id",
                 // The published class looks at weight_tying alone.
                 "tie_word_embeddings"});
  return a;
}

}  // namespace

const Family kLlada = {
    .name = "llada",
    .classes = {{"LLaDAModelLM", "llada"}},
    .read = read,
    .heads_key = "n_heads",
    .tie_key = "weight_tying",
    .names = {.embedding = "model.transformer.wte.weight",
              .layer = "model.transformer.blocks.",
              .final_norm = "model.transformer.ln_f.weight",
              .head = "model.transformer.ff_out.weight",
              .attention_norm = "attn_norm.weight",
              .query = "q_proj",
              .key = "k_proj",
              .value = "v_proj",
              .attention_out = "attn_out.weight",
              .mlp_norm = "ff_norm.weight",
              // ff_proj is the one that goes through SiLU; a block's ff_out is the down projection.
              .gate = "ff_proj.weight",
              .up = "up_proj.weight",
              .down = "ff_out.weight"},
    .tokens = {.mask = "<|mdm_mask|>", .end_of_turn = "<|eot_id|>", .other_ends = {}},
    .chat_template = turns_with_headers(),
    .strategy = "low-confidence",
};

}  // namespace umf
