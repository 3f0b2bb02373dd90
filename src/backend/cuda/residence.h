// The weights that one model loaded: they leave the device and come back together.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "backend/cuda/queue.h"
#include "backend/cuda/weights.h"

namespace umf {

class CudaResidence final : public Residence {
 public:
  // `activations`: what the model's are made of.
  CudaResidence(std::shared_ptr<Queue> queue, std::shared_ptr<WeightStore> store,
                DType activations);
  ~CudaResidence() override;

  // In the order in which a pass needs them: so they come back.
  void add(std::shared_ptr<Weight> weight) { weights_.push_back(std::move(weight)); }

  DType activations() const { return activations_; }

  bool here() const override { return here_; }
  void leave() override;
  void return_to_device() override;
  double seconds_returning() const override;

 private:
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<WeightStore> store_;
  DType activations_;
  std::vector<std::shared_ptr<Weight>> weights_;
  bool here_ = true, timed_ = true;  // timed_: the last way back is in seconds_
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  double seconds_ = 0;
};

}  // namespace umf
