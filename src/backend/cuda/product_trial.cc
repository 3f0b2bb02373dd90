#include "backend/cuda/product_trial.h"

#include <algorithm>

#include "backend/cuda/check.h"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr std::size_t kTail = 256;  // the last row of a view may end before its stride

class Events {
 public:
  Events() {
    check(cudaEventCreate(&start_), "making an event");
    check(cudaEventCreate(&stop_), "making an event");
  }
  ~Events() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  void start(cudaStream_t stream) { check(cudaEventRecord(start_, stream), "an event"); }
  float stop(cudaStream_t stream) {
    float milliseconds = 0;
    check(cudaEventRecord(stop_, stream), "an event");
    check(cudaEventSynchronize(stop_), "a measurement");
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "a measurement");
    return milliseconds;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

}  // namespace

ProductTrial::ProductTrial(const Operation& op, int rows, const DeviceArray& room, DevicePool& pool,
                           cudaStream_t stream)
    : room_(room),
      stream_(stream),
      rows_(rows),
      out_row_(op.out.stride * size_of(op.out.type)),
      wanted_(op) {
  const int most_rows = std::max(rows, kComparedRows);
  in_ = pool.array(most_rows * op.in.stride * size_of(op.in.type) + kTail);
  out_ = pool.array(rows * out_row_ + kTail);
  expected_ = pool.array(kComparedRows * out_row_ + kTail);
  different_ = pool.array(sizeof(unsigned));
  scales_ = pool.array(most_rows * sizeof(float));
  launch_fill_noise(scales_.data(), DType::kF32, most_rows, 3, 1.0f, stream_);
  launch_fill_noise(in_.data(), op.in.type, in_.bytes() / size_of(op.in.type), 1, 1.0f, stream_);
  wanted_.in.data = in_.data();
  if (wanted_.in.scales) wanted_.in.scales = static_cast<float*>(scales_.data());
  wanted_.in.rows = wanted_.out.rows = kComparedRows;
  wanted_.out.data = expected_.data();
  tried_ = wanted_;
  tried_.in.rows = tried_.out.rows = rows;
  tried_.out.data = out_.data();
}

void ProductTrial::clear(const DeviceArray& out, int rows) {
  const DType type = wanted_.out.type;
  launch_fill_noise(out.data(), type, rows * out_row_ / size_of(type), 2, 1.0f, stream_);
}

void ProductTrial::expect(const Way& usual) {
  clear(expected_, kComparedRows);
  if (!usual(wanted_)) throw Error("cuda: a matrix product failed");
}

std::optional<float> ProductTrial::time(const Way& way) {
  const int compared = std::min(rows_, kComparedRows);
  clear(out_, compared);
  if (!way(tried_)) return std::nullopt;
  unsigned count = 0;
  launch_count_different(expected_.data(), out_.data(), compared * out_row_ / 4,
                         static_cast<unsigned*>(different_.data()), stream_);
  check(cudaMemcpyAsync(&count, different_.data(), sizeof count, cudaMemcpyDeviceToHost, stream_),
        "comparing products");
  check(cudaStreamSynchronize(stream_), "comparing products");
  if (count > 0) return std::nullopt;
  return fastest(way);
}

// The median would need more runs than a choice is worth; the fastest of three is least disturbed.
float ProductTrial::fastest(const Way& way) {
  Events events;
  float fastest = 1e30f;
  for (int round = 0; round < 3; ++round) {
    // In a pass the weights come from memory, not from the cache.
    check(cudaMemsetAsync(room_.data(), round, room_.bytes(), stream_), "clearing the cache");
    events.start(stream_);
    launch_nothing(
        stream_);  // in a pass a product follows a kernel behind which it may begin early
    if (!way(tried_)) throw Error("cuda: a matrix product failed");
    fastest = std::min(fastest, events.stop(stream_));
  }
  return fastest;
}

}  // namespace umf
