// Aligned memory: scratch that grows and stays, and activations that are given back and reused.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/tensor.h"

namespace umf {

// Grows to the largest size asked for; what it held is lost when it grows.
class Scratch {
 public:
  float* at_least(std::size_t count);

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

// Blocks for activations. A forward pass allocates the same sizes again and again: fresh pages from
// the system would cost more than the arithmetic on them.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  ~BlockPool();
  Memory allocate(std::size_t bytes);  // uninitialised; any thread may give it back

 private:
  void give_back(void* block, std::size_t bytes);

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
  std::size_t used_ = 0, most_used_ = 0, idle_ = 0;  // bytes
};

}  // namespace umf
