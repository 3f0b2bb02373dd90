#include "backend/cuda/cublaslt.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "base/error.h"

namespace umf {
namespace {

constexpr const char* kNames[] = {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13"};

struct Library {
  CublasLt functions{};
  std::string objection;

  Library() {
    void* handle = nullptr;
    for (const char* name : kNames) {
      if (!handle) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (!handle) {
      objection = fmt::format(
          "{} of the CUDA 13 toolkit was not found; install it or add its folder to "
          "LD_LIBRARY_PATH",
          kNames[0]);
      return;
    }
    const auto find = [&](auto& function, const char* name) {
      using Function = std::remove_reference_t<decltype(function)>;
      function = reinterpret_cast<Function>(::dlsym(handle, name));
      if (!function && objection.empty()) {
        objection = fmt::format("{} has no function {}; install that of CUDA 13", kNames[0], name);
      }
    };
    find(functions.create, "cublasLtCreate");
    find(functions.destroy, "cublasLtDestroy");
    find(functions.version, "cublasLtGetVersion");
    find(functions.matmul, "cublasLtMatmul");
    find(functions.heuristic, "cublasLtMatmulAlgoGetHeuristic");
    find(functions.check_algorithm, "cublasLtMatmulAlgoCheck");
    find(functions.create_operation, "cublasLtMatmulDescCreate");
    find(functions.destroy_operation, "cublasLtMatmulDescDestroy");
    find(functions.set_operation, "cublasLtMatmulDescSetAttribute");
    find(functions.create_layout, "cublasLtMatrixLayoutCreate");
    find(functions.destroy_layout, "cublasLtMatrixLayoutDestroy");
    find(functions.create_preference, "cublasLtMatmulPreferenceCreate");
    find(functions.destroy_preference, "cublasLtMatmulPreferenceDestroy");
    find(functions.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

std::string cublaslt_objection() { return library().objection; }

const CublasLt& cublaslt() {
  if (!library().objection.empty()) throw Error("cuda: " + library().objection);
  return library().functions;
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(
      fmt::format("cuda: {} failed: cuBLASLt status {}. Pass --backend cpu to go on without "
                  "the GPU",
                  what, static_cast<int>(status)));
}

}  // namespace umf
