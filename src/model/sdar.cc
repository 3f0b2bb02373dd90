// SDAR, TraDo and DiRL: Qwen3 keys and names; a position sees its own block (of four, where the
// file does not say otherwise) and everything before it. SDAR-30B-A3B has Qwen3-MoE's experts.
#include "model/family.h"

namespace umf {
namespace {

constexpr int kBlock = 4;

Architecture in_blocks(const Config& config, Architecture a) {
  read_blocks(config, "block_size", kBlock, a);
  // Training, and kernels of the reference.
  config.ignore(
      {"debug", "ep_size", "fuse_cross_entropy", "micro_forward", "skip_checkpoint", "use_deepep"});
  return a;
}

Architecture read_dense(const Config& config) {
  return in_blocks(config, read_qwen3_style(config));
}

Architecture read_mixture(const Config& config) {
  return in_blocks(config, read_qwen3_mixture(config, /*normalised=*/false));
}

Family dense() {
  return {.name = "sdar",
          .classes = {{"SDARForCausalLM", "sdar"}},
          .tempered_scores = true,
          .read = read_dense,
          .names = qwen3_style_names(),
          .tokens = {.mask = "<|MASK|>",
                     .end_of_turn = "<|im_end|>",
                     .other_ends = {},
                     .mask_id = 151669},
          .chat_template = chatml(),
          .strategy = "low-confidence",
          .commit = "tau:0.9"};
}

Family mixture() {
  Family family = dense();
  family.name = "sdar-moe";
  family.classes = {{"SDARMoeForCausalLM", "sdar_moe"}};
  family.read = read_mixture;
  family.names = qwen3_mixture_names();
  return family;
}

}  // namespace

const Family kSdar = dense();
const Family kSdarMoe = mixture();

}  // namespace umf
