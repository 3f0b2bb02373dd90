// NumPy's file format for one float32 matrix.
#pragma once

#include <span>
#include <string>

namespace umf {

// Writes `values` (rows x cols, packed) to `path`, or to stdout for "-".
void write_npy(const std::string& path, std::span<const float> values, std::size_t rows,
               std::size_t cols);

}  // namespace umf
