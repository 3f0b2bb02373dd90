// DreamReasoner: a Qwen3 in blocks of 32 like SDAR's; neither shifted nor seeing both ways as Dream
// does, whose model type it has.
#include "model/family.h"

namespace umf {
namespace {

constexpr int kBlock = 32;

Architecture read(const Config& config) {
  Architecture a = read_qwen3_style(config);
  read_blocks(config, "block_size", kBlock, a);
  return a;
}

}  // namespace

const Family kDreamReasoner = {
    .name = "dream-reasoner",
    .classes = {{"DreamForCausalLM", "Dream"}},
    .tempered_scores = true,
    .read = read,
    .names = qwen3_style_names(),
    .tokens = {.mask = "<|mask|>",
               .end_of_turn = "<|im_end|>",
               .other_ends = {},
               .mask_id = 151669},
    .chat_template = chatml(),
    .strategy = "low-confidence",
    .commit = "tau:0.9",
};

}  // namespace umf
