// Numbers as they are stored: rounded to a plain type, or packed into GGUF's blocks.
#pragma once

#include <cstddef>
#include <span>

#include "backend/tensor.h"

namespace umf {

// Row `row` of a stored matrix of any type as numbers.
void read_row(const HostTensor& tensor, int row, std::span<float> out);

// `numbers`, whole blocks of them, as `type` stores them: row_bytes() bytes. They are finite and,
// but for F32 and BF16, no larger than the largest half, 65504. The same bits on every machine
// (docs/models.md#writing-gguf-files tells how factors are chosen).
void write_row(DType type, std::span<const float> numbers, std::byte* out);

}  // namespace umf
