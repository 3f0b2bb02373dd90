// Products of kF8 for shapes that the library does not take: a thread per output, plain loops.
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr int kThreads = 128;

using F8 = __nv_fp8_e4m3;

template <class T>
__global__ void multiply(View in, const F8* weight, const float* weight_scales, const T* bias,
                         bool add, View out) {
  const int column = blockIdx.y * kThreads + threadIdx.x;
  if (column >= out.cols) return;
  const F8* x = static_cast<const F8*>(in.data) + static_cast<std::size_t>(in.stride) * blockIdx.x;
  const F8* w = weight + static_cast<std::size_t>(in.cols) * column;
  T* to = static_cast<T*>(out.data) + static_cast<std::size_t>(out.stride) * blockIdx.x + column;
  float sum = 0;
  for (int k = 0; k < in.cols; ++k) sum = fmaf(to_float(x[k]), to_float(w[k]), sum);
  sum *= in.scales[blockIdx.x] * weight_scales[column];
  if (bias) sum += to_float(bias[column]);
  if (add) sum += to_float(*to);
  *to = from_float<T>(sum);
}

}  // namespace

void launch_product_f8(const Operation& op, cudaStream_t stream) {
  const dim3 grid(op.in.rows, blocks_for(op.out.cols, kThreads));
  dispatch(op.out.type, false, [&](auto zero, auto) {
    using T = decltype(zero);
    multiply<T><<<grid, kThreads, 0, stream>>>(op.in, static_cast<const F8*>(op.weight),
                                               op.weight_scales, static_cast<const T*>(op.bias),
                                               op.add, op.out);
  });
  check_launch("a matrix product");
}

}  // namespace umf
