// Memory of the device: blocks for activations that are given back and reused, and arrays.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/tensor.h"

namespace umf {

// Memory of the thread's device with one owner. Freeing waits for the device; any thread may.
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t bytes);
  DeviceArray(void* data, std::size_t bytes);  // takes it over
  ~DeviceArray();
  DeviceArray(DeviceArray&& other) noexcept { *this = std::move(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  void* data() const { return data_; }
  std::byte* at(std::size_t byte) const { return static_cast<std::byte*>(data_) + byte; }
  std::size_t bytes() const { return bytes_; }
  // Grows when needed; what it held is lost then.
  void at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      *this = DeviceArray();
      *this = DeviceArray(bytes);
    }
  }

 private:
  int device_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Host memory that the thread's device can copy from and to on its own. Large blocks are filled
// with pages by several threads first: locking gigabytes page by page takes seconds.
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t bytes);
  ~PinnedArray();
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  const int device_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Blocks for activations. A block that is given back serves the next request of its size: work on
// one stream is ordered, so the new owner's operations run after the old owner's.
class DevicePool : public std::enable_shared_from_this<DevicePool> {
 public:
  // Of `device`, whatever that of the calling thread is. `settle` waits for all work that may still
  // use blocks that nobody holds, and gives back what else is idle.
  DevicePool(int device, std::function<void()> settle)
      : device_(device), settle_(std::move(settle)) {}

  Memory allocate(std::size_t bytes);  // uninitialised; any thread may give it back
  // Memory outside the pool. When the device is full, idle blocks are freed first.
  DeviceArray array(std::size_t bytes);

 private:
  const int device_;
  std::function<void()> settle_;
  std::mutex mutex_;
  std::multimap<std::size_t, DeviceArray> free_;
};

}  // namespace umf
