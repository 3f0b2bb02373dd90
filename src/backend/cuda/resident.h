// A weight and the queue whose operations may still use it.
#pragma once

#include <memory>
#include <utility>

#include "backend/cuda/queue.h"
#include "backend/cuda/weights.h"

namespace umf {

struct Resident {
  std::shared_ptr<Queue> queue;
  std::shared_ptr<Weight> weight;

  Resident(std::shared_ptr<Queue> owner, std::shared_ptr<Weight> loaded)
      : queue(std::move(owner)), weight(std::move(loaded)) {}
  ~Resident() { queue->settle(); }
};

}  // namespace umf
