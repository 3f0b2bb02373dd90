// The sandbox behind given walls.
#pragma once

#include <memory>

#include "sandbox/launch.h"
#include "sandbox/sandbox.h"

namespace umf {

// Throws Error where Python is missing or the walls cannot be had.
std::unique_ptr<Sandbox> make_warm_sandbox(Walls walls, int workers);

}  // namespace umf
