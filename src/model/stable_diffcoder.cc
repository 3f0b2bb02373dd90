// Stable-DiffCoder: Llama keys, Qwen2 names without biases; a position sees its own block of four
// and everything before it, counted from position 0 of the whole sequence.
#include "model/family.h"

namespace umf {
namespace {

constexpr int kBlock = 4;

Architecture read(const Config& config) {
  Architecture a = read_llama_style(config);
  read_blocks(config, "block_size", kBlock, a);
  return a;
}

}  // namespace

const Family kStableDiffcoder = {
    .name = "stable-diffcoder",
    .classes = {{"StableDiffcoderForCausalLM", "llama"}},
    .read = read,
    .names = qwen_style_names(),
    .tokens = {.mask = "<[MASK_TOKEN]>", .end_of_turn = "", .other_ends = {}},
    .chat_template =
        "{% if messages[0]['role'] != 'system' %}{{ bos_token }}system\n"
        "You are an AI programming assistant, utilizing the Seed-Coder model, developed by "
        "ByteDance "
        "Seed, and you only answer questions related to computer science. For politically "
        "sensitive "
        "questions, security and privacy issues, and other non-computer science questions, you "
        "will "
        "refuse to answer.\n\n{{ eos_token }}{% endif %}"
        "{% for message in messages %}{{ bos_token }}{{ message['role'] }}\n"
        "{{ message['content'] | trim }}{{ eos_token }}{% endfor %}"
        "{% if add_generation_prompt %}{{ bos_token }}assistant{{ '\\n' }}{% endif %}",
    .strategy = "low-confidence",
};

}  // namespace umf
