// The attention kernels beside each other: milliseconds, TFLOP/s, and how far they differ.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "backend/cuda/attention_fast.h"
#include "backend/cuda/check.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/cuda/memory.h"

namespace umf {
namespace {

using Launch = void (*)(const Operation&, cudaStream_t);

struct Run {
  double milliseconds = 0;
  std::vector<float> out;
};

Run run(const Operation& op, Launch launch) {
  cudaEvent_t start = nullptr, stop = nullptr;
  check(cudaEventCreate(&start), "making an event");
  check(cudaEventCreate(&stop), "making an event");
  std::vector<float> times;
  constexpr int kTogether = 20;
  for (int round = 0; round < 12; ++round) {
    check(cudaEventRecord(start, nullptr), "an event");
    for (int i = 0; i < kTogether; ++i) launch(op, nullptr);
    check(cudaEventRecord(stop, nullptr), "an event");
    check(cudaEventSynchronize(stop), "attention");
    float time = 0;
    check(cudaEventElapsedTime(&time, start, stop), "an event");
    times.push_back(time / kTogether);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::sort(times.begin(), times.end());
  Run result{times[times.size() / 2]};
  result.out.resize(static_cast<std::size_t>(op.out.rows) * op.out.cols);
  const DeviceArray packed(result.out.size() * sizeof(float));
  launch_pack(op.out, static_cast<float*>(packed.data()), nullptr);
  check(cudaMemcpy(result.out.data(), packed.data(), packed.bytes(), cudaMemcpyDeviceToHost),
        "copying back");
  return result;
}

void compare(const char* name, int heads, int kv_heads, int length) {
  constexpr int kDim = 128;
  const int q = heads * kDim, kv = kv_heads * kDim, width = q + 2 * kv;
  const DeviceArray qkv(static_cast<std::size_t>(length) * width * 2);
  const DeviceArray out(static_cast<std::size_t>(length) * q * 2);
  const DeviceArray positions(length * sizeof(int));
  std::vector<int> numbers(length);
  std::iota(numbers.begin(), numbers.end(), 0);
  check(cudaMemcpy(positions.data(), numbers.data(), positions.bytes(), cudaMemcpyHostToDevice),
        "copying positions");
  launch_fill_noise(qkv.data(), DType::kBF16, static_cast<std::size_t>(length) * width, 3, 2.0f,
                    nullptr);
  Operation op;
  op.kind = OperationKind::kAttend;
  op.in = {qkv.data(), DType::kBF16, length, q, width};
  op.keys = {qkv.at(q * 2), DType::kBF16, length, kv, width};
  op.values = {qkv.at((q + kv) * 2), DType::kBF16, length, kv, width};
  op.out = {out.data(), DType::kBF16, length, q, q};
  op.shape = {heads, kv_heads, kDim, AttentionKind::kFull, 1};
  op.integers = static_cast<const int*>(positions.data());
  const double flops = 4.0 * length * length * q;
  const Run mma = run(op, launch_attention_mma), wgmma = run(op, launch_fast_attention);
  double worst = 0;
  for (std::size_t i = 0; i < mma.out.size(); ++i) {
    worst = std::max<double>(worst, std::abs(mma.out[i] - wgmma.out[i]));
  }
  fmt::print("| {} | {} | {:.4f} | {:.0f} | {:.4f} | {:.0f} | {:.1e} |\n", name, length,
             mma.milliseconds, flops / mma.milliseconds / 1e9, wgmma.milliseconds,
             flops / wgmma.milliseconds / 1e9, worst);
}

}  // namespace
}  // namespace umf

int main() {
  if (const std::string objection = umf::cuda_objection(); !objection.empty()) {
    fmt::print(stderr, "error: {}\n", objection);
    return 1;
  }
  fmt::print(
      "| shape | positions | mma ms | TFLOP/s | chosen ms | TFLOP/s | largest difference |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const int length : {768, 1024, 1280, 2048, 4096}) {
    umf::compare("LLaDA-8B", 32, 32, length);
    umf::compare("Dream-7B", 28, 4, length);
  }
  return 0;
}
