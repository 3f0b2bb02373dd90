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
  // `activations`: what the model's are made of; `experts_on_host`: bytes of its experts that never
  // come to the device.
  CudaResidence(std::shared_ptr<Queue> queue, std::shared_ptr<WeightStore> store, DType activations,
                std::uint64_t experts_on_host);
  ~CudaResidence() override;

  // In the order in which a pass needs them: so they come back.
  void add(std::shared_ptr<Weight> weight) { weights_.push_back(std::move(weight)); }

  DType activations() const { return activations_; }
  // Where the model's next experts, which take so many bytes, belong.
  Home home_of_experts(std::size_t bytes);

  bool here() const override { return here_; }
  void leave() override;
  void return_to_device() override;
  double seconds_returning() const override;

 private:
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<WeightStore> store_;
  DType activations_;
  std::uint64_t experts_on_host_;  // bytes that are still to come
  std::vector<std::shared_ptr<Weight>> weights_;
  bool here_ = true, timed_ = true;  // timed_: the last way back is in seconds_
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  double seconds_ = 0;
};

}  // namespace umf
