// Matrices as the copy engine of compute capability 9.0 is told of them.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "backend/cuda/check.h"
#include "backend/cuda/view.h"

namespace umf {

// The driver's function, which this program is not linked with.
inline auto tensor_map_encoder() {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &result),
          "asking the driver for tensor maps");
    if (result != cudaDriverEntryPointSuccess) throw Error("cuda: the driver has no tensor maps");
    return reinterpret_cast<Encode>(function);
  }();
  return found;
}

// `rows` of words of 16 bits, `stride` bytes apart, copied in boxes. Zeros stand outside.
struct WordMatrix {
  CUtensorMapDataType type;
  const void* data;
  std::uint64_t words, rows, stride;
};
inline CUtensorMap tensor_map(const WordMatrix& matrix, std::uint32_t box_words,
                              std::uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  CUtensorMap map{};
  const cuuint64_t sizes[] = {matrix.words, matrix.rows}, strides[] = {matrix.stride};
  const cuuint32_t box[] = {box_words, box_rows}, steps[] = {1, 1};
  const CUresult status =
      tensor_map_encoder()(&map, matrix.type, 2, const_cast<void*>(matrix.data), sizes, strides,
                           box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) throw Error("cuda: the driver refuses a tensor map");
  return map;
}

// bf16 in panels (wgmma.cuh), permuted as products read them: boxes of one panel.
inline CUtensorMap panel_map(const void* data, int cols, int rows, int stride, int box_rows) {
  return tensor_map({CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, data, static_cast<std::uint64_t>(cols),
                     static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(stride) * 2},
                    64, static_cast<std::uint32_t>(box_rows), CU_TENSOR_MAP_SWIZZLE_128B);
}
inline CUtensorMap panel_map(const View& view, int box_rows) {
  return panel_map(view.data, view.cols, view.rows, view.stride, box_rows);
}

}  // namespace umf
