// Fast-dLLM v2: a Qwen2.5 in blocks of 32, shifted as Dream is: row i - 1 predicts position i, also
// where it is the last row of the block before (docs/models.md#shifted-blocks).
#include "model/family.h"

namespace umf {
namespace {

constexpr int kBlock = 32;

Architecture read(const Config& config) {
  Architecture a = read_qwen2_style(config);
  config.expect("attention_bias", true);
  read_blocks(config, "bd_size", kBlock, a);
  return a;
}

}  // namespace

const Family kFastDllm = {
    .name = "fast-dllm",
    .classes = {{"Fast_dLLM_QwenForCausalLM", "Fast_dLLM_Qwen"}},
    .shifted = true,
    .tempered_scores = true,
    .read = read,
    .names = qwen_style_names(),
    .tokens = {.mask = "|<MASK>|",
               .end_of_turn = "<|im_end|>",
               .other_ends = {},
               .mask_id = 151665},
    .chat_template = chatml("You are a helpful assistant."),
    .strategy = "low-confidence",
    .commit = "tau:0.9",
    .block_length = 8,
};

}  // namespace umf
