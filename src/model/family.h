// What distinguishes one family of models from another: keys, names, tokens, prompt, recommended
// action.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/tensor.h"
#include "model/config.h"

namespace umf {

// The layers that have experts.
struct MixtureShape {
  Routing routing;
  bool biased = false;       // the router has a bias
  int width = 0;             // of an expert
  int shared_width = 0;      // of the one that every row goes through; 0: there is none
  std::vector<bool> layers;  // which
};

// The shape of a transformer, read from config.json.
struct Architecture {
  int layers = 0, hidden = 0;
  int mlp = 0;         // of layers without experts; 0 where there are none
  int vocabulary = 0;  // rows of the embedding and the head; the tokenizer may know fewer
  int max_length = 0;
  AttentionShape attention;
  double rope_theta = 0;
  int rotated = 0;  // of a head's numbers, the first; 0: all
  std::optional<RotationStretch> stretch = {};
  std::optional<RotationGrowth> query_growth = {};  // of queries alone
  float norm_eps = 0;
  bool qkv_bias = false;
  bool qk_norm = false;    // every head of queries and keys is normalised before it is rotated
  bool tied_head = false;  // the head is the embedding
  std::optional<MixtureShape> mixture = {};
  // Blocks are counted from the end of the prompt. One of them is worked on at a time: it sees all
  // before it and, both ways, itself; what stands before it is seen as it sees itself, causally
  // (docs/models.md#causal-context).
  bool causal_context = false;

