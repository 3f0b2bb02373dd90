// Copies in host memory on several threads: one alone is slower than the way to a device.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace umf {

class ParallelCopy {
 public:
  explicit ParallelCopy(int threads);
  ~ParallelCopy();
  ParallelCopy(const ParallelCopy&) = delete;
  ParallelCopy& operator=(const ParallelCopy&) = delete;

  // memcpy, done on return. One caller at a time.
  void copy(void* to, const void* from, std::size_t bytes);

 private:
  void work(int thread);
  void copy_share(int share) const;

  std::mutex mutex_;
  std::condition_variable begin_, done_;
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::size_t bytes_ = 0;
  int shares_;       // the caller takes the last
  int working_ = 0;  // threads that have not finished this copy
  long round_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace umf
