// Dream, Dream-Coder and DiffuCoder: Qwen2 keys and names with q, k, v biases; full attention; the
// logits of a position stand one row earlier; scores from tempered, filtered probabilities.
#include "model/family.h"

namespace umf {
namespace {

Architecture read(const Config& config) {
  Architecture a = read_qwen_style(config);
  a.qkv_bias = true;
  return a;
}

}  // namespace

const Family kDream = {
    .name = "dream",
    .architecture = "DreamModel",
    .model_type = "Dream",
    .shifted = true,
    .tempered_scores = true,
    .read = read,
    .names = qwen_style_names(),
    .tokens = {.mask = "<|mask|>", .end_of_turn = "<|im_end|>", .other_ends = {"<|dlm_pad|>"}},
    .chat_template =
        "{% if messages[0]['role'] != 'system' %}"
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}"
        "{% for message in messages %}"
        "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>{{ '\\n' }}{% endfor "
        "%}"
        "{% if add_generation_prompt %}<|im_start|>assistant{{ '\\n' }}{% endif %}",
    .strategy = "entropy",
    .temperature = 0.1f,
    .top_p = 0.95f,
};

}  // namespace umf
