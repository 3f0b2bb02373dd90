// LaTeX text as it is written, brought into the form that the parser reads.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// Which boxes of a text count: all of them, joined by commas, or the last and those close to it.
enum class Boxes { kAll, kLast };

// The boxed part of `latex`, or all of it where nothing is boxed.
std::string boxed_content(std::string_view latex, Boxes boxes);

std::string normal_latex(std::string_view latex, Boxes boxes);

}  // namespace umf
