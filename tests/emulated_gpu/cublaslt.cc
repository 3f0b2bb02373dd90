// The part of cuBLASLt that we call, in place of src/backend/cuda/cublaslt.cc: one chain of fused
// multiply-adds per output, and one algorithm.
#include "backend/cuda/cublaslt.h"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "runtime.h"

struct cublasLtContext {};

namespace umf {
namespace {

struct Layout {
  cudaDataType type;
  std::uint64_t rows, cols;
  std::int64_t stride;
};
struct Product {
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  cublasOperation_t first = CUBLAS_OP_N;
  const void* bias = nullptr;
  const float *first_scale = nullptr, *second_scale = nullptr;  // a number per output, per row
};

template <class Handle>
Layout layout_of(Handle handle) {
  Layout layout;
  std::memcpy(&layout, handle, sizeof layout);
  return layout;
}

float number(const void* data, cudaDataType type, std::size_t i) {
  switch (type) {
    case CUDA_R_32F:
      return static_cast<const float*>(data)[i];
    case CUDA_R_16BF:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
    default:
      return static_cast<float>(static_cast<const __nv_fp8_e4m3*>(data)[i]);
  }
}
void put(void* data, cudaDataType type, std::size_t i, float x) {
  if (type == CUDA_R_32F)
    static_cast<float*>(data)[i] = x;
  else
    static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(x);
}

// As f32, packed: column by column, or row by row.
std::vector<float> numbers(const void* data, const Layout& layout, bool by_rows) {
  std::vector<float> all(layout.rows * layout.cols);
  for (std::size_t col = 0; col < layout.cols; ++col) {
    for (std::size_t row = 0; row < layout.rows; ++row)
      all[by_rows ? row * layout.cols + col : col * layout.rows + row] =
          number(data, layout.type, col * layout.stride + row);
  }
  return all;
}

// out (outputs, rows) = weight (depth, outputs)^T in (depth, rows)
void multiply(const Product& product, const void* weight_data, const Layout& weight,
              const void* in_data, const Layout& in, bool add, void* to, const Layout& out) {
  const std::vector<float> weights = numbers(weight_data, weight, /*by_rows=*/true);
  const std::vector<float> rows = numbers(in_data, in, /*by_rows=*/false);
  std::vector<float> sums(out.rows);
  for (std::size_t row = 0; row < out.cols; ++row) {
    std::ranges::fill(sums, 0.0f);
    for (std::size_t k = 0; k < weight.rows; ++k) {
      const float x = rows[row * in.rows + k], *of_depth = &weights[k * out.rows];
      for (std::size_t i = 0; i < out.rows; ++i) sums[i] = std::fma(of_depth[i], x, sums[i]);
    }
    for (std::size_t i = 0; i < out.rows; ++i) {
      float sum = sums[i];
      if (product.first_scale) sum *= product.first_scale[i] * product.second_scale[row];
      const std::size_t at = row * out.stride + i;
      if (product.bias) sum += number(product.bias, out.type, i);
      if (add) sum += number(to, out.type, at);
      put(to, out.type, at, sum);
    }
  }
}

cublasStatus_t set(cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attribute,
                   const void* value, size_t bytes) {
  auto& product = *reinterpret_cast<Product*>(handle);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      std::memcpy(&product.first, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      std::memcpy(&product.epilogue, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      std::memcpy(&product.bias, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      std::memcpy(&product.first_scale, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      std::memcpy(&product.second_scale, value, bytes);
      break;
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    case CUBLASLT_MATMUL_DESC_A_SCALE_MODE:
    case CUBLASLT_MATMUL_DESC_B_SCALE_MODE:
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      break;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

CublasLt functions() {
  CublasLt lt{};
  lt.create = [](cublasLtHandle_t* handle) {
    return *handle = new cublasLtContext, CUBLAS_STATUS_SUCCESS;
  };
  lt.destroy = [](cublasLtHandle_t handle) { return delete handle, CUBLAS_STATUS_SUCCESS; };
  lt.version = []() -> size_t { return 0; };
  lt.create_operation = [](cublasLtMatmulDesc_t* made, cublasComputeType_t, cudaDataType_t) {
    *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Product);
    return CUBLAS_STATUS_SUCCESS;
  };
  lt.destroy_operation = [](cublasLtMatmulDesc_t handle) {
    return delete reinterpret_cast<Product*>(handle), CUBLAS_STATUS_SUCCESS;
  };
  lt.set_operation = set;
  lt.create_layout = [](cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                        uint64_t cols, int64_t stride) {
    *made = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, cols, stride});
    return CUBLAS_STATUS_SUCCESS;
  };
  lt.destroy_layout = [](cublasLtMatrixLayout_t handle) {
    return delete reinterpret_cast<Layout*>(handle), CUBLAS_STATUS_SUCCESS;
  };
  lt.create_preference = [](cublasLtMatmulPreference_t* made) {
    return *made = nullptr, CUBLAS_STATUS_SUCCESS;
  };
  lt.destroy_preference = [](cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; };
  lt.set_preference = [](cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                         const void*, size_t) { return CUBLAS_STATUS_SUCCESS; };
  lt.check_algorithm = [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                          cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                          const cublasLtMatmulAlgo_t*,
                          cublasLtMatmulHeuristicResult_t*) { return CUBLAS_STATUS_SUCCESS; };
  lt.heuristic = [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                    cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t results[],
                    int* count) {
    results[0] = {};
    return *count = 1, CUBLAS_STATUS_SUCCESS;
  };
  lt.matmul = [](cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void*, const void* weight,
                 cublasLtMatrixLayout_t weight_layout, const void* in,
                 cublasLtMatrixLayout_t in_layout, const void* before, const void*,
                 cublasLtMatrixLayout_t, void* out, cublasLtMatrixLayout_t out_layout,
                 const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t stream) {
    const Product product = *reinterpret_cast<const Product*>(operation);
    if (product.first != CUBLAS_OP_T) return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool add = *static_cast<const float*>(before) != 0;
    emulated::run_on(
        stream, [=, a = layout_of(weight_layout), b = layout_of(in_layout),
                 c = layout_of(out_layout)] { multiply(product, weight, a, in, b, add, out, c); });
    return CUBLAS_STATUS_SUCCESS;
  };
  return lt;
}

}  // namespace

std::string cublaslt_objection() { return ""; }

const CublasLt& cublaslt() {
  static const CublasLt lt = functions();
  return lt;
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(fmt::format("{} failed: status {}", what, static_cast<int>(status)));
}

}  // namespace umf
