#include "backend/cuda/parallel_copy.h"

#include <algorithm>
#include <cstring>

namespace umf {
namespace {

constexpr std::size_t kWorthSharing = std::size_t{1} << 20;

}  // namespace

ParallelCopy::ParallelCopy(int threads) : shares_(std::max(threads, 1)) {
  for (int i = 0; i + 1 < shares_; ++i) threads_.emplace_back([this, i] { work(i); });
}

ParallelCopy::~ParallelCopy() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ParallelCopy::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes < kWorthSharing) {
    std::memcpy(to, from, bytes);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    to_ = static_cast<std::byte*>(to);
    from_ = static_cast<const std::byte*>(from);
    bytes_ = bytes;
    working_ = shares_ - 1;
    ++round_;
  }
  begin_.notify_all();
  copy_share(shares_ - 1);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return working_ == 0; });
}

void ParallelCopy::copy_share(int share) const {
  const std::size_t begin = bytes_ * share / shares_, end = bytes_ * (share + 1) / shares_;
  std::memcpy(to_ + begin, from_ + begin, end - begin);
}

void ParallelCopy::work(int thread) {
  for (long seen = 0;; ++seen) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ > seen; });
      if (stop_) return;
    }
    copy_share(thread);
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) done_.notify_one();
  }
}

}  // namespace umf
