// LaTeX text as it is written, brought into the form that the parser reads.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// Which boxes of a text count: all of them, joined by commas, or the last and those close to it.
enum class Boxes { kAll, kLast };

// The boxed part of `latex`, or all of it where nothing is boxed.
std::string boxed_content(std::string_view latex, Boxes boxes);

// As the reference has it, for showing; it takes terms for units (2\mathbf{i}+3\mathbf{j} becomes
// 2).
std::string normal_latex(std::string_view latex, Boxes boxes);

// The same, but for what the writer meant: only units are cut off, and all the ways in which LaTeX
// separates groups of three digits make one number. Values are read from this.
std::string meant_latex(std::string_view latex, Boxes boxes);

}  // namespace umf
