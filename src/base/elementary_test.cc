#include "base/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/random.h"
#include "base/sha256.h"

namespace umf {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Known {
  const char* name;
  double (*function)(double);
  double x, nearest;  // computed with 300 bits (mpmath), and rounded
};
constexpr Known kKnown[] = {
    {"exp", elementary::exp, 0x1p+0, 0x1.5bf0a8b145769p+1},
    {"exp", elementary::exp, -0x1p+0, 0x1.78b56362cef38p-2},
    {"exp", elementary::exp, 0x1p-1, 0x1.a61298e1e069cp+0},
    {"exp", elementary::exp, -0x1.e4p+4, 0x1.4835bd010a41bp-44},
    {"exp", elementary::exp, 0x1.12e0be826d695p-30, 0x1.000000044b83p+0},
    {"exp", elementary::exp, 0x1.5ep+9, 0x1.d945df4f8ec8ep+1009},
    {"exp", elementary::exp, -0x1.5ep+9, 0x1.14f2b0fb9307fp-1010},
    {"exp", elementary::exp, -0x1.c2fcf590aedecp+0, 0x1.5fc255f30ef6bp-3},
    {"expm1", elementary::expm1, 0x1.19799812dea11p-40, 0x1.19799812df3bdp-40},
    {"expm1", elementary::expm1, -0x1.3333333333333p-2, -0x1.0966f2c7907f6p-2},
    {"expm1", elementary::expm1, 0x1p-2, 0x1.22d78f0fa061ap-2},
    {"expm1", elementary::expm1, 0x1p+0, 0x1.b7e151628aed3p+0},
    {"expm1", elementary::expm1, -0x1.4p+4, -0x1.ffffffee4b79bp-1},
    {"expm1", elementary::expm1, -0x1.bee9be20d407ap+1, -0x1.f068370242ebbp-1},
    {"log", elementary::log, 0x1p+1, 0x1.62e42fefa39efp-1},
    {"log", elementary::log, 0x1p-1, -0x1.62e42fefa39efp-1},
    {"log", elementary::log, 0x1.4p+3, 0x1.26bb1bbb55516p+1},
    {"log", elementary::log, 0x1.fff2e48e8a71ep-1, -0x1.a3738d2cf1cc2p-14},
    {"log", elementary::log, 0x1.00068db8bac71p+0, 0x1.a368d0657fcd4p-14},
    {"log", elementary::log, 0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
    {"log", elementary::log, 0x1.56e1fc2f8f359p-997, -0x1.5963447f87fb5p+9},
    {"log", elementary::log, 0x1.4d474883171ffp-1, -0x1.b7a68e4cfdc68p-2},
    {"log1p", elementary::log1p, 0x1.19799812dea11p-40, 0x1.19799812de065p-40},
    {"log1p", elementary::log1p, -0x1p-1, -0x1.62e42fefa39efp-1},
    {"log1p", elementary::log1p, 0x1p-2, 0x1.c8ff7c79a9a22p-3},
    {"log1p", elementary::log1p, -0x1.ff7ced916872bp-1, -0x1.ba18a998fff9fp+2},
    {"log1p", elementary::log1p, 0x1.2a05f2p+33, 0x1.7069e2aa3184ep+4},
    {"log1p", elementary::log1p, 0x1.28b2f3a47e1p-4, 0x1.1e7206ff04b1p-4},
    {"sin", elementary::sin, 0x1p+0, 0x1.aed548f090ceep-1},
    {"sin", elementary::sin, 0x1.8p+1, 0x1.210386db6d55bp-3},
    {"sin", elementary::sin, -0x1.999999999999ap-4, -0x1.98eaecb8bcb2cp-4},
    {"sin", elementary::sin, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
    {"sin", elementary::sin, 0x1.86ap+16, 0x1.24daa9c527e96p-5},
    {"sin", elementary::sin, 0x1.df5e76p+24, -0x1.056f1b25bc3bap-1},
    {"sin", elementary::sin, 0x1.9b8eb0690957p+1, -0x1.2d99741a64d71p-4},
    {"cos", elementary::cos, 0x1p+0, 0x1.14a280fb5068cp-1},
    {"cos", elementary::cos, 0x1.8p+1, -0x1.fae04be85e5d2p-1},
    {"cos", elementary::cos, -0x1.999999999999ap-4, 0x1.fd712f9a817c1p-1},
    {"cos", elementary::cos, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {"cos", elementary::cos, 0x1.86ap+16, -0x1.ffac3841b3da7p-1},
    {"cos", elementary::cos, 0x1.df5e76p+24, 0x1.b8391446892e9p-1},
    {"cos", elementary::cos, 0x1.18d95dd7f2992p+1, -0x1.2ae103b88b95fp-1},
};
struct KnownPower {
  double base, exponent, nearest;
};
constexpr KnownPower kKnownPowers[] = {
    {0x1.388p+13, -0x1p-2, 0x1.999999999999ap-4},
    {0x1.3333333333333p-2, 0x1.ep+2, 0x1.f66c3ac3622b4p-14},
    {0x1.000001ad7f29bp+0, 0x1.dcd65p+29, 0x1.349445c228792p+144},
    {0x1p+1, 0x1p-1, 0x1.6a09e667f3bcdp+0},
    {0x1.4f8b588e368f1p-17, -0x1.fp+4, 0x1.dd55745cbb7d8p+514},
};

bool is_next_to(double a, double b) { return a == b || std::nextafter(a, b) == b; }
bool is_same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(Elementary, ResultsAreTheNearestNumbersOrNextToThem) {
  for (const Known& known : kKnown) {
    EXPECT_PRED2(is_next_to, known.function(known.x), known.nearest)
        << known.name << " of " << known.x;
  }
  for (const auto& [base, exponent, nearest] : kKnownPowers) {
    EXPECT_PRED2(is_next_to, elementary::pow(base, exponent), nearest) << base << "^" << exponent;
  }
}

TEST(Elementary, PowersThatAreNumbersAreExact) {
  double ten = 1, three = 1;
  for (int n = 0; n <= 22; ++n, ten *= 10, three *= 3) {
    EXPECT_EQ(elementary::pow(10, n), ten);
    EXPECT_EQ(elementary::pow(-3, n), n % 2 == 0 ? three : -three);
  }
  for (int n = -1070; n < 1024; ++n) EXPECT_EQ(elementary::pow(2, n), std::ldexp(1.0, n));
}

TEST(Elementary, SpecialValuesAreThoseOfTheCLibrary) {
  const double values[] = {0.0,  -0.0,  1,      -1,      0.5,     -0.5,      2,
                           -2,   3,     -3,     1e-310,  -1e-310, kInfinity, -kInfinity,
                           kNaN, 1e300, -1e300, 709.783, -745.2};
  for (const double x : values) {
    for (const double y : values) {
      const double ours = elementary::pow(x, y), theirs = std::pow(x, y);
      EXPECT_TRUE(is_same(ours, theirs) || is_next_to(ours, theirs)) << x << "^" << y;
    }
  }
  const auto agree = [&](auto ours, auto theirs) {
    for (const double x : values) {
      const double a = ours(x), b = theirs(x);
      EXPECT_TRUE(is_same(a, b) || (b != 0 && is_next_to(a, b))) << x << ": " << a << ", not " << b;
    }
  };
  agree(elementary::exp, [](double x) { return std::exp(x); });
  agree(elementary::expm1, [](double x) { return std::expm1(x); });
  agree(elementary::log, [](double x) { return std::log(x); });
  agree(elementary::log1p, [](double x) { return std::log1p(x); });
}

// Of 30,000 numbers each, from small to large. `powers` of two is how large.
std::string fingerprint(const std::function<double(double)>& function, bool negative, int powers) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 30000; ++i) {
    const NoiseKey key{1, 2};
    const std::uint64_t word = std::uint64_t{noise_word(key, i, 0)} << 21 ^ noise_word(key, i, 1);
    const int power = -static_cast<int>(i % 24) + powers;
    const double x = std::ldexp(static_cast<double>(word), power - 53);
    const double result = function(negative && i % 2 == 1 ? -x : x);
    bytes.append(reinterpret_cast<const char*>(&result), sizeof result);
  }
  return sha256(bytes).substr(0, 16);
}

// What makes results on one machine equal to those on another: a processor, a compiler or a
// library that rounds one of 210,000 numbers in another way is found here.
TEST(Elementary, EveryMachineHasTheseBits) {
  EXPECT_EQ(fingerprint(elementary::exp, true, 9), "e63bac4fcab6fe9a");
  EXPECT_EQ(fingerprint(elementary::expm1, true, 6), "5d9c6b40a02d68e2");
  EXPECT_EQ(fingerprint(elementary::log, false, 12), "96819dd2147d885a");
  EXPECT_EQ(fingerprint(elementary::log1p, false, 12), "42ac6229e4191859");
  EXPECT_EQ(fingerprint(elementary::sin, true, 20), "28eec9cf47962693");
  EXPECT_EQ(fingerprint(elementary::cos, true, 20), "23aaf1080c015ee9");
  EXPECT_EQ(fingerprint([](double x) { return elementary::pow(x, 7 - x); }, false, 6),
            "60d381bee23b1300");
}

}  // namespace
}  // namespace umf
