// iLLaDA: Llama keys, Qwen2 names without biases, a head that is the embedding; full attention.
#include "model/family.h"

namespace umf {

const Family kIllada = {
    .name = "illada",
    .classes = {{"ILLaDAForCausalLM", "illada"}},
    .read = read_llama_style,
    .names = qwen_style_names(),
    .tokens = {.mask = "<[MASK]>", .end_of_turn = "<|eot_id|>", .other_ends = {}, .mask_id = 5},
    .chat_template = turns_with_headers(),
    .strategy = "low-confidence",
    .block_length = 32,
    .grow = true,
};

}  // namespace umf
