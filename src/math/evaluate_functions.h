// The functions with a name, on numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "math/complex.h"

namespace umf {

// Nothing where the function is not defined or not computed there.
std::optional<Complex> evaluate_function(const std::string& name, const std::vector<Complex>& args);

}  // namespace umf
