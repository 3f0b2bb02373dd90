#include "base/elementary.h"

#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace umf::elementary {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number as the sum of two, of which `low` is what does not fit into `high`: about 106 bits.
struct Pair {
  double high, low = 0;
};

// Exact.
Pair sum(double a, double b) {
  const double s = a + b, rest = s - a;
  return {s, (a - (s - rest)) + (b - rest)};
}
// Exact for |a| >= |b|.
Pair ordered_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
// Exact.
Pair product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

Pair operator-(Pair a) { return {-a.high, -a.low}; }
Pair operator+(Pair a, Pair b) {
  Pair high = sum(a.high, b.high);
  const Pair low = sum(a.low, b.low);
  high = ordered_sum(high.high, high.low + low.high);
  return ordered_sum(high.high, high.low + low.low);
}
Pair operator*(Pair a, Pair b) {
  const Pair p = product(a.high, b.high);
  return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
Pair operator/(Pair a, Pair b) {
  const double quotient = a.high / b.high;
  const Pair rest = a + -(b * Pair{quotient});
  return ordered_sum(quotient, rest.high / b.high);
}
Pair scaled(Pair a, double power_of_two) { return {a.high * power_of_two, a.low * power_of_two}; }

// To the nearest integer, for |x| < 2^51: rint() without a call.
double rounded(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

// ln 2 and pi / 2 in three parts. Multiples of the first of ln 2 by any exponent are exact.
constexpr double kLn2[] = {0x1.62e42fefap-1, 0x1.cf79abc9e3b3ap-40, -0x1.ff0342542fc33p-94};
constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr Pair kThird{0x1.5555555555555p-2, 0x1.5555555555555p-56};

// e^x - 1 for |x| < 0.35: the series of a sixteenth, of which all from the third term on need no
// more than a double, and four times (1 + y)^2 - 1 = y (y + 2).
Pair small_expm1(Pair x) {
  x = scaled(x, 1.0 / 16);
  const double t = x.high;
  double tail = 0;
  for (int n = 10; n > 3; --n) tail = (1 + tail) * t / n;
  tail = (1 + tail) * t * t * t / 6;
  Pair y = x + (scaled(x * x, 0.5) + Pair{tail});
  for (int doubling = 0; doubling < 4; ++doubling) y = y * (y + Pair{2});
  return y;
}

// e^x = (1 + y) 2^k, for |x| < 800.
struct Power {
  int k;
  Pair y;
};
Power power_of_e(Pair x) {
  const double k = rounded(x.high * kInverseLn2);
  const Pair rest = sum(x.high - k * kLn2[0], x.low) + -product(k, kLn2[1]) + Pair{-k * kLn2[2]};
  return {static_cast<int>(k), small_expm1(rest)};
}

// 2^(j / 64), and what does not fit.
constexpr int kSteps = 64;
const std::array<Pair, kSteps>& powers_of_two() {
  static const std::array<Pair, kSteps> powers = [] {
    std::array<Pair, kSteps> made;
    for (int j = 0; j < kSteps; ++j) {
      const double share = static_cast<double>(j) / kSteps;
      const Pair x = Pair{share * kLn2[0]} + product(share, kLn2[1]);
      const Pair half = Pair{1} + small_expm1(scaled(x, 0.5));
      made[j] = half * half;
    }
    return made;
  }();
  return powers;
}

// Sixty-fourths of powers of two, times e to a rest of which a double knows enough.
double exp(Pair x) {
  if (x.high > 710) return kInfinity;
  if (x.high < -746) return 0;
  const double k = rounded(x.high * (kSteps * kInverseLn2));
  const int steps = static_cast<int>(k);
  const double t = (x.high - k * (kLn2[0] / kSteps)) + (x.low - k * (kLn2[1] / kSteps));
  const double tail =
      t * t * (1.0 / 2 + t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t / 720))));
  const auto [high, low] = powers_of_two()[steps & (kSteps - 1)];
  return std::ldexp(high + (low + high * (t + tail)), steps >> 6);
}

// ln x for x > 0: that of a number between the roots of 1/2 and 2, as 2 atanh((m - 1) / (m + 1)).
Pair log(Pair x) {
  int exponent;
  double high = std::frexp(x.high, &exponent);
  if (high < 0x1.6a09e667f3bcdp-1) high *= 2, --exponent;
  const double low = std::ldexp(x.low, -exponent);
  const Pair s = (sum(high, -1) + Pair{low}) / (sum(high, 1) + Pair{low}), square = s * s;
  const double z = square.high;
  double tail = 0;
  for (int n = 25; n > 3; n -= 2) tail = z * (1.0 / n + tail);
  const Pair mantissa = s + (s * square * kThird + Pair{s.high * z * tail});
  const double e = exponent;
  return Pair{e * kLn2[0]} + (product(e, kLn2[1]) + Pair{e * kLn2[2]}) + scaled(mantissa, 2);
}