  int query_cols() const { return attention.heads * attention.head_dim; }
  int kv_cols() const { return attention.kv_heads * attention.head_dim; }
  RotationShape rotation() const { return {attention.head_dim, rope_theta, rotated, stretch}; }
  RotationShape query_rotation() const {
    return {attention.head_dim, rope_theta, rotated, stretch, query_growth};
  }
  bool has_experts(int layer) const { return mixture && mixture->layers[layer]; }
  // Of the MLP that every row goes through; 0 where experts are all that a layer has.
  int dense_width(int layer) const {
    return mixture && mixture->layers[layer] ? mixture->shared_width : mlp;
  }
  // Of all that a row goes through.
  int active_width(int layer) const;
  ModelShape shape() const;
};

// Names in a layer with experts. Those of expert N stand behind `expert` + "N.".
struct ExpertNames {
  std::string router, bias;
  std::string expert, gate, up, down;
  std::string shared_gate = {}, shared_up = {}, shared_down = {};
  // One tensor of all experts, (experts, outputs, inputs), which a file may have instead; in the
  // fourth the rows of gate and up.
  std::string stacked_gate = {}, stacked_up = {}, stacked_down = {}, stacked_gate_up = {};
};

// Names in the safetensors files. `layer` stands before the names of layer N as layer + "N.".
struct TensorNames {
  std::string embedding, layer, final_norm, head;
  std::string attention_norm, query, key, value, attention_out;
  std::string mlp_norm, gate, up, down;
  std::string query_norm = {}, key_norm = {};  // where there is a q/k norm
  // The rows of query, key and value in one tensor, where it takes the place of the three.
  std::string query_key_value = {};
  ExpertNames experts = {};
};

// The texts of the special tokens, for checkpoints whose configuration does not give the ids.
struct TokenTexts {
  std::string mask, end_of_turn;
  std::vector<std::string> other_ends;  // texts that end an answer where the tokenizer knows them
  // The mask where the files name none and have no token of that text: a special token, or it is
  // not taken.
  std::optional<Token> mask_id = {};
};

// What config.json calls a model: architectures[0] and model_type. It is the pair that names a
// family: either may stand for another one beside another partner.
struct ModelClass {
  std::string architecture, model_type;
  bool operator==(const ModelClass&) const = default;
};

struct Family {
  std::string name;  // "llada"
  std::vector<ModelClass> classes;
  // Other models have the same classes: it is this family only where the user says so.
  bool only_if_named = false;
  bool diffusion = true;  // false: a reward model
  // What the logits of a position are: row i - 1 (Dream), or row i.
  bool shifted = false;
  // Scores from tempered and filtered probabilities (Dream), or from the plain softmax (LLaDA).
  bool tempered_scores = false;
  Architecture (*read)(const Config& config);
  std::string heads_key = "num_attention_heads";  // what config.json calls the number of heads
  std::string tie_key = "tie_word_embeddings";    // and whether the head is the embedding
  TensorNames names;
  // Tensors that a file may hold besides, and nothing is computed from.
  std::vector<std::string> unused_tensors = {};
  TokenTexts tokens;
  // The prompt layout for a checkpoint without a template of its own (docs/models.md#prompts);
  // empty where none is known.
  std::string chat_template;
  // Statements before a checkpoint's own template: variables that it shall find set.
  std::string template_settings = {};
  // The recommended deterministic action: the published loop as far as an action says it.
  std::string strategy;
  std::string commit = "one", remask = "none";
  float temperature = 0, top_p = 1;
  float edit = 1;  // committed cells of a block are rewritten by tokens surer than this; 1: never
  // Cells that it fills before it goes on, and whether without seeing the masks behind them; 0: as
  // the attention has it.
  int block_length = 0;
  bool grow = false;
};

// All families, in the order they are listed to users; each has its file.
extern const Family kLlada, kDream, kStableDiffcoder, kSdar, kDreamReasoner, kIllada, kA2d,
    kA2dBlock, kOpenDcoder, kFastDllm, kLladaMoe, kSdarMoe, kRnd1, kLlada2, kLlada21,
    kNemotronDiffusion, kQwenPrm;
inline constexpr const Family* kFamilies[] = {&kLlada,
                                              &kDream,
                                              &kStableDiffcoder,
                                              &kSdar,
                                              &kDreamReasoner,
                                              &kIllada,
                                              &kA2d,
                                              &kA2dBlock,
                                              &kOpenDcoder,
                                              &kFastDllm,
                                              &kLladaMoe,
                                              &kSdarMoe,
                                              &kRnd1,
                                              &kLlada2,
                                              &kLlada21,
                                              &kNemotronDiffusion,
                                              &kQwenPrm};

// The family of a configuration, by its architecture and model type; an unknown pair is an Error
// that lists the known. `named` is what the user says that it is, and must be of this pair; empty
// where nothing is said.
const Family& find_family(const Config& config, const std::string& named = "",
                          std::span<const Family* const> families = kFamilies);

// The layout for a checkpoint of the family, at `place`, that has no template of its own. Throws
// Error where none is known.
const std::string& template_of(const Family& family, const std::string& place);

// The keys that Qwen2- and Llama-style configurations share: all but rotation and MLP, and all.
Architecture read_qwen_shape(const Config& config);
Architecture read_qwen_style(const Config& config);
// The tensor names that they share.
TensorNames qwen_style_names();
// The same for Qwen2-style configurations: biases of q, k and v.
Architecture read_qwen2_style(const Config& config);
// The same for Qwen3-style configurations: no biases, a q/k norm, heads of any width.
Architecture read_qwen3_style(const Config& config);
TensorNames qwen3_style_names();
// The same with experts: Qwen3-MoE's keys, of which `normalised` is what a file means that does not
// say whether weights are divided by their sum.
Architecture read_qwen3_mixture(const Config& config, bool normalised);
TensorNames qwen3_mixture_names();
// The keys of Llama-style ones, which name what Qwen2 takes for granted.
Architecture read_llama_style(const Config& config);
// Attention in blocks that are counted from position 0: `key` of the configuration, or `otherwise`.
void read_blocks(const Config& config, const std::string& key, int otherwise, Architecture& a);
// ChatML, the layout of Qwen's models; with a system message for conversations that have none.
std::string chatml(const std::string& system = "");
// The layout of Ling's models: roles between tags; without a system message, one that switches
// thinking off.
std::string turns_with_roles();
// LLaDA's layout: headers that name the role. The answer is always opened.
std::string turns_with_headers();

// The width of a head where the heads share the hidden size; an Error where they cannot.
int shared_width(const Config& config, const std::string& heads_key, int hidden, int heads);
// Checks what must hold for every family: heads divide, dimensions are usable.
void check(const Architecture& architecture, const Config& config, const std::string& heads_key);

}  // namespace umf
