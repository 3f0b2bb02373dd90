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
      parallel_copy_(std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8)) {}

Uploader::~Uploader() { cudaStreamSynchronize(stream_); }

void Uploader::copy(const HostTensor& tensor, DType type, void* to, const WeightsCopied& copied) {
  const int elements = std::max(block_elements(tensor.type), block_elements(type));
  const std::size_t size = row_bytes(tensor.type, elements),
                    target_size = row_bytes(type, elements);
  const std::size_t count = static_cast<std::size_t>(tensor.rows) * tensor.cols / elements;
  for (std::size_t done = 0; done < count;) {  // blocks of either type; a plain number is one
    Lane& lane = lanes_[next_];
    next_ = (next_ + 1) % kLanes;
    const std::size_t blocks = std::min(count - done, kPiece / size);
    check(cudaEventSynchronize(lane.free), "copying weights");
    parallel_copy_.copy(lane.host.data(), tensor.data + done * size, blocks * size);
    std::byte* target = static_cast<std::byte*>(to) + done * target_size;
    void* first_stop = tensor.type == type ? target : lane.device.data();
    check(cudaMemcpyAsync(first_stop, lane.host.data(), blocks * size, cudaMemcpyHostToDevice,
                          stream_),
          "copying weights");
    if (tensor.type != type) {
      const auto convert = is_quantised(tensor.type) ? launch_dequantise
                           : is_quantised(type)      ? launch_quantise
                                                     : launch_convert;
      convert(lane.device.data(), tensor.type, target, type, blocks * elements, stream_);
    }
    check(cudaEventRecord(lane.free, stream_), "copying weights");
    done += blocks;
    bytes_ += blocks * size;
    if (copied) copied(bytes_);
  }
}

}  // namespace umf
