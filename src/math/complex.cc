#include "math/complex.h"

#include <utility>

namespace umf {
namespace {

thread_local int current_bits = 128;

Complex integer_power(Complex base, unsigned long n) {
  Complex result{Real(1), Real()};
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) result = result * base;
    base = base * base;
  }
  return result;
}

}  // namespace

PrecisionScope::PrecisionScope(int bits) : before_(current_bits) { current_bits = bits; }
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

Real Real::operator-() const {
  Real result;
  mpfr_neg(result.value_, value_, MPFR_RNDN);
  return result;
}
Real operator+(const Real& a, const Real& b) {
  Real result;
  mpfr_add(result.value_, a.value_, b.value_, MPFR_RNDN);
  return result;
}
Real operator-(const Real& a, const Real& b) {
  Real result;
  mpfr_sub(result.value_, a.value_, b.value_, MPFR_RNDN);
  return result;
}
Real operator*(const Real& a, const Real& b) {
  Real result;
  mpfr_mul(result.value_, a.value_, b.value_, MPFR_RNDN);
  return result;
}
Real operator/(const Real& a, const Real& b) {
  Real result;
  mpfr_div(result.value_, a.value_, b.value_, MPFR_RNDN);
  return result;
}
bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_) != 0; }

Real pi() {
  Real result;
  mpfr_const_pi(result.get(), MPFR_RNDN);
  return result;
}
Real abs(const Real& x) { return apply(mpfr_abs, x); }

Real round_to_integer(const Real& x) {
  Real result;
  mpfr_rint(result.get(), x.get(), MPFR_RNDN);
  return result;
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
  if (a.is_real() && b.is_real()) return {a.re * b.re, Real()};
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Complex operator/(const Complex& a, const Complex& b) {
  if (b.is_real()) return {a.re / b.re, a.is_real() ? Real() : a.im / b.re};
  const Real norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}

Real abs(const Complex& z) {
  Real result;
  mpfr_hypot(result.get(), z.re.get(), z.im.get(), MPFR_RNDN);
  return result;
}

Complex exp(const Complex& z) {
  const Real size = apply(mpfr_exp, z.re);
  if (z.is_real()) return {size, Real()};
  return {size * apply(mpfr_cos, z.im), size * apply(mpfr_sin, z.im)};
}

Complex log(const Complex& z) {
  if (z.is_real() && z.re.sign() > 0) return {apply(mpfr_log, z.re), Real()};
  Real angle;
  // A zero without sign: what is on the negative axis has the angle pi, not -pi.
  const Real height = z.is_real() ? Real() : z.im;
  mpfr_atan2(angle.get(), height.get(), z.re.get(), MPFR_RNDN);
  return {apply(mpfr_log, abs(z)), angle};
}

Complex sqrt(const Complex& z) {
  if (z.is_real()) {
    if (z.re.sign() >= 0) return {apply(mpfr_sqrt, z.re), Real()};
    return {Real(), apply(mpfr_sqrt, -z.re)};
  }
  return exp(Complex{Real(0.5), Real()} * log(z));
}

Complex sin(const Complex& z) {
  if (z.is_real()) return {apply(mpfr_sin, z.re), Real()};
  return {apply(mpfr_sin, z.re) * apply(mpfr_cosh, z.im),
          apply(mpfr_cos, z.re) * apply(mpfr_sinh, z.im)};
}

Complex cos(const Complex& z) {
  if (z.is_real()) return {apply(mpfr_cos, z.re), Real()};
  return {apply(mpfr_cos, z.re) * apply(mpfr_cosh, z.im),
          -(apply(mpfr_sin, z.re) * apply(mpfr_sinh, z.im))};
}

Complex pow(const Complex& base, const Complex& exponent) {
  const Complex one{Real(1), Real()};
  if (exponent.is_zero()) return one;
  if (exponent.is_real() && exponent.re.is_integer() && exponent.re.exponent() < 20) {
    const long n = mpfr_get_si(exponent.re.get(), MPFR_RNDN);
    const Complex result = integer_power(base, static_cast<unsigned long>(n < 0 ? -n : n));
    return n < 0 ? one / result : result;
  }
  if (base.is_zero()) return base;
  if (base.is_real() && exponent.is_real() && base.re.sign() > 0) {
    Real result;
    mpfr_pow(result.get(), base.re.get(), exponent.re.get(), MPFR_RNDN);
    return {result, Real()};
  }
  if (exponent.is_real() && mpfr_cmp_d(exponent.re.get(), 0.5) == 0) return sqrt(base);
  return exp(exponent * log(base));
}

}  // namespace umf
