// From template source to its syntax tree.
#pragma once

#include <memory>
#include <string_view>

#include "jinja/ast.h"

namespace umf::jinja {

// Throws Error with line and column for bad syntax, for what is not supported, and for a source
// that is too large, too deeply nested or not UTF-8.
std::unique_ptr<const Template> parse(std::string_view source);

}  // namespace umf::jinja
