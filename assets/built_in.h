// What is built into programs that link umf_assets and ask for it.
#pragma once

#include <span>

#include "base/folder.h"

namespace umf {

// assets/models: the embedded models, the strongest first.
std::span<const BuiltInFolder> built_in_models();

// examples/: problems to try, in one folder.
std::span<const BuiltInFolder> built_in_examples();

// assets/configuration/search.json: how the embedded models are searched where nobody says
// otherwise; as --config reads it.
std::span<const BuiltInFolder> built_in_configuration();

}  // namespace umf
