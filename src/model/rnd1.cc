// RND1: a Qwen3-MoE that sees both ways, shifted as Dream is, and goes by the entropy of tempered
// probabilities.
#include "model/family.h"

namespace umf {
namespace {

Architecture read(const Config& config) {
  config.expect("is_causal", false);
  config.ignore({"moe_backend", "num_diffusion_steps"});  // the class's own loop and kernels
  // As the published class has it where a file does not say.
  return read_qwen3_mixture(config, /*normalised=*/true);
}

}  // namespace

const Family kRnd1 = {
    .name = "rnd1",
    .classes = {{"RND1LM", "rnd1"}, {"RND1", "rnd1"}},
    .shifted = true,
    .tempered_scores = true,
    .read = read,
    .names = qwen3_mixture_names(),
    .tokens = {.mask = "<|mask|>",
               .end_of_turn = "<|im_end|>",
               .other_ends = {},
               .mask_id = 151669},
    // It was trained on texts, not on conversations.
    .chat_template =
        "{% for message in messages %}"
        "{{ 'Answer:' if message['role'] == 'assistant' else 'Question:' }} "
        "{{ message['content'] }}{{ '\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}Answer:{% endif %}",
    .strategy = "entropy",
    .temperature = 0.1f,
};

}  // namespace umf
