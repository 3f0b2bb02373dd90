// What is built into programs that link umf_assets and ask for it.
#pragma once

#include <span>

#include "base/folder.h"

namespace umf {

// assets/models: the embedded models, the strongest first.
std::span<const BuiltInFolder> built_in_models();

// examples/: problems to try, in one folder.
std::span<const BuiltInFolder> built_in_examples();

}  // namespace umf
