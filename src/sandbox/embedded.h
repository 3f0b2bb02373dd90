// The Python modules of all folders (src/*/python/*.py), built into the program.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace umf {

// Name (without .py) and source, sorted by name.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_modules();

}  // namespace umf
