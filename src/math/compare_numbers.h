// Comparing values by number: the order of two constants, and equality of expressions at points.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "math/evaluate.h"
#include "math/expr.h"

namespace umf {

// -1, 0 or 1 for two real constants (infinities included); nothing where they are not such.
std::optional<int> compare_values(const Expr& a, const Expr& b);

// The symbols of `e` and its unknown functions, such as f(x), by canonical text.
using Unknowns = std::map<std::string, Expr>;
Unknowns unknowns_of(const Expr& e);

// A constant's numeric value at the thread's precision; nothing with symbols, sets, infinities.
std::optional<Complex> constant_value(const Expr& e, Work& work);

// Both parts the same when rounded to so many decimals.
bool equal_when_rounded(const Complex& a, const Complex& b, int decimals);

enum class Truth { kNo, kYes, kUnknown };

// Is the difference of two constants below what so many digits can tell from 0? Absolute, as the
// reference has it: 1/2^99 and 1/2^98 are nearly equal.
Truth nearly_equal(const Expr& a, const Expr& b, int digits, Work& work);

// Is a - b zero, at points of every sign and to many digits? kUnknown where too few points are
// defined. Decimals count as equal when their doubles would.
Truth identically_equal(const Expr& a, const Expr& b, Work& work);

// Is `a` a constant multiple of `b`, with a factor other than 0?
Truth proportional(const Expr& a, const Expr& b, Work& work);

// The unique `name` with f = 0, where f is linear in it and `g` is, too, is the same for both.
Truth same_linear_root(const Expr& f, const Expr& g, const std::string& name, Work& work);

}  // namespace umf