// The same to a double: behind the leading term of the series and its rest, all is small.
double quick_log(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --exponent;
  const Pair below = sum(m, 1);
  const double s = (m - 1) / below.high;
  const double rest = (std::fma(-s, below.high, m - 1) - s * below.low) / below.high;
  const double z = s * s;
  double tail = 0;
  for (int n = 25; n > 1; n -= 2) tail = z * (1.0 / n + tail);
  const double e = exponent;
  const Pair leading = sum(e * kLn2[0], 2 * s);
  return leading.high + (leading.low + (2 * (rest + s * tail) + e * kLn2[1]));
}

// x less a multiple of pi / 2, within pi / 4 of 0; `quarter` is which multiple.
Pair reduced(double x, int& quarter) {
  assert(std::abs(x) < 0x1p30);
  const double n = rounded(x * 0x1.45f306dc9c883p-1);
  quarter = static_cast<int>(n) & 3;
  if (n == 0) return {x};
  const Pair whole = product(n, kHalfPi[0]);
  return sum(x - whole.high, -whole.low) + -product(n, kHalfPi[1]) + Pair{-n * kHalfPi[2]};
}

// sin and cos of a reduced angle: one rounding of the leading terms, all others are small.
double small_sin(Pair x) {
  const double z = x.high * x.high;
  double tail = 1;
  for (int n = 20; n > 2; n -= 2) tail = 1 - z / (n * (n + 1)) * tail;
  return x.high + (x.low * (1 - z / 2) - x.high * z / 6 * tail);
}
double small_cos(Pair x) {
  const double z = x.high * x.high, half = z / 2, leading = 1 - half;
  double tail = 1;
  for (int n = 21; n > 3; n -= 2) tail = 1 - z / (n * (n + 1)) * tail;
  return leading + (((1 - leading) - half) + (z * z / 24 * tail - x.high * x.low));
}

bool is_tiny(double x) { return std::abs(x) < 0x1p-54; }

}  // namespace

double exp(double x) { return std::isnan(x) ? x : exp(Pair{x}); }

double expm1(double x) {
  if (std::isnan(x) || is_tiny(x) || x > 710) return x > 710 ? kInfinity : x;
  if (x < -40) return -1;
  const auto [k, y] = power_of_e({x});
  if (k == 0) return y.high;
  const Pair power = Pair{1} + y;
  const double half = std::ldexp(1.0, k - 1);  // 2^1024 is no number
  return ((scaled(power, half) + Pair{-0.5}).high) * 2;
}

double log(double x) {
  if (x == 0) return -kInfinity;
  if (x < 0) return kNaN;
  return std::isfinite(x) ? quick_log(x) : x;
}

double log1p(double x) {
  if (x == -1) return -kInfinity;
  if (x < -1) return kNaN;
  return std::isfinite(x) && !is_tiny(x) ? log(sum(1, x)).high : x;
}

double pow(double base, double exponent) {
  // What is special has one exact answer, which the C library gives.
  if (!std::isfinite(base) || !std::isfinite(exponent) || base == 0 || exponent == 0) {
    return std::pow(base, exponent);
  }
  if (base < 0) {
    if (exponent != std::rint(exponent)) return kNaN;
    return std::fmod(exponent, 2) == 0 ? pow(-base, exponent) : -pow(-base, exponent);
  }
  const Pair power = log(Pair{base});
  const double size = power.high * exponent;
  if (std::abs(size) > 800) return size > 0 ? kInfinity : 0;
  return exp(power * Pair{exponent});
}

double sin(double x) {
  int quarter;
  const Pair rest = reduced(x, quarter);
  const double size = quarter % 2 == 0 ? small_sin(rest) : small_cos(rest);
  return quarter < 2 ? size : -size;
}

double cos(double x) {
  int quarter;
  const Pair rest = reduced(x, quarter);
  const double size = quarter % 2 == 0 ? small_cos(rest) : small_sin(rest);
  return quarter == 0 || quarter == 3 ? size : -size;
}

}  // namespace umf::elementary
