#include "backend/cuda/product.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "backend/cuda/check.h"
#include "backend/cuda/cublaslt.h"
#include "backend/cuda/product_few.h"
#include "backend/cuda/product_trial.h"

namespace umf {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kCandidates = 16, kCanonicalRows = 1024;

cudaDataType_t cuda_type(DType type) {
  return type == DType::kF32 ? CUDA_R_32F : type == DType::kF8 ? CUDA_R_8F_E4M3 : CUDA_R_16BF;
}

int alignment_of(const void* data, int stride, DType type) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::size_t bytes = static_cast<std::size_t>(stride) * size_of(type);
  int alignment = 16;
  while (alignment > 1 && (address % alignment != 0 || bytes % alignment != 0)) alignment /= 2;
  return alignment;
}

}  // namespace

int row_bucket(int rows) {
  for (const int small : {16, 32, 64}) {
    if (rows <= small) return small;
  }
  const int step = rows <= 256 ? 32 : rows <= 512 ? 64 : rows <= 4096 ? 128 : 1024;
  return (rows + step - 1) / step * step;
}

ProductShape shape_of(const Operation& op) {
  const int alignment = std::min({alignment_of(op.in.data, op.in.stride, op.in.type),
                                  alignment_of(op.out.data, op.out.stride, op.out.type),
                                  alignment_of(op.weight, op.in.cols, op.in.type)});
  return {op.in.cols, op.out.cols, row_bucket(op.in.rows), alignment,
          op.in.type, op.out.type, op.bias != nullptr,     op.add};
}

bool is_library_product(const Operation& op) {
  if (op.in.type == DType::kF8) return op.in.cols % 16 == 0 && op.out.cols % 16 == 0;
  return op.in.type == DType::kBF16;
}

// The library's description of a product. Its matrices are column-major, so that a row-major
// out = x W^T is out^T = W x^T: W is transposed, x is not.
struct Products::Problem {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t weight = nullptr, in = nullptr, out = nullptr;

  explicit Problem(const Operation& op) {
    const CublasLt& lt = cublaslt();
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(lt.create_operation(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    if (op.bias) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, op.bias);
      set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, cuda_type(op.out.type));
    }
    if (op.in.type == DType::kF8) {
      const cublasLtMatmulMatrixScale_t by_row = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
      set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, by_row);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, by_row);
      set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, op.weight_scales);
      set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, op.in.scales);
      // Sums with fewer bits: what kF8 lost already is far more.
      set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
    }
    const auto layout = [&](cublasLtMatrixLayout_t& to, DType type, int rows, int cols,
                            int stride) {
      check(lt.create_layout(&to, cuda_type(type), rows, cols, stride), "describing a matrix");
    };
    layout(weight, op.in.type, op.in.cols, op.out.cols, op.in.cols);
    layout(in, op.in.type, op.in.cols, op.in.rows, op.in.stride);
    layout(out, op.out.type, op.out.cols, op.out.rows, op.out.stride);
  }
  ~Problem() {
    const CublasLt& lt = cublaslt();
    for (const cublasLtMatrixLayout_t layout : {weight, in, out}) {
      if (layout) lt.destroy_layout(layout);
    }
    if (operation) lt.destroy_operation(operation);
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(cublaslt().set_operation(operation, attribute, &value, sizeof value),
          "describing a product");
  }

  std::vector<cublasLtMatmulHeuristicResult_t> candidates(cublasLtHandle_t handle,
                                                          std::uint32_t alignment) const {
    const CublasLt& lt = cublaslt();
    cublasLtMatmulPreference_t preference = nullptr;
    check(lt.create_preference(&preference), "describing a product");
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      return lt.set_preference(preference, attribute, &value, sizeof value);
    };
    std::vector<cublasLtMatmulHeuristicResult_t> results(kCandidates);
    int count = 0;
    cublasStatus_t status =
        prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspace});
    const std::uint32_t none = CUBLASLT_REDUCTION_SCHEME_NONE;
    if (!status) status = prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, none);
    for (const auto which :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      if (!status) status = prefer(which, alignment);
    }
    if (!status) {
      status = lt.heuristic(handle, operation, weight, in, out, out, preference, kCandidates,
                            results.data(), &count);
    }
    lt.destroy_preference(preference);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status, "finding a matrix product");
    results.resize(count);
    std::erase_if(results,
                  [](const auto& result) { return result.state != CUBLAS_STATUS_SUCCESS; });
    return results;
  }
};

