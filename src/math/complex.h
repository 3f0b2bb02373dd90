// Complex numbers of any precision, over MPFR. Functions take principal values.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

namespace umf {

// The precision of every Real made on this thread from now on, until the scope ends.
class PrecisionScope {
 public:
  explicit PrecisionScope(int bits);
  ~PrecisionScope();
  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;
  static int bits();

 private:
  int before_;
};

class Real {
 public:
  Real(double value = 0);  // NOLINT(google-explicit-constructor): numbers are numbers
  explicit Real(const mpq_class& value);
  Real(const Real& other);
  Real(Real&& other) noexcept;
  Real& operator=(Real other) noexcept;
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  bool is_zero() const { return mpfr_zero_p(value_) != 0; }
  bool is_finite() const { return mpfr_number_p(value_) != 0; }
  int sign() const { return mpfr_sgn(value_); }
  bool is_integer() const { return mpfr_integer_p(value_) != 0; }
  // |this| is in [2^(e-1), 2^e); very negative for 0.
  long exponent() const;
  double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

// MPFR's functions, rounded to the nearest.
template <class Function, class... Reals>
Real apply(Function function, const Reals&... x) {
  Real result;
  function(result.get(), x.get()..., MPFR_RNDN);
  return result;
}
inline Real operator-(const Real& x) { return apply(mpfr_neg, x); }
inline Real operator+(const Real& a, const Real& b) { return apply(mpfr_add, a, b); }
inline Real operator-(const Real& a, const Real& b) { return apply(mpfr_sub, a, b); }
inline Real operator*(const Real& a, const Real& b) { return apply(mpfr_mul, a, b); }
inline Real operator/(const Real& a, const Real& b) { return apply(mpfr_div, a, b); }
inline bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.get(), b.get()) != 0; }
inline Real pi() { return apply(mpfr_const_pi); }
inline Real abs(const Real& x) { return apply(mpfr_abs, x); }
inline Real round_to_integer(const Real& x) { return apply(mpfr_rint, x); }
// The integer next to `x` where `x` is one but for rounding, else `x`.
Real snapped(const Real& x);
Real floor(const Real& x);

struct Complex {
  Real re, im = 0;

  bool is_real() const { return im.is_zero(); }
  bool is_zero() const { return re.is_zero() && im.is_zero(); }
  bool is_finite() const { return re.is_finite() && im.is_finite(); }
};

inline Complex real(const Real& x) { return {x}; }
Complex operator+(const Complex& a, const Complex& b);
Complex operator-(const Complex& a, const Complex& b);
Complex operator*(const Complex& a, const Complex& b);
Complex operator/(const Complex& a, const Complex& b);
Real abs(const Complex& z);
Complex exp(const Complex& z);
Complex log(const Complex& z);
Complex sqrt(const Complex& z);
Complex sin(const Complex& z);
Complex cos(const Complex& z);
Complex pow(const Complex& base, const Complex& exponent);

}  // namespace umf
