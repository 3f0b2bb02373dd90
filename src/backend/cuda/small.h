// The operations of small models. Over few rows they take less time than it takes to start them, so
// such a pass is one kernel: a cluster of blocks goes through the list and meets after each
// operation.
// Which operations are small follows from the model's shape, never from the rows: wherever one
// runs, in a list or by itself, the same code gives the same bits.
// Small models have activations in f32: rounding them to bf16 moves single predictions of so few
// and so sharp heads by several percent, and their passes are bound by latency, not by bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "backend/cuda/view.h"

namespace umf {

bool is_small(const ModelShape& shape);
// Whether these kernels take an operation on f32. A small model may have others (heads that are not
// 64 wide, rows that are not whole groups), which run by themselves, in f32 as well.
bool is_small(const Operation& op);
void launch_small(const Operation& op, cudaStream_t stream);

// Whether these can and should run as one kernel on the thread's GPU.
bool is_program(std::span<const Operation> operations);
// `program` is the list in the device's memory.
void launch_program(const Operation* program, int count, cudaStream_t stream);

}  // namespace umf
