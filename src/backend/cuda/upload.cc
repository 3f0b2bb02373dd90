#include "backend/cuda/upload.h"

#include <algorithm>
#include <thread>

#include "backend/cuda/check.h"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr std::size_t kPiece = std::size_t{32} << 20;  // bytes

}  // namespace

Uploader::Lane::Lane() : host(kPiece), device(kPiece) {
  check(cudaEventCreateWithFlags(&free, cudaEventDisableTiming), "making an event");
}

// Eight threads read a file in memory faster than the bus takes it.
Uploader::Uploader(cudaStream_t stream)
    : stream_(stream),
      crew_(std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8)) {}

Uploader::~Uploader() { cudaStreamSynchronize(stream_); }

void Uploader::copy(const HostTensor& tensor, DType type, void* to, const WeightsCopied& copied) {
  const std::size_t size = size_of(tensor.type);
  const std::size_t count = static_cast<std::size_t>(tensor.rows) * tensor.cols;
  for (std::size_t done = 0; done < count;) {
    Lane& lane = lanes_[next_];
    next_ = (next_ + 1) % kLanes;
    const std::size_t numbers = std::min(count - done, kPiece / size);
    check(cudaEventSynchronize(lane.free), "copying weights");
    crew_.copy(lane.host.data(), tensor.data + done * size, numbers * size);
    std::byte* target = static_cast<std::byte*>(to) + done * size_of(type);
    void* first_stop = tensor.type == type ? target : lane.device.data();
    check(cudaMemcpyAsync(first_stop, lane.host.data(), numbers * size, cudaMemcpyHostToDevice,
                          stream_),
          "copying weights");
    if (tensor.type != type)
      launch_convert(lane.device.data(), tensor.type, target, type, numbers, stream_);
    check(cudaEventRecord(lane.free, stream_), "copying weights");
    done += numbers;
    bytes_ += numbers * size;
    if (copied) copied(bytes_);
  }
}

}  // namespace umf
