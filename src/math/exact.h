// Exact rational values of trees, where they are small enough to be written down.
#pragma once

#include <gmpxx.h>

#include <optional>

#include "math/expr.h"

namespace umf {

// The value of `e` where it is rational by exact arithmetic alone: no symbols, no decimals, integer
// powers, factorials, binomials, roots that come out even. Nothing where it is not or would take
// more than a few thousand bits.
std::optional<mpq_class> exact_value(const Expr& e);

// n! and n over k for arguments of bounded size.
std::optional<mpz_class> exact_factorial(const mpq_class& n);
std::optional<mpz_class> exact_binomial(const mpq_class& n, const mpq_class& k);

}  // namespace umf
