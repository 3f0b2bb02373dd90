// The files of page/web, built into the program.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace umf {

// Name and text of each, by name.
const std::vector<std::pair<std::string_view, std::string_view>>& web_files();

}  // namespace umf
