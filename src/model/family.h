// What distinguishes one family of models from another: keys, names, tokens, prompt, recommended
// action.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/tensor.h"
#include "model/config.h"

namespace umf {

// The shape of a transformer, read from config.json.
struct Architecture {
  int layers = 0, hidden = 0, mlp = 0;
  int vocabulary = 0;  // rows of the embedding and the head; the tokenizer may know fewer
  int max_length = 0;
  AttentionShape attention;
  double rope_theta = 0;
  float norm_eps = 0;
  bool qkv_bias = false;
  bool qk_norm = false;    // every head of queries and keys is normalised before it is rotated
  bool tied_head = false;  // the head is the embedding

  int query_cols() const { return attention.heads * attention.head_dim; }
  int kv_cols() const { return attention.kv_heads * attention.head_dim; }
  ModelShape shape() const { return {hidden, mlp, vocabulary, attention}; }
};

// Names in the safetensors files. `layer` stands before the names of layer N as layer + "N.".
struct TensorNames {
  std::string embedding, layer, final_norm, head;
  std::string attention_norm, query, key, value, attention_out;
  std::string mlp_norm, gate, up, down;
  std::string query_norm = {}, key_norm = {};  // where there is a q/k norm
};

// The texts of the special tokens, for checkpoints whose configuration does not give the ids.
struct TokenTexts {
  std::string mask, end_of_turn;
  std::vector<std::string> other_ends;  // texts that end an answer where the tokenizer knows them
};

struct Family {
  std::string name;  // "llada"
  // config.json's architectures[0] and model_type. It is the pair that names a family: either may
  // stand for another one beside another partner.
  std::string architecture, model_type;
  bool diffusion = true;  // false: a reward model
  // What the logits of a position are: row i - 1 (Dream), or row i.
  bool shifted = false;
  // Scores from tempered and filtered probabilities (Dream), or from the plain softmax (LLaDA).
  bool tempered_scores = false;
  Architecture (*read)(const Config& config);
  std::string heads_key = "num_attention_heads";  // what config.json calls the number of heads
  TensorNames names;
  // Tensors that a file may hold besides, and nothing is computed from.
  std::vector<std::string> unused_tensors = {};
  TokenTexts tokens;
  // The prompt layout for a checkpoint without a template of its own (docs/models.md#prompts).
  std::string chat_template;
  // The recommended deterministic action.
  std::string strategy;
  float temperature = 0, top_p = 1;
};

// All families, in the order they are listed to users; each has its file.
extern const Family kLlada, kDream, kStableDiffcoder, kQwenPrm;
inline constexpr const Family* kFamilies[] = {&kLlada, &kDream, &kStableDiffcoder, &kQwenPrm};

// The family of a configuration, by its architecture and model type; an unknown pair is an Error
// that lists the known.
const Family& find_family(const Config& config,
                          std::span<const Family* const> families = kFamilies);

// The keys that Qwen2- and Llama-style configurations share.
Architecture read_qwen_style(const Config& config);
// The tensor names that they share.
TensorNames qwen_style_names();
// The width of a head where the heads share the hidden size; an Error where they cannot.
int shared_width(const Config& config, const std::string& heads_key, int hidden, int heads);
// Checks what must hold for every family: heads divide, dimensions are usable.
void check(const Architecture& architecture, const Config& config, const std::string& heads_key);

}  // namespace umf
