// SDAR, TraDo and DiRL: Qwen3 keys and names; a position sees its own block (of four, where the
// file does not say otherwise) and everything before it.
#include "model/family.h"

namespace umf {
namespace {

constexpr int kBlock = 4;

Architecture read(const Config& config) {
  Architecture a = read_qwen3_style(config);
  read_blocks(config, "block_size", kBlock, a);
  // Training, and kernels of the reference.
  config.ignore(
      {"debug", "ep_size", "fuse_cross_entropy", "micro_forward", "skip_checkpoint", "use_deepep"});
  return a;
}

}  // namespace

const Family kSdar = {
    .name = "sdar",
    .classes = {{"SDARForCausalLM", "sdar"}},
    .tempered_scores = true,
    .read = read,
    .names = qwen3_style_names(),
    .tokens = {.mask = "<|MASK|>",
               .end_of_turn = "<|im_end|>",
               .other_ends = {},
               .mask_id = 151669},
    .chat_template = chatml(),
    .strategy = "low-confidence",
    .commit = "tau:0.9",
};

}  // namespace umf
