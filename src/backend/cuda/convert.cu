// Numbers from one type to another, and helpers of measurements.
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/philox.cuh"

namespace umf {
namespace {

constexpr int kThreads = 256;

template <class From, class To>
__global__ void convert(const From* in, To* out, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(kThreads) + threadIdx.x; i < count;
       i += step) {
    out[i] = from_float<To>(to_float(in[i]));
  }
}

template <class T>
__global__ void pack(const T* in, int stride, int cols, const float* scales, float* out) {
  const T* row = in + static_cast<std::size_t>(stride) * blockIdx.x;
  float* to = out + static_cast<std::size_t>(cols) * blockIdx.x;
  const float factor = scales ? scales[blockIdx.x] : 1.0f;
  for (int i = threadIdx.x; i < cols; i += kThreads) to[i] = to_float(row[i]) * factor;
}

template <class T>
__global__ void fill_noise(T* out, std::size_t count, std::uint32_t number, float scale) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  for (std::size_t block = blockIdx.x * static_cast<std::size_t>(kThreads) + threadIdx.x;
       4 * block < count; block += step) {
    const uint4 words = device_philox(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), number, 0},
        {17, 29});
    const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
    for (int i = 0; i < 4 && 4 * block + i < count; ++i) {
      out[4 * block + i] = from_float<T>((2 * device_open_unit(word[i]) - 1) * scale);
    }
  }
}

__global__ void do_nothing() {
  let_next_begin();
  wait_for_last();
}

__global__ void count_different(const std::uint32_t* a, const std::uint32_t* b, std::size_t words,
                                unsigned* different) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  unsigned found = 0;
#pragma unroll 8
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(kThreads) + threadIdx.x; i < words;
       i += step) {
    found += a[i] != b[i];
  }
  if (found > 0) atomicAdd(different, found);
}

template <class Use>
void with_type(DType type, const Use& use) {
  if (type == DType::kF8)
    use(__nv_fp8_e4m3{});
  else
    dispatch(type, false, [&](auto zero, auto) { use(zero); });
}

unsigned grid_for(std::size_t count) {
  const unsigned blocks = blocks_for(count, kThreads);
  return blocks < 4096 ? (blocks > 0 ? blocks : 1) : 4096;
}

template <class From>
void convert_from(const void* in, void* out, DType to, std::size_t count, cudaStream_t stream) {
  const From* from = static_cast<const From*>(in);
  if (to == DType::kF32)
    convert<<<grid_for(count), kThreads, 0, stream>>>(from, static_cast<float*>(out), count);
  else
    convert<<<grid_for(count), kThreads, 0, stream>>>(from, static_cast<__nv_bfloat16*>(out),
                                                      count);
}

}  // namespace

void launch_convert(const void* in, DType from, void* out, DType to, std::size_t count,
                    cudaStream_t stream) {
  if (from == DType::kF32)
    convert_from<float>(in, out, to, count, stream);
  else if (from == DType::kF16)
    convert_from<__half>(in, out, to, count, stream);
  else
    convert_from<__nv_bfloat16>(in, out, to, count, stream);
  check_launch("converting weights");
}

void launch_pack(const View& in, float* out, cudaStream_t stream) {
  with_type(in.type, [&](auto zero) {
    using T = decltype(zero);
    pack<<<in.rows, kThreads, 0, stream>>>(pointer<const T>(in), in.stride, in.cols, in.scales,
                                           out);
  });
  check_launch("reading activations");
}

void launch_fill_noise(void* out, DType type, std::size_t count, std::uint32_t stream_number,
                       float scale, cudaStream_t stream) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    fill_noise<<<grid_for((count + 3) / 4), kThreads, 0, stream>>>(static_cast<T*>(out), count,
                                                                   stream_number, scale);
  });
  check_launch("filling with noise");
}

void launch_nothing(cudaStream_t stream) {
  launch_early(do_nothing, dim3(1), 32, 0, stream);
  check_launch("nothing");
}

void launch_count_different(const void* a, const void* b, std::size_t words, unsigned* different,
                            cudaStream_t stream) {
  check(cudaMemsetAsync(different, 0, sizeof *different, stream), "clearing a counter");
  count_different<<<grid_for(words), kThreads, 0, stream>>>(
      static_cast<const std::uint32_t*>(a), static_cast<const std::uint32_t*>(b), words, different);
  check_launch("comparing");
}

}  // namespace umf
