// What the kernels share, once per target: fused multiply-add, 16-lane sums, exp and log.
#if defined(UMF_CPU_VEC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_VEC_INL_H
#undef UMF_CPU_VEC_INL_H
#else
#define UMF_CPU_VEC_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::CappedTag<float, 16>;
using I32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;
using VU = hn::Vec<U32>;

// Lanes of one vector: 16 (AVX-512), 8 (AVX2), 4 (NEON), 1 (scalar).
inline constexpr std::size_t kLanes = hn::MaxLanes(F32());
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

HWY_INLINE VF set(float x) { return hn::Set(F32(), x); }

// a * b + c, rounded once. Highway's own scalar MulAdd rounds twice.
HWY_INLINE VF fma(VF a, VF b, VF c) {
#if HWY_TARGET == HWY_SCALAR
  return VF(std::fma(a.raw, b.raw, c.raw));
#else
  return hn::MulAdd(a, b, c);
#endif
}

// The first `count` lanes, the others 0; memory past them is not touched.
HWY_INLINE VF load_first(const float* from, std::size_t count) {
  const F32 d;
  return count >= kLanes ? hn::LoadU(d, from) : hn::MaskedLoad(hn::FirstN(d, count), d, from);
}
HWY_INLINE void store_first(VF v, float* to, std::size_t count) {
  const F32 d;
  if (count >= kLanes) {
    hn::StoreU(v, d, to);
  } else {
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
  }
}

// Sixteen partial sums, whatever the width of the machine's vectors: element i of the summed row
// belongs to lane i % 16, and one fixed tree adds the lanes. All targets therefore round alike.
struct Lanes16 {
  static constexpr std::size_t kVectors = 16 / kLanes;
  VF v[kVectors];

  HWY_INLINE Lanes16() {
    for (std::size_t i = 0; i < kVectors; ++i) v[i] = hn::Zero(F32());
  }
  HWY_INLINE float sum() const {
    HWY_ALIGN float lanes[16];
    for (std::size_t i = 0; i < kVectors; ++i) hn::Store(v[i], F32(), lanes + i * kLanes);
    for (int width = 8; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
    }
    return lanes[0];
  }
};

// e^x to about 1 ulp (the range reduction and polynomial of Cephes expf). Results below the
// smallest normal number are 0, above the largest inf; exp(-inf) = 0, exp(0) = 1, NaN stays NaN.
HWY_INLINE VF exp(VF x) {
  const I32 di;
  const F32 d;
  const VF magic = set(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const VF shifted = fma(x, set(1.44269504088896341f), magic);
  const VF n = hn::Sub(shifted, magic);
  VF r = fma(n, set(-0.693359375f), x);  // ln 2 in two parts; the first product is exact
  r = fma(n, set(2.12194440e-4f), r);
  VF p = set(1.9875691500e-4f);
  p = fma(p, r, set(1.3981999507e-3f));
  p = fma(p, r, set(8.3334519073e-3f));
  p = fma(p, r, set(4.1665795894e-2f));
  p = fma(p, r, set(1.6666665459e-1f));
  p = fma(p, r, set(5.0000001201e-1f));
  p = hn::Add(fma(p, hn::Mul(r, r), r), set(1.0f));
  // p is in (0.7, 1.42): the exponent can be added as an integer.
  const VI exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  VF y = hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  y = hn::IfThenElse(hn::Lt(x, set(-87.3365448f)), hn::Zero(d), y);
  return hn::IfThenElse(hn::Gt(x, set(88.7228394f)), set(kInfinity), y);
}

// ln x to about 1 ulp for positive normal x (Cephes logf).
HWY_INLINE VF log(VF x) {
  const I32 di;
  const F32 d;
  // Split x = m * 2^e with m in [sqrt(1/2), sqrt(2)).
  const VI half = hn::Set(di, 0x3F3504F3);  // sqrt(1/2)
  const VI e = hn::ShiftRight<23>(hn::Sub(hn::BitCast(di, x), half));
  const VF f =
      hn::Sub(hn::BitCast(d, hn::Sub(hn::BitCast(di, x), hn::ShiftLeft<23>(e))), set(1.0f));
  const VF exponent = hn::ConvertTo(d, e);
  const VF z = hn::Mul(f, f);
  VF p = set(7.0376836292e-2f);
  p = fma(p, f, set(-1.1514610310e-1f));
  p = fma(p, f, set(1.1676998740e-1f));
  p = fma(p, f, set(-1.2420140846e-1f));
  p = fma(p, f, set(1.4249322787e-1f));
  p = fma(p, f, set(-1.6668057665e-1f));
  p = fma(p, f, set(2.0000714765e-1f));
  p = fma(p, f, set(-2.4999993993e-1f));
  p = fma(p, f, set(3.3333331174e-1f));
  p = hn::Mul(hn::Mul(p, f), z);
  p = fma(exponent, set(-2.12194440e-4f), p);
  p = fma(z, set(-0.5f), p);
  return fma(exponent, set(0.693359375f), hn::Add(f, p));
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_VEC_INL_H
