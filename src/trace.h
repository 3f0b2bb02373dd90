// A search as JSON Lines, one event per rollout.
#pragma once

#include <string>

#include "solve.h"

namespace umf {

std::string trace_line(const RolloutEvent& event);  // with its newline

}  // namespace umf
