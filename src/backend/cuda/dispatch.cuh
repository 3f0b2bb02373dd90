// From run-time types and alignments to compiled kernels.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backend/cuda/check.h"
#include "backend/cuda/vector.cuh"
#include "backend/cuda/view.h"

namespace umf {

// Groups of this view can be read and written 16 bytes at a time.
inline bool is_wide(const View& v) {
  const int per_word = static_cast<int>(16 / size_of(v.type));
  return reinterpret_cast<std::uintptr_t>(v.data) % 16 == 0 && v.stride % per_word == 0 &&
         v.cols % (per_word > kGroup ? per_word : kGroup) == 0;
}

template <class T>
T* pointer(const View& v) {
  return static_cast<T*>(v.data);
}

// use(T{}, wide): T is the type of activations.
template <class Use>
void dispatch(DType type, bool wide, const Use& use) {
  if (type == DType::kF32)
    wide ? use(float{}, std::true_type{}) : use(float{}, std::false_type{});
  else
    wide ? use(__nv_bfloat16{}, std::true_type{}) : use(__nv_bfloat16{}, std::false_type{});
}

inline void check_launch(const char* what) { check(cudaGetLastError(), what); }

inline unsigned blocks_for(std::size_t work, int threads) {
  return static_cast<unsigned>((work + threads - 1) / threads);
}

}  // namespace umf
