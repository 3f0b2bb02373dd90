// SDAR, TraDo and DiRL: Qwen3 keys and names; a position sees its own block (of four, where the
// file does not say otherwise) and everything before it. SDAR-30B-A3B has Qwen3-MoE's experts.
// DreamReasoner is the same as SDAR in blocks of 32, neither shifted nor seeing both ways as Dream
// does, whose model type it has.
#include "model/family.h"

namespace umf {
namespace {

Architecture in_blocks(const Config& config, int block, Architecture a) {
  read_blocks(config, "block_size", block, a);
  // Training, and kernels of the reference.
  config.ignore(
      {"debug", "ep_size", "fuse_cross_entropy", "micro_forward", "skip_checkpoint", "use_deepep"});
  return a;
}

template <int kBlock>
Architecture read_dense(const Config& config) {
  return in_blocks(config, kBlock, read_qwen3_style(config));
}

Architecture read_mixture(const Config& config) {
  return in_blocks(config, 4, read_qwen3_mixture(config, /*normalised=*/false));
}

Family dense() {
  return {.name = "sdar",
          .classes = {{"SDARForCausalLM", "sdar"}},
          .tempered_scores = true,
          .read = read_dense<4>,
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

Family dream_reasoner() {
  Family family = dense();
  family.name = "dream-reasoner";
  family.classes = {{"DreamForCausalLM", "Dream"}};
  family.read = read_dense<32>;
  family.tokens.mask = "<|mask|>";
  return family;
}

}  // namespace

const Family kSdar = dense();
const Family kSdarMoe = mixture();
const Family kDreamReasoner = dream_reasoner();

}  // namespace umf
