// Open-dCoder: a Qwen2 that fills masks as Dream does, and may mask what it wrote again, in files
// that are those of any Qwen2.
#include "model/family.h"

namespace umf {

const Family kOpenDcoder = {
    .name = "open-dcoder",
    .classes = {{"Qwen2ForCausalLM", "qwen2"}},
    .only_if_named = true,
    .shifted = true,
    .tempered_scores = true,
    .read = read_qwen2_style,
    .names = qwen_style_names(),
    .tokens = {.mask = "[MASK]", .end_of_turn = "<|im_end|>", .other_ends = {}},
    .chat_template = chatml("You are a helpful assistant."),
    .strategy = "low-confidence",
    .remask = "p2",
};

}  // namespace umf
