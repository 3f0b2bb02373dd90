// NVIDIA GPUs. In a build without CUDA absent.cc stands in and says so.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace umf {

// Why the cuda backend cannot run here, or "".
std::string cuda_objection();

std::unique_ptr<Backend> make_cuda_backend();

}  // namespace umf
