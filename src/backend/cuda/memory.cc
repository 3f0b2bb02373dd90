#include "backend/cuda/memory.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <thread>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"

namespace umf {
namespace {

constexpr std::size_t kLarge = std::size_t{64} << 20;

void touch_pages(std::byte* data, std::size_t bytes) {
  constexpr std::size_t kThreads = 8, kPage = 4096;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([=] {
      for (std::size_t at = bytes * i / kThreads; at < bytes * (i + 1) / kThreads; at += kPage)
        data[at] = std::byte{};
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

DeviceArray::DeviceArray(std::size_t bytes) : device_(current_device()), bytes_(bytes) {
  check(cudaMalloc(&data_, bytes), "allocating device memory");
}

DeviceArray::DeviceArray(void* data, std::size_t bytes)
    : device_(current_device()), data_(data), bytes_(bytes) {}

DeviceArray::~DeviceArray() {
  if (!data_) return;
  const DeviceScope scope(device_, std::nothrow);
  cudaFree(data_);
}

PinnedArray::PinnedArray(std::size_t bytes) : device_(current_device()), bytes_(bytes) {
  if (bytes_ < kLarge) {
    check(cudaMallocHost(&data_, bytes), "allocating page-locked memory");
    return;
  }
  data_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED) {
    throw Error(fmt::format(
        "cuda: the host has no {} MB for weights that make room on the GPU. Use fewer models, or "
        "raise --memory-limit",
        bytes_ >> 20));
  }
  ::madvise(data_, bytes_, MADV_HUGEPAGE);  // a wish: small pages do as well
  touch_pages(data(), bytes_);
  if (const cudaError_t status = cudaHostRegister(data_, bytes_, cudaHostRegisterMapped)) {
    ::munmap(data_, bytes_);
    check(status, "locking memory of the host");
  }
}

PinnedArray::~PinnedArray() {
  const DeviceScope scope(device_, std::nothrow);
  if (bytes_ < kLarge) {
    cudaFreeHost(data_);
  } else {
    cudaHostUnregister(data_);
    ::munmap(data_, bytes_);
  }
}

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
  const DeviceScope scope(device_);
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
