// Activations and weights of the plain loops, number by number.
#pragma once

#include <cstddef>
#include <vector>

#include "backend/blocks.h"
#include "backend/tensor.h"
#include "backend/widen.h"

namespace umf {

inline float* row_of(const Matrix& x, int row) {
  return static_cast<float*>(x.memory.get()) + x.offset + static_cast<std::size_t>(row) * x.stride;
}

inline std::vector<float> row_of(const HostTensor& tensor, int row) {
  std::vector<float> numbers(tensor.cols);
  if (is_quantised(tensor.type)) {
    dequantise(tensor.type, tensor.data + row * row_bytes(tensor.type, tensor.cols), numbers);
    return numbers;
  }
  for (int i = 0; i < tensor.cols; ++i) {
    numbers[i] = element(tensor, static_cast<std::size_t>(row) * tensor.cols + i);
  }
  return numbers;
}

inline float dot(const float* x, const std::vector<float>& weights, double bias = 0) {
  double sum = bias;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += static_cast<double>(x[k]) * weights[k];
  return static_cast<float>(sum);
}

}  // namespace umf
