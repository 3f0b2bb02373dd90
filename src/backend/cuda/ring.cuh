// Stages of shared memory that one thread fills with copies and others read, in turn.
#pragma once

#include <cstdint>

namespace umf {

template <int kStages>
struct Ring {
  std::uint32_t barriers;  // 8 bytes each: that a stage is full, then that it is empty
  int stage = 0, turn = 0;

  __device__ std::uint32_t full() const { return barriers + stage * 8; }
  __device__ std::uint32_t empty() const { return barriers + (kStages + stage) * 8; }
  __device__ void advance() {
    if (++stage == kStages) stage = 0, ++turn;
  }
};

}  // namespace umf
