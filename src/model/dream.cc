// Dream, Dream-Coder and DiffuCoder: Qwen2 keys and names with q, k, v biases; full attention; the
// logits of a position stand one row earlier; scores from tempered, filtered probabilities.
#include "model/family.h"

namespace umf {

const Family kDream = {
    .name = "dream",
    .classes = {{"DreamModel", "Dream"}},
    .shifted = true,
    .tempered_scores = true,
    .read = read_qwen2_style,
    .names = qwen_style_names(),
    .tokens = {.mask = "<|mask|>", .end_of_turn = "<|im_end|>", .other_ends = {"<|dlm_pad|>"}},
    .chat_template = chatml("You are a helpful assistant."),
    .strategy = "entropy",
    .temperature = 0.1f,
    .top_p = 0.95f,
};

}  // namespace umf
