// The operations of small models. Alone they take less time than it takes to start them, so a whole
// pass is one kernel: a cluster of blocks goes through the list and meets after each operation.
// Which operations are small follows from the model's shape, never from the rows: wherever one
// runs, in a list or by itself, the same code gives the same bits.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "backend/cuda/view.h"

namespace umf {

bool is_small(const Operation& op);
void launch_small(const Operation& op, cudaStream_t stream);

// Whether these can and should run as one kernel on this GPU.
bool is_program(std::span<const Operation> operations);
// `program` is the list in the device's memory.
void launch_program(const Operation* program, int count, cudaStream_t stream);

}  // namespace umf
