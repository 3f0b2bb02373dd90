#include "backend/cpu/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace umf {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

void* aligned_block(std::size_t bytes) {
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : 64;
  void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!block) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (alignment == kHugePage) madvise(block, bytes, MADV_HUGEPAGE);  // a wish; refusal does no harm
#endif
  return block;
}

// Sizes are rounded up to a quarter of a power of two, so that slightly different lengths share
// blocks.
std::size_t size_class(std::size_t bytes) {
  std::size_t step = 1024;
  while (bytes > 8 * step) step *= 2;
  return std::max<std::size_t>((bytes + step - 1) / step, 1) * step;
}

}  // namespace

float* Scratch::at_least(std::size_t count) {
  if (count > size_) {
    data_.reset();
    size_ = 0;
    data_.reset(static_cast<float*>(aligned_block(count * sizeof(float))));
    size_ = count;
  }
  return data_.get();
}

BlockPool::~BlockPool() {
  for (auto& [bytes, blocks] : free_) {
    for (void* block : blocks) std::free(block);
  }
}

Memory BlockPool::allocate(std::size_t bytes) {
  const std::size_t size = size_class(bytes);
  void* block = nullptr;
  {
    const std::lock_guard lock(mutex_);
    used_ += size;
    most_used_ = std::max(most_used_, used_);
    std::vector<void*>& blocks = free_[size];
    if (!blocks.empty()) {
      block = blocks.back();
      blocks.pop_back();
      idle_ -= size;
    }
  }
  if (!block) block = aligned_block(size);
  return {block, [pool = shared_from_this(), size](void* p) { pool->give_back(p, size); }};
}

void BlockPool::give_back(void* block, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  if (idle_ + bytes > most_used_) {  // never hold more idle than was once in use
    std::free(block);
    return;
  }
  free_[bytes].push_back(block);
  idle_ += bytes;
}

}  // namespace umf
