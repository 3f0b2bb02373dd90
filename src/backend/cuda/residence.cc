#include "backend/cuda/residence.h"

#include <algorithm>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"

namespace umf {

CudaResidence::CudaResidence(std::shared_ptr<Queue> queue, std::shared_ptr<WeightStore> store,
                             DType activations, std::uint64_t experts_on_host)
    : queue_(std::move(queue)),
      store_(std::move(store)),
      activations_(activations),
      experts_on_host_(experts_on_host) {
  const DeviceScope scope(store_->device());
  check(cudaEventCreate(&start_), "making an event");
  check(cudaEventCreate(&stop_), "making an event");
}

CudaResidence::~CudaResidence() {
  const DeviceScope scope(store_->device(), std::nothrow);
  queue_->settle();
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
}

Home CudaResidence::home_of_experts(std::size_t bytes) {
  if (experts_on_host_ == 0) return Home::kDevice;
  experts_on_host_ -= std::min<std::uint64_t>(experts_on_host_, bytes);
  return Home::kHost;
}

void CudaResidence::leave() {
  if (!here_) return;
  queue_->finish();
  seconds_ = seconds_returning();
  timed_ = true;
  here_ = false;  // even where the host has no room for all: what has left comes back
  for (const auto& weight : weights_) store_->leave(*weight);
}

void CudaResidence::return_to_device() {
  if (here_) return;
  const DeviceScope scope(store_->device());
  check(cudaEventRecord(start_, store_->stream()), "an event");
  for (const auto& weight : weights_) store_->return_to_device(*weight);
  check(cudaEventRecord(stop_, store_->stream()), "an event");
  timed_ = false;
  here_ = true;
}

double CudaResidence::seconds_returning() const {
  if (timed_) return seconds_;
  const DeviceScope scope(store_->device());
  float milliseconds = 0;
  check(cudaEventSynchronize(stop_), "moving weights to the device");
  check(cudaEventElapsedTime(&milliseconds, start_, stop_), "a measurement");
  return seconds_ + milliseconds / 1000;
}

}  // namespace umf
