#include "backend/cuda/memory.h"

#include "backend/cuda/check.h"

namespace umf {

DeviceArray::DeviceArray(std::size_t bytes) : bytes_(bytes) {
  check(cudaMalloc(&data_, bytes), "allocating device memory");
}

DeviceArray::~DeviceArray() {
  if (data_) cudaFree(data_);
}

PinnedArray::PinnedArray(std::size_t bytes) : bytes_(bytes) {
  check(cudaMallocHost(&data_, bytes), "allocating page-locked memory");
}

PinnedArray::~PinnedArray() { cudaFreeHost(data_); }

Memory DevicePool::allocate(std::size_t bytes) {
  auto array = std::make_unique<DeviceArray>();
  {
    const std::lock_guard lock(mutex_);
    const auto found = free_.lower_bound(bytes);
    if (found != free_.end() && found->first <= bytes + bytes / 4) {
      *array = std::move(found->second);
      free_.erase(found);
    }
  }
  if (!array->data()) *array = this->array(bytes);
  void* data = array->data();
  // The owner of the block is the deleter of the pointer.
  return {data, [pool = shared_from_this(), owner = std::shared_ptr(std::move(array))](void*) {
            const std::lock_guard lock(pool->mutex_);
            const std::size_t size = owner->bytes();
            pool->free_.emplace(size, std::move(*owner));
          }};
}

DeviceArray DevicePool::array(std::size_t bytes) {
  void* probe = nullptr;
  if (cudaMalloc(&probe, bytes) == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    settle_();
    const std::lock_guard lock(mutex_);
    free_.clear();
    return DeviceArray(bytes);
  }
  return DeviceArray(probe, bytes);
}

}  // namespace umf
