// Nemotron-Labs-Diffusion: Llama's keys and a stretched rotation; Qwen2's names without biases
// below an encoder of its own. A block of 32 behind the prompt sees itself both ways, what stands
// before it is seen causally (docs/models.md#causal-context).
#include "model/family.h"
#include "model/rope_config.h"

namespace umf {
namespace {

constexpr int kBlock = 32;

Architecture read(const Config& config) {
  Architecture a = read_qwen_shape(config);
  a.mlp = config.integer("intermediate_size", 8, 1 << 22);
  const StretchedRotation rotation = read_stretched_rotation(config, a.max_length);
  a.rope_theta = rotation.theta;
  a.stretch = rotation.stretch;
  a.query_growth = rotation.query_growth;
  config.expect("attention_bias", false);
  config.expect("mlp_bias", false);
  config.expect("sliding_window", nullptr);
  // Of training, but what a file of another paradigm means for its passes is not known.
  config.expect("dlm_paradigm", "bidirectional");
  config.ignore({"ar_loss_weight", "dlm_loss_weight", "dp_varying_mask_ratio"});
  read_blocks(config, "block_size", kBlock, a);
  a.causal_context = true;
  return a;
}

TensorNames names() {
  TensorNames names = qwen_style_names();
  names.embedding = "encoder.embed_tokens.weight";
  names.layer = "encoder.layers.";
  names.final_norm = "encoder.norm.weight";
  names.head = "diffusion_head.weight";
  return names;
}

}  // namespace

// The mask is a reserved token without a text of its own: config.json names it, or nobody.
const Family kNemotronDiffusion = {
    .name = "nemotron-diffusion",
    .classes = {{"NemotronLabsDiffusionModel", "nemotron_labs_diffusion"}},
    .read = read,
    .names = names(),
    .tokens = {.mask = "", .end_of_turn = "<|im_end|>", .other_ends = {}},
    .chat_template = "",
    .strategy = "low-confidence",
    .commit = "tau:0.9",
};

}  // namespace umf
