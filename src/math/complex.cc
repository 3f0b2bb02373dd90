#include "math/complex.h"

#include <utility>

namespace umf {
namespace {

thread_local int current_bits = 128;

// MPFR keeps constants for each thread and would lose them with it.
struct ConstantsOfThread {
  ~ConstantsOfThread() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

Complex integer_power(Complex base, unsigned long n) {
  Complex result = real(1);
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) result = result * base;
    base = base * base;
  }
  return result;
}

}  // namespace

PrecisionScope::PrecisionScope(int bits) : before_(current_bits) {
  thread_local const ConstantsOfThread constants;
  static_cast<void>(constants);
  current_bits = bits;
}
PrecisionScope::~PrecisionScope() { current_bits = before_; }
int PrecisionScope::bits() { return current_bits; }

Real::Real(double value) {
  mpfr_init2(value_, current_bits);
  mpfr_set_d(value_, value, MPFR_RNDN);
}
Real::Real(const mpq_class& value) {
  mpfr_init2(value_, current_bits);
  mpfr_set_q(value_, value.get_mpq_t(), MPFR_RNDN);
}
Real::Real(const Real& other) {
  mpfr_init2(value_, mpfr_get_prec(other.value_));
  mpfr_set(value_, other.value_, MPFR_RNDN);
}
Real::Real(Real&& other) noexcept {
  mpfr_init2(value_, MPFR_PREC_MIN);
  mpfr_swap(value_, other.value_);
}
Real& Real::operator=(Real other) noexcept {
  mpfr_swap(value_, other.value_);
  return *this;
}

long Real::exponent() const {
  return mpfr_regular_p(value_) != 0 ? mpfr_get_exp(value_) : mpfr_get_emin();
}

Real snapped(const Real& x) {
  Real nearest = round_to_integer(x);
  return (x - nearest).exponent() < -current_bits / 2 ? nearest : x;
}

Real floor(const Real& x) {
  Real result;
  mpfr_floor(result.get(), snapped(x).get());
  return result;
}

Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }

Complex operator*(const Complex& a, const Complex& b) {
  if (a.is_real() && b.is_real()) return real(a.re * b.re);
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Complex operator/(const Complex& a, const Complex& b) {
  if (b.is_real()) return {a.re / b.re, a.is_real() ? Real() : a.im / b.re};
  const Real norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}

Real abs(const Complex& z) { return apply(mpfr_hypot, z.re, z.im); }

Complex exp(const Complex& z) {
  const Real size = apply(mpfr_exp, z.re);
  if (z.is_real()) return real(size);
  return {size * apply(mpfr_cos, z.im), size * apply(mpfr_sin, z.im)};
}

Complex log(const Complex& z) {
  if (z.is_real() && z.re.sign() > 0) return real(apply(mpfr_log, z.re));
  // A zero without sign: what is on the negative axis has the angle pi, not -pi.
  const Real height = z.is_real() ? Real() : z.im;
  return {apply(mpfr_log, abs(z)), apply(mpfr_atan2, height, z.re)};
}

Complex sqrt(const Complex& z) {
  if (z.is_real()) {
    if (z.re.sign() >= 0) return real(apply(mpfr_sqrt, z.re));
    return {Real(), apply(mpfr_sqrt, -z.re)};
  }
  return exp(real(0.5) * log(z));
}

Complex sin(const Complex& z) {
  if (z.is_real()) return real(apply(mpfr_sin, z.re));
  return {apply(mpfr_sin, z.re) * apply(mpfr_cosh, z.im),
          apply(mpfr_cos, z.re) * apply(mpfr_sinh, z.im)};
}

Complex cos(const Complex& z) {
  if (z.is_real()) return real(apply(mpfr_cos, z.re));
  return {apply(mpfr_cos, z.re) * apply(mpfr_cosh, z.im),
          -(apply(mpfr_sin, z.re) * apply(mpfr_sinh, z.im))};
}

Complex pow(const Complex& base, const Complex& exponent) {
  const Complex one = real(1);
  if (exponent.is_zero()) return one;
  if (exponent.is_real() && exponent.re.is_integer() && exponent.re.exponent() < 20) {
    const long n = mpfr_get_si(exponent.re.get(), MPFR_RNDN);
    const Complex result = integer_power(base, static_cast<unsigned long>(n < 0 ? -n : n));
    return n < 0 ? one / result : result;
  }
  if (base.is_zero()) return base;
  if (base.is_real() && exponent.is_real() && base.re.sign() > 0) {
    return real(apply(mpfr_pow, base.re, exponent.re));
  }
  if (exponent.is_real() && mpfr_cmp_d(exponent.re.get(), 0.5) == 0) return sqrt(base);
  return exp(exponent * log(base));
}

}  // namespace umf
