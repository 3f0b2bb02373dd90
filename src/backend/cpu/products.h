// Products of rows with weights: how they are cut into tasks for the threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/workspace.h"

namespace umf {

struct CpuLinear : Linear {
  std::vector<HostTensor> parts;  // views of the mapped file
  std::vector<float> bias;        // empty, or one number per output
  // Kernels::has_small of the parts, once a product has asked.
  mutable std::optional<bool> small;
};

// Of parts that share their input width.
std::shared_ptr<CpuLinear> make_linear(std::span<const HostTensor> parts);

class CpuProducts {
 public:
  // Both must outlive it.
  CpuProducts(const Kernels& kernels, Workspace& workspace)
      : kernels_(kernels), workspace_(workspace), own_inputs_(workspace.pool.threads()) {}

  // out = x W^T + b for the output columns [first, first + out.cols) of `weight`.
  void multiply(const Matrix& x, const CpuLinear& weight, int first, const Matrix& out) {
    multiply(x, weight, product_kernels(weight), first, false, out);
  }
  // out += x W^T
  void multiply_add(const Matrix& x, const CpuLinear& weight, const Matrix& out) {
    multiply(x, weight, product_kernels(weight), 0, true, out);
  }
  // out = x W^T of the numbers as they are, whatever other products round them to.
  void multiply_exactly(const Matrix& x, const CpuLinear& weight, const Matrix& out) {
    multiply(x, weight, kernels_.exact_product, 0, false, out);
  }

 private:
  const ProductKernels& product_kernels(const CpuLinear& weight);
  void multiply(const Matrix& x, const CpuLinear& weight, const ProductKernels& kernels, int first,
                bool add, const Matrix& out);
  void multiply_rows(const Matrix& x, const CpuLinear& weight, const ProductKernels& kernels,
                     int first, bool add, const Matrix& out);
  // Output columns [first, first + columns) of `weight`, as slices of its parts.
  void slice(const CpuLinear& weight, int first, int columns);
  void choose_blocks(int tiles, MatmulJob& job) const;

  const Kernels& kernels_;
  Workspace& workspace_;
  // The input of one product, packed by one thread for itself. A cache line each.
  struct alignas(64) OwnInput {
    Scratch packed;
    std::uint64_t product = 0;
  };
  std::vector<OwnInput> own_inputs_;
  std::uint64_t product_ = 0;  // counts products
  std::vector<WeightSlice> slices_;
  int panels_ = 0;
};

}  // namespace umf
