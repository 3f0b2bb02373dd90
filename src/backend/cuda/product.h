// Matrix products of bf16 and kF8 weights through cuBLASLt.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <map>
#include <vector>

#include "backend/cuda/memory.h"
#include "backend/cuda/view.h"

namespace umf {

// What an algorithm is chosen for.
struct ProductShape {
  int inputs = 0, outputs = 0, rows = 0;  // rows rounded up by row_bucket
  int alignment = 16;                     // of all addresses and strides, in bytes
  DType in = DType::kBF16, out = DType::kBF16;
  bool bias = false, add = false;
  auto operator<=>(const ProductShape&) const = default;
};

// Passes differ in their rows at every step; neighbours share a choice.
int row_bucket(int rows);
ProductShape shape_of(const Operation& op);
// The library multiplies bf16 of any shape, and kF8 where rows consist of whole 16-byte words.
bool is_library_product(const Operation& op);

// A result must depend neither on the machine's mood nor on the number of rows. So a shape without
// rows has one canonical algorithm, the library's own first choice for 1024 rows, and for each
// number of rows the fastest is taken, by measurement, of those that give its bits: of the
// library's algorithms and, for few rows, of our own kernels. Sums split over several blocks are
// excluded from the start.
class Products {
 public:
  explicit Products(cudaStream_t stream, DevicePool& pool);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  // Chooses the algorithm of this operation's shape, if that has not been done. Waits for the
  // device.
  void prepare(const Operation& op);
  void launch(const Operation& op);  // prepared
  // Memory larger than the cache that no product needs for longer than it runs.
  const DeviceArray& workspace() const { return workspace_; }

 private:
  using Algorithm = cublasLtMatmulAlgo_t;
  struct Choice {
    Algorithm algorithm{};
    int few_rows_kernel = -1;  // instead (product_few.h)
  };
  struct Problem;
  std::vector<Algorithm> algorithms_for(const Operation& op, const ProductShape& shape);
  Choice choose(const Operation& op, const ProductShape& shape);
  const Algorithm& canonical(const Operation& op, ProductShape shape);
  cublasStatus_t run(const Problem& problem, const Operation& op, const Algorithm& algorithm);

  cudaStream_t stream_;
  DevicePool& pool_;
  cublasLtHandle_t handle_ = nullptr;
  DeviceArray workspace_;
  std::map<ProductShape, Choice> chosen_;
  std::map<ProductShape, Algorithm> canonical_;
};

}  // namespace umf
