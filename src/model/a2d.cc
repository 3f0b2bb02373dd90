// Tiny-A2D: autoregressive models of other makers (Qwen3, Qwen2, Llama) that were trained on to
// fill masks. The files of its two kinds are alike: full attention, or blocks where the user names
// them.
#include "model/family.h"

namespace umf {
namespace {

constexpr int kBlock = 32;

Architecture read_full(const Config& config) {
  const std::string type = config.needed_text("model_type");
  if (type == "a2d-qwen3") return read_qwen3_style(config);
  if (type == "a2d-llama") return read_llama_style(config);
  return read_qwen2_style(config);
}

Architecture read_in_blocks(const Config& config) {
  Architecture a = read_full(config);
  read_blocks(config, "block_size", kBlock, a);
  return a;
}

Family full() {
  return {.name = "a2d",
          .classes = {{"A2DQwen3LMHeadModel", "a2d-qwen3"},
                      {"A2DQwen2LMHeadModel", "a2d-qwen2"},
                      {"A2DLlamaLMHeadModel", "a2d-llama"}},
          .read = read_full,
          .names = qwen3_style_names(),
          .tokens = {.mask = "<|mask|>", .end_of_turn = "<|im_end|>", .other_ends = {}},
          .chat_template = chatml(),
          .template_settings = "{% set enable_thinking = false %}",
          .strategy = "low-confidence"};
}

Family in_blocks() {
  Family family = full();
  family.name = "a2d-block";
  family.only_if_named = true;
  family.tempered_scores = true;
  family.read = read_in_blocks;
  family.commit = "tau:0.9";
  return family;
}

}  // namespace

const Family kA2d = full();
const Family kA2dBlock = in_blocks();

}  // namespace umf
