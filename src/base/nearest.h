// The name that was meant.
#pragma once

#include <string>
#include <vector>

namespace umf {

// The entry of `known` that is nearest to `word`, or "" when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace umf
