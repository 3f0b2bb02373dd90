#include "math/matrix.h"

#include "math/exact.h"
#include "math/latex_lexer.h"

namespace umf {
namespace {

constexpr std::size_t kDeterminantLimit = 5, kSizeLimit = 20;

const Expr& entry(const Expr& m, std::size_t row, std::size_t column) {
  return m->args[row * m->columns + column];
}

Expr simplified(const Expr& e) {
  const auto value = exact_value(e);
  return value ? number(*value) : e;
}

Expr minor_of(const Expr& m, std::size_t column) {
  std::vector<Expr> entries;
  for (std::size_t r = 1; r < rows(m); ++r) {
    for (std::size_t c = 0; c < m->columns; ++c) {
      if (c != column) entries.push_back(entry(m, r, c));
    }
  }
  return matrix(std::move(entries), m->columns - 1);
}

Expr times(const Expr& a, const Expr& b) {
  if (a->columns != rows(b) || rows(a) > kSizeLimit || b->columns > kSizeLimit) return nullptr;
  std::vector<Expr> entries;
  for (std::size_t r = 0; r < rows(a); ++r) {
    for (std::size_t c = 0; c < b->columns; ++c) {
      Expr total = multiply(entry(a, r, 0), entry(b, 0, c));
      for (std::size_t k = 1; k < a->columns; ++k) {
        total = add(total, multiply(entry(a, r, k), entry(b, k, c)));
      }
      entries.push_back(simplified(total));
    }
  }
  return matrix(std::move(entries), b->columns);
}

Expr scaled(const Expr& factor, const Expr& m) {
  std::vector<Expr> entries;
  for (const Expr& e : m->args) entries.push_back(simplified(multiply(factor, e)));
  return matrix(std::move(entries), m->columns);
}

Expr plus(const Expr& a, const Expr& b) {
  if (a->columns != b->columns || a->args.size() != b->args.size()) return nullptr;
  std::vector<Expr> entries;
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    entries.push_back(simplified(add(a->args[i], b->args[i])));
  }
  return matrix(std::move(entries), a->columns);
}

Expr transposed(const Expr& m) {
  std::vector<Expr> entries;
  for (std::size_t c = 0; c < m->columns; ++c) {
    for (std::size_t r = 0; r < rows(m); ++r) entries.push_back(entry(m, r, c));
  }
  return matrix(std::move(entries), rows(m));
}

Expr sum_of(const Expr& e) {
  Expr total;
  for (const Expr& arg : e->args) {
    const Expr term = as_matrix(arg);
    if (!term) return nullptr;
    total = total ? plus(total, term) : term;
    if (!total) return nullptr;
  }
  return total;
}

Expr product_of(const Expr& e) {
  Expr total, factor = number(1);
  for (const Expr& arg : e->args) {
    if (!has_matrix(arg)) {
      factor = multiply(factor, arg);
      continue;
    }
    const Expr next = as_matrix(arg);
    if (!next) return nullptr;
    total = total ? times(total, next) : next;
    if (!total) return nullptr;
  }
  return total ? scaled(factor, total) : nullptr;
}

}  // namespace

bool has_matrix(const Expr& e) { return contains_kind(e, Kind::kMatrix); }

Expr determinant(const Expr& m) {
  if (m->columns != rows(m)) throw NotUnderstood("a determinant that is not square");
  if (m->columns > kDeterminantLimit) throw MathLimit("a determinant that is too large");
  if (m->columns == 1) return m->args[0];
  Expr total = number(0);
  for (std::size_t c = 0; c < m->columns; ++c) {
    const Expr term = multiply(entry(m, 0, c), determinant(minor_of(m, c)));
    total = c % 2 == 0 ? add(total, term) : subtract(total, term);
  }
  return simplified(total);
}

Expr as_matrix(const Expr& e) {
  if (is(e, Kind::kMatrix)) return e;
  if (!has_matrix(e)) return nullptr;
  if (is(e, Kind::kAdd)) return sum_of(e);
  if (is(e, Kind::kMul)) return product_of(e);
  if (is(e, Kind::kFunction) && e->name == "transpose") {
    const Expr inside = as_matrix(e->args[0]);
    return inside ? transposed(inside) : nullptr;
  }
  if (is(e, Kind::kPow)) {
    const Expr base = as_matrix(e->args[0]);
    const auto n = exact_value(e->args[1]);
    if (!base || !n || n->get_den() != 1 || *n < 1 || *n > 64) return nullptr;
    Expr total = base;
    for (unsigned long i = 1; total && i < n->get_num().get_ui(); ++i) total = times(total, base);
    return total;
  }
  return nullptr;
}

}  // namespace umf
