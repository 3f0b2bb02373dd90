// The front end's modules as one script.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umf {

using WebFiles = std::vector<std::pair<std::string_view, std::string_view>>;  // name and text

// The module `main` of `files` and all it imports, each once and after what it imports: imports and
// the word `export` are taken away, as all share one scope then. So modules are written with one
// import per line, `import { a, b } from "./x.js";`, export declarations alone, and never use a
// top-level name twice. Throws Error for a module that is not there and for imports in a circle.
std::string bundle(const WebFiles& files, std::string_view main);

}  // namespace umf