Products::Products(cudaStream_t stream, DevicePool& pool)
    : stream_(stream), pool_(pool), workspace_(kWorkspace) {
  check(cublaslt().create(&handle_), "starting cuBLASLt");
}

Products::~Products() {
  if (handle_) cublaslt().destroy(handle_);
}

cublasStatus_t Products::run(const Problem& problem, const Operation& op,
                             const Algorithm& algorithm) {
  const float one = 1, before = op.add ? 1 : 0;
  return cublaslt().matmul(handle_, problem.operation, &one, op.weight, problem.weight, op.in.data,
                           problem.in, &before, op.out.data, problem.out, op.out.data, problem.out,
                           &algorithm, workspace_.data(), kWorkspace, stream_);
}

void Products::launch(const Operation& op) {
  const Choice& choice = chosen_.at(shape_of(op));
  if (choice.few_rows_kernel >= 0)
    return launch_few_rows_product(op, choice.few_rows_kernel, stream_);
  check(run(Problem(op), op, choice.algorithm), "a matrix product");
}

void Products::prepare(const Operation& op) {
  const ProductShape shape = shape_of(op);
  if (!chosen_.contains(shape)) chosen_.emplace(shape, choose(op, shape));
}

const Products::Algorithm& Products::canonical(const Operation& op, ProductShape shape) {
  shape.rows = 0;
  if (const auto known = canonical_.find(shape); known != canonical_.end()) return known->second;
  Operation usual = op;
  usual.in.rows = usual.out.rows = kCanonicalRows;
  const auto candidates = Problem(usual).candidates(handle_, shape.alignment);
  if (candidates.empty()) {
    throw Error(
        fmt::format("cuda: this GPU has no product for {} inputs and {} outputs; pass "
                    "--backend cuda, cuda-f32 or cpu",
                    shape.inputs, shape.outputs));
  }
  return canonical_.emplace(shape, candidates.front().algo).first->second;
}

// The canonical one first.
std::vector<Products::Algorithm> Products::algorithms_for(const Operation& op,
                                                          const ProductShape& shape) {
  std::vector<Algorithm> algorithms = {canonical(op, shape)};
  const auto same = [](const Algorithm& a, const Algorithm& b) {
    return std::ranges::equal(a.data, b.data);
  };
  // Those for more rows, too: for few rows the library likes to split sums, and leaves out tiles
  // that are fast without that.
  for (const int rows : {shape.rows, 128, 256}) {
    if (rows < shape.rows) continue;
    Operation other = op;
    other.in.rows = other.out.rows = rows;
    for (const auto& candidate : Problem(other).candidates(handle_, shape.alignment)) {
      const auto is_candidate = [&](const Algorithm& a) { return same(a, candidate.algo); };
      if (std::ranges::none_of(algorithms, is_candidate)) algorithms.push_back(candidate.algo);
    }
  }
  return algorithms;
}

Products::Choice Products::choose(const Operation& op, const ProductShape& shape) {
  const std::vector<Algorithm> algorithms = algorithms_for(op, shape);
  const std::vector<int> kernels = few_rows_kernels(op, shape.rows);
  const Algorithm& usual = algorithms.front();
  if (algorithms.size() == 1 && kernels.empty()) return {usual};
  ProductTrial trial(op, shape.rows, workspace_, pool_, stream_);
  trial.expect([&](const Operation& wanted) {
    check(run(Problem(wanted), wanted, usual), "a matrix product");
    return true;
  });
  const Problem problem(trial.tried());
  Choice best;
  float fastest = 1e30f;
  const auto try_one = [&](const Choice& choice, const ProductTrial::Way& way) {
    const auto time = trial.time(way);
    if (!time || *time >= fastest) return;
    fastest = *time;
    best = choice;
  };
  for (const Algorithm& algorithm : algorithms) {
    try_one({algorithm}, [&](const Operation& tried) {
      return run(problem, tried, algorithm) == CUBLAS_STATUS_SUCCESS;
    });
  }
  for (const int kernel : kernels) {
    try_one({usual, kernel}, [&](const Operation& tried) {
      launch_few_rows_product(tried, kernel, stream_);
      return true;
    });
  }
  if (fastest == 1e30f) {
    throw Error(
        fmt::format("cuda: no product of {} rows gives the bits of the one for {} rows "
                    "({} inputs, {} outputs); pass --backend cuda-f32 or --backend cpu",
                    shape.rows, kCanonicalRows, shape.inputs, shape.outputs));
  }
  return best;
}

}  // namespace umf
