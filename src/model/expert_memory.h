// What the experts of a mixture take, and how much of such a model works on one row.
#pragma once

#include <cstdint>

#include "model/checkpoint.h"

namespace umf {

struct ExpertMemory {
  std::uint64_t bytes = 0;              // of all experts that rows are sent to
  std::uint64_t active_parameters = 0;  // of the whole model, for one row
};

// Of a checkpoint with experts.
ExpertMemory expert_memory(const Checkpoint& checkpoint);

}  // namespace umf
