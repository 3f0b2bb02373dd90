// OpenCompass's second rule-based checker, which LLaDA's authors use.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// The answer inside a model's text: its last box, else a sentence that announces an answer, else
// the first sentence.
std::string opencompass_extract(std::string_view completion);

bool opencompass_equal(std::string_view gold, std::string_view answer);

}  // namespace umf
