// exp, log and their like, with the same bits on every machine.
#pragma once

// The C library's functions differ in the last bit from processor to processor (with and without
// fused multiply-add, x86-64 and arm64) and from version to version, and one bit decides a draw, a
// tie or a printed digit. These use nothing but operations whose rounding IEEE 754 fixes: + - * /,
// square roots and fma. Whatever enters a result is computed with them; tools/check-elementary
// holds the sources to that.
//
// Results are within 0.53 units in the last place, sine and cosine within 0.8, and those below
// 2^-1022 within one. Special values are those of the C library.
namespace umf::elementary {

double exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double pow(double base, double exponent);
double sin(double x);  // |x| < 2^30
double cos(double x);  // |x| < 2^30

}  // namespace umf::elementary
