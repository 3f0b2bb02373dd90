// Plain loops in double precision: the oracle of the tests and the fallback everywhere.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace umf {

std::unique_ptr<Backend> make_reference_backend();

}  // namespace umf
