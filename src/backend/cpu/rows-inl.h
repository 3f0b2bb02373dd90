// Operations on one row at a time: norm, rotation, activations, weighted sums.
#if defined(UMF_CPU_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_ROWS_INL_H
#undef UMF_CPU_ROWS_INL_H
#else
#define UMF_CPU_ROWS_INL_H
#endif

#include "backend/cpu/kernels.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

inline void rms_norm(const float* x, const float* gains, float eps, int count, float* out) {
  Lanes16 squares;
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    for (std::size_t v = 0; v < Lanes16::kVectors; ++v) {
      const VF value = hn::LoadU(F32(), x + i + v * kLanes);
      squares.v[v] = fma(value, value, squares.v[v]);
    }
  }
  for (std::size_t v = 0; i < count; ++v, i += kLanes) {
    const VF value = load_first(x + i, count - i);
    squares.v[v] = fma(value, value, squares.v[v]);
  }
  const float mean = squares.sum() / static_cast<float>(count);
  const VF factor = set(1.0f / std::sqrt(mean + eps));
  for (i = 0; i < count; i += kLanes) {
    const VF value = hn::Mul(load_first(x + i, count - i), factor);
    store_first(hn::Mul(value, load_first(gains + i, count - i)), out + i, count - i);
  }
}

// Element j of a head pairs with j + rotated / 2 (docs/models.md#rotation).
inline void rotate(float* x, const float* cosines, const float* sines, const RotatedHeads& heads) {
  const int half = heads.rotated / 2;
  for (int head = 0; head < heads.count; ++head, x += heads.dim) {
    for (int j = 0; j < half; j += kLanes) {
      const std::size_t left = half - j;
      const VF a = load_first(x + j, left), b = load_first(x + half + j, left);
      const VF c = load_first(cosines + j, left), s = load_first(sines + j, left);
      store_first(fma(a, c, hn::Neg(hn::Mul(b, s))), x + j, left);
      store_first(fma(b, c, hn::Mul(a, s)), x + half + j, left);
    }
  }
}

inline void gated_silu(const float* gate, const float* up, int count, float* out) {
  for (int i = 0; i < count; i += kLanes) {
    const std::size_t left = count - i;
    const VF g = load_first(gate + i, left);
    const VF silu = hn::Div(g, hn::Add(set(1.0f), exp(hn::Neg(g))));
    store_first(hn::Mul(silu, load_first(up + i, left)), out + i, left);
  }
}

inline void relu(float* x, int count) {
  for (int i = 0; i < count; i += kLanes) {
    const std::size_t left = count - i;
    const VF value = load_first(x + i, left);
    store_first(hn::IfThenElse(hn::Gt(value, hn::Zero(F32())), value, hn::Zero(F32())), x + i,
                left);
  }
}

inline void add_scaled(const float* x, float factor, int count, float* out) {
  const VF scale = set(factor);
  for (int i = 0; i < count; i += kLanes) {
    const std::size_t left = count - i;
    store_first(fma(scale, load_first(x + i, left), load_first(out + i, left)), out + i, left);
  }
}

inline void exp_all(const float* x, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    store_first(exp(load_first(x + i, count - i)), out + i, count - i);
  }
}

inline void log_all(const float* x, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    store_first(log(load_first(x + i, count - i)), out + i, count - i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_ROWS_INL_H
