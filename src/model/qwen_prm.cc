// Qwen2.5-Math-PRM: a causal Qwen2 whose head scores the steps of a solution.
#include "model/family.h"

namespace umf {
namespace {

Architecture read(const Config& config) {
  Architecture a = read_qwen2_style(config);
  a.attention.kind = AttentionKind::kCausal;
  config.expect("num_labels", 2);
  return a;
}

TensorNames names() {
  TensorNames names = qwen_style_names();
  names.head.clear();
  return names;
}

}  // namespace

const Family kQwenPrm = {
    .name = "qwen-prm",
    .classes = {{"Qwen2ForProcessRewardModel", "qwen2"}},
    .diffusion = false,
    .read = read,
    .names = names(),
    .unused_tensors = {"lm_head.weight"},
    .tokens = {.mask = "", .end_of_turn = "<|im_end|>", .other_ends = {}},
    .chat_template = chatml(),
    .strategy = "",
};

}  // namespace umf
