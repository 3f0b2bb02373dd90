// What a backend knows of a device that it could run on: a GPU, or the machine itself.
#pragma once

#include <cstdint>
#include <string>

namespace umf {

struct DeviceFacts {
  std::string name;          // for people: "NVIDIA H200", "AVX-512, 2 threads"
  std::string capability;    // compute capability, "9.0"; empty where there is none
  std::uint64_t memory = 0;  // bytes of its own; 0 where it has the machine's
  int processors = 0;        // that its operations are cut for; 0 where results do not depend on it
  std::string objection;     // why the backend cannot use it, or ""

  // Whether both give the same bits: products are chosen by the kind of GPU.
  bool computes_as(const DeviceFacts& other) const {
    return name == other.name && capability == other.capability && processors == other.processors;
  }
};

}  // namespace umf
