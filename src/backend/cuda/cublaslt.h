// NVIDIA's matrix products, found when the program runs: a build with CUDA starts on machines that
// lack the library.
#pragma once

#include <cublasLt.h>

#include <string>

namespace umf {

// The functions of libcublasLt that we call.
struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulAlgoCheck) check_algorithm;
  decltype(&cublasLtMatmulDescCreate) create_operation;
  decltype(&cublasLtMatmulDescDestroy) destroy_operation;
  decltype(&cublasLtMatmulDescSetAttribute) set_operation;
  decltype(&cublasLtMatrixLayoutCreate) create_layout;
  decltype(&cublasLtMatrixLayoutDestroy) destroy_layout;
  decltype(&cublasLtMatmulPreferenceCreate) create_preference;
  decltype(&cublasLtMatmulPreferenceDestroy) destroy_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
};

// Why the library cannot be used here, or "".
std::string cublaslt_objection();
// Throws Error with the objection.
const CublasLt& cublaslt();

void check(cublasStatus_t status, const char* what);

}  // namespace umf
