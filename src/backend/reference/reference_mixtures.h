// Mixtures of experts in plain loops.
#pragma once

#include <memory>

#include "backend/mixtures.h"

namespace umf {

std::unique_ptr<Mixtures> make_reference_mixtures();

}  // namespace umf
