// Operations wait here until a result is asked for. A long sequence that comes again is recorded as
// a CUDA graph and replayed: one launch instead of hundreds.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/block_products.h"
#include "backend/cuda/gated_products.h"
#include "backend/cuda/integers.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/product.h"
#include "backend/cuda/view.h"
#include "backend/cuda/weights.h"

namespace umf {

class Queue {
 public:
  // On the thread's device, and there for ever, whichever threads use it. `small_models`: whether
  // operations on f32 are those of small models (small.h). Otherwise they run in plain f32.
  explicit Queue(bool small_models);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  DevicePool& pool() { return *pool_; }

  // The device's copy of the numbers, valid until finish().
  const int* place(std::span<const int> numbers);
  // The operation waits for the numbers of `weight`, which must stay until finish().
  void push(const Operation& operation, const Weight* weight = nullptr);

  // Products with quantised weights of so many numbers will come.
  void expect_blocks(std::size_t numbers) { largest_blocks_ = std::max(largest_blocks_, numbers); }

  // Starts everything that was pushed. What is flushed together is recorded together.
  void flush();
  // flush(), and waits until the device is done.
  void finish();
  // finish() before memory goes away. Failures are left to the next operation.
  void settle() noexcept;

  int replays() const { return replays_; }

 private:
  // A sequence that was seen; recorded when it is seen again, as a graph, or as a list on the
  // device for the kernel that goes through it.
  struct Recording {
    std::vector<Operation> operations;
    DeviceArray program;
    cudaGraphExec_t graph = nullptr;
    ~Recording() {
      if (graph) cudaGraphExecDestroy(graph);
    }
  };
  bool runs_small(const Operation& operation) const;
  bool runs_as_program(std::span<const Operation> operations) const;
  void prepare(const Operation& product);
  void launch(const Operation& operation);
  void launch_all(std::span<const Operation> operations, std::span<const Weight* const> needed);
  void replay(Recording& recording, bool as_program);
  void record(Recording& recording);
  void put_on_device(Recording& recording);

  bool small_models_;
  const int device_;
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<DevicePool> pool_;
  PinnedArray host_integers_;
  DeviceArray integers_;
  IntegerStage stage_;
  std::unique_ptr<Products> products_;
  std::unique_ptr<BlockProducts> block_products_;
  std::unique_ptr<GatedProducts> gated_products_;
  std::size_t largest_blocks_ = 0;  // numbers
  std::vector<Operation> waiting_;
  std::vector<const Weight*> needed_;  // by operation
  bool idle_ = true;                   // nothing was started since the device was last waited for
  std::list<Recording> recordings_;    // latest use first
  int replays_ = 0;
};

}  // namespace umf
