// NumPy's file format for one float32 matrix.
#pragma once

#include <span>
#include <string>

namespace umf {

// The file that holds `values` (rows x cols, packed).
std::string npy_file(std::span<const float> values, std::size_t rows, std::size_t cols);

}  // namespace umf
