// Units that stand at the end of an answer and are not part of it.
#pragma once

#include <string>

namespace umf {

// As the reference has it, a letter after a number is a unit, too: its 2t and 2ab are 2.
enum class Units { kAsReference, kAsMeant };

// `text` without a unit word (or its plural) at its very end, where a digit, a closing brace or
// white space stands before it.
std::string without_final_unit(const std::string& text, Units units);

}  // namespace umf
