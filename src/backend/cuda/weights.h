// Weights on devices: one copy on each for all backends of the process, which leaves for
// page-locked memory of the host when room is short and comes back while the first layers are at
// work.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/upload.h"

namespace umf {

// What a weight is made of: tensors behind each other, all in one type on the device, which is a
// plain one or that which they have on the host. As kF8, every row has a factor, and the factors
// follow the numbers.
struct WeightPart {
  std::vector<HostTensor> tensors;
  DType type = DType::kF32;
};

// Bytes that these parts take together.
std::size_t bytes_of(std::span<const WeightPart> parts);

// Where a weight is while its model is on the device. What stays in page-locked memory of the host
// is read from there by the kernels, over the bus: for experts, of which a pass needs some.
enum class Home { kDevice, kHost };

// The factors of a kF8 part that stands at `part` and has so many numbers.
float* factors_of(std::byte* part, std::size_t numbers);

class WeightStore;

// One block of device memory with parts at offsets of their own. Weights never change, so that a
// copy on the host, once made, is good for ever.
class Weight {
 public:
  Weight(std::shared_ptr<WeightStore> store, std::span<const WeightPart> parts, Home home);
  ~Weight();
  Weight(const Weight&) = delete;
  Weight& operator=(const Weight&) = delete;

  // Where a part stands for kernels; only while the weight is at home.
  std::byte* part(int number) const { return data_ + offsets_[number]; }
  std::size_t bytes() const { return bytes_; }
  Home home() const { return home_; }
  bool here() const { return data_ != nullptr; }

  // Whether the numbers have come; when not, `await` lets a stream wait for them.
  bool arrived() const;
  void await(cudaStream_t stream) const;

 private:
  friend class WeightStore;
  std::shared_ptr<WeightStore> store_;
  Home home_;
  std::vector<std::size_t> offsets_;
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
  std::unique_ptr<PinnedArray> host_;  // since it left for the first time
  cudaEvent_t copied_ = nullptr;
  mutable std::atomic<bool> arrived_ = false;
};

// The weights of the process on one of its GPUs. Any thread may ask, whatever its device is; copies
// go on a stream of their own.
class WeightStore : public std::enable_shared_from_this<WeightStore> {
 public:
  static std::shared_ptr<WeightStore> of_device(int device);
  explicit WeightStore(int device);
  ~WeightStore();
  WeightStore(const WeightStore&) = delete;
  WeightStore& operator=(const WeightStore&) = delete;

  // The weight of these tensors. Whoever asks for the same host memory gets the same weight for as
  // long as somebody has it, where it is at home already. The host's memory has been read on
  // return.
  std::shared_ptr<Weight> load(std::span<const WeightPart> parts, const WeightsCopied& copied,
                               Home home = Home::kDevice);
  // One that is nobody else's: the host's memory may go away before the weight does.
  std::shared_ptr<Weight> load_own(std::span<const WeightPart> parts, const WeightsCopied& copied);

  // To the host, where it is not there yet, and off the device. Nothing may still use the weight.
  // One whose home is the host stays as it is.
  void leave(Weight& weight);
  // Back to the device. Copies are only started: operations wait for their own weight.
  void return_to_device(Weight& weight);

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  // Bytes that could be loaded now, with a margin for activations.
  std::uint64_t room() const;
  // Gives memory that no weight uses back to the device.
  void trim() noexcept;

 private:
  friend class Weight;
  // Per tensor: the number and type of its part, and what it is on the host.
  using Key = std::vector<std::tuple<std::size_t, DType, const std::byte*, DType, int, int>>;
  std::byte* allocate(std::size_t bytes);
  void free(std::byte* data, std::size_t bytes) noexcept;
  std::shared_ptr<Weight> make(std::span<const WeightPart> parts, const WeightsCopied& copied,
                               Home home);
  void fill(Weight& weight, std::span<const WeightPart> parts, const WeightsCopied& copied);
  void move_to_host(Weight& weight);
  void copy(const WeightPart& part, std::byte* to, DType type, const WeightsCopied& copied);
  void copy_narrow(const WeightPart& part, std::byte* to, const WeightsCopied& copied);

  const int device_;
  std::mutex mutex_;
  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  std::unique_ptr<Uploader> uploader_;
  std::map<Key, std::weak_ptr<Weight>> known_;
  std::atomic<std::uint64_t> bytes_here_ = 0;
};

}  // namespace umf
