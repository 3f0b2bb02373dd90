#include "math/exact.h"

#include <cstdlib>

namespace umf {
namespace {

constexpr std::size_t kBitLimit = 1 << 14;
constexpr long kFactorialLimit = 2000;

bool small(const mpq_class& v) {
  return mpz_sizeinbase(v.get_num_mpz_t(), 2) < kBitLimit &&
         mpz_sizeinbase(v.get_den_mpz_t(), 2) < kBitLimit;
}

std::optional<mpq_class> if_small(const mpq_class& v) {
  return small(v) ? std::optional(v) : std::nullopt;
}

std::optional<mpq_class> integer_power(const mpq_class& base, const mpz_class& exponent) {
  if (exponent == 0) return mpq_class(1);
  if (base == 0) return exponent > 0 ? std::optional(mpq_class(0)) : std::nullopt;
  if (base == 1) return base;
  if (!mpz_fits_slong_p(exponent.get_mpz_t())) return std::nullopt;
  const unsigned long n = static_cast<unsigned long>(std::labs(exponent.get_si()));
  const std::size_t bits =
      std::max(mpz_sizeinbase(base.get_num_mpz_t(), 2), mpz_sizeinbase(base.get_den_mpz_t(), 2));
  if (n > kBitLimit || bits * n > kBitLimit) return std::nullopt;
  mpq_class result;
  mpz_pow_ui(result.get_num_mpz_t(), base.get_num_mpz_t(), n);
  mpz_pow_ui(result.get_den_mpz_t(), base.get_den_mpz_t(), n);
  if (exponent < 0) result = 1 / result;
  return result;
}

// The n-th root of a non-negative integer, where it is an integer.
std::optional<mpz_class> integer_root(const mpz_class& value, unsigned long n) {
  mpz_class root;
  if (value < 0 || mpz_root(root.get_mpz_t(), value.get_mpz_t(), n) == 0) return std::nullopt;
  return root;
}

std::optional<mpq_class> exact_power(const mpq_class& base, const mpq_class& exponent) {
  if (exponent.get_den() == 1) return integer_power(base, exponent.get_num());
  if (exponent.get_den() > 64 || base < 0) return std::nullopt;
  const unsigned long n = exponent.get_den().get_ui();
  const auto top = integer_root(base.get_num(), n), bottom = integer_root(base.get_den(), n);
  if (!top || !bottom) return std::nullopt;
  return integer_power(mpq_class(*top, *bottom), exponent.get_num());
}

mpz_class floor_of(const mpq_class& v) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), v.get_num_mpz_t(), v.get_den_mpz_t());
  return result;
}

// How often `base` divides out of the argument of a logarithm: log(8, 2) is 3.
std::optional<mpq_class> exact_logarithm(const mpq_class& value, const mpq_class& base) {
  if (value <= 0 || base <= 0 || base == 1) return std::nullopt;
  mpq_class rest = 1;
  for (int n = 0; n <= 256; ++n) {
    if (rest == value) return mpq_class(n);
    if (1 / rest == value) return mpq_class(-n);
    rest *= base;
    if (!small(rest)) break;
  }
  return std::nullopt;
}

std::optional<mpq_class> exact_function(const Expr& e) {
  std::vector<mpq_class> v;
  for (const Expr& arg : e->args) {
    const auto value = exact_value(arg);
    if (!value) return std::nullopt;
    v.push_back(*value);
  }
  if (e->name == "Abs") return abs(v[0]);
  if (e->name == "floor") return mpq_class(floor_of(v[0]));
  if (e->name == "ceiling") return mpq_class(-floor_of(-v[0]));
  if (e->name == "factorial") {
    const auto f = exact_factorial(v[0]);
    return f ? if_small(*f) : std::nullopt;
  }
  if (e->name == "binomial") {
    const auto b = exact_binomial(v[0], v[1]);
    return b ? if_small(*b) : std::nullopt;
  }
  if (e->name == "Mod" && v[1] != 0) return v[0] - v[1] * floor_of(v[0] / v[1]);
  if (e->name == "log" && v.size() == 2) return exact_logarithm(v[0], v[1]);
  if (e->name == "Max" || e->name == "Min") {
    mpq_class best = v[0];
    for (const mpq_class& x : v) {
      if (e->name == "Max" ? x > best : x < best) best = x;
    }
    return best;
  }
  return std::nullopt;
}

}  // namespace

std::optional<mpz_class> exact_factorial(const mpq_class& n) {
  if (n.get_den() != 1 || n < 0 || n > kFactorialLimit) return std::nullopt;
  mpz_class result;
  mpz_fac_ui(result.get_mpz_t(), n.get_num().get_ui());
  return result;
}

std::optional<mpz_class> exact_binomial(const mpq_class& n, const mpq_class& k) {
  if (n.get_den() != 1 || k.get_den() != 1 || abs(n) > kFactorialLimit || k > kFactorialLimit) {
    return std::nullopt;
  }
  if (k < 0) return mpz_class(0);
  mpz_class result;
  mpz_bin_ui(result.get_mpz_t(), n.get_num_mpz_t(), k.get_num().get_ui());
  return result;
}

std::optional<mpq_class> exact_value(const Expr& e) {
  switch (e->kind) {
    case Kind::kNumber:
      return if_small(e->value);
    case Kind::kAdd:
    case Kind::kMul: {
      mpq_class total = is(e, Kind::kAdd) ? 0 : 1;
      for (const Expr& arg : e->args) {
        const auto value = exact_value(arg);
        if (!value) return std::nullopt;
        if (is(e, Kind::kAdd))
          total += *value;
        else
          total *= *value;
        if (!small(total)) return std::nullopt;
      }
      return total;
    }
    case Kind::kPow: {
      const auto base = exact_value(e->args[0]), exponent = exact_value(e->args[1]);
      return base && exponent ? exact_power(*base, *exponent) : std::nullopt;
    }
    case Kind::kFunction:
      return exact_function(e);
    default:
      return std::nullopt;
  }
}

}  // namespace umf
