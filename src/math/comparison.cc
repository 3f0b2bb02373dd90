#include "math/comparison.h"

#include <algorithm>
#include <set>

#include "math/real_sets.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr std::int64_t kWorkSteps = 400'000;
constexpr int kDepthLimit = 40;

bool is_made_of_symbols(const Expr& e) {
  switch (e->kind) {
    case Kind::kSymbol:
    case Kind::kApplied:
      return true;
    case Kind::kPow: {
      const Expr &base = e->args[0], &exponent = e->args[1];
      const bool reciprocal = is(exponent, Kind::kNumber) && exponent->value == -1;
      if (is_constant(base, "E")) return is_made_of_symbols(exponent);
      return is_made_of_symbols(base) && (reciprocal || is_made_of_symbols(exponent));
    }
    default:
      return !e->args.empty() && std::all_of(e->args.begin(), e->args.end(), is_made_of_symbols);
  }
}

const Expr& first_left_side(const Expr& equation) {
  return (is(equation, Kind::kAnd) ? equation->args.front() : equation)->args[0];
}

Expr cut_to_ends(const Expr& e) {
  return is_assignment(e) ? relation("=", first_left_side(e), last_right_side(e)) : e;
}

using Symbols = std::set<std::pair<std::string, bool>>;  // name, is_real

void collect_symbols(const Expr& e, Symbols& symbols) {
  if (is(e, Kind::kSymbol)) symbols.insert({e->name, e->is_real});
  for (const Expr& arg : e->args) collect_symbols(arg, symbols);
}

Expr with_symbols(const Expr& e, const std::map<std::string, Expr>& by_name) {
  if (is(e, Kind::kSymbol)) return by_name.at(e->name);
  Node copy = *e;
  for (Expr& arg : copy.args) arg = with_symbols(arg, by_name);
  return make_node(std::move(copy));
}

// The answer's symbols renamed to those of the gold answer, in alphabetical order.
Expr renamed(const Expr& answer, const Expr& gold) {
  Symbols theirs, ours;
  collect_symbols(gold, theirs);
  collect_symbols(answer, ours);
  if (theirs.size() != ours.size()) return answer;
  std::map<std::string, Expr> by_name;
  auto their = theirs.begin();
  for (const auto& [name, real] : ours) {
    by_name.try_emplace(name, symbol(their->first, their->second));
    ++their;
  }
  return with_symbols(answer, by_name);
}

// "even" for the letters e, v, e, n, multiplied in this order.
std::string spelled(const Expr& e) {
  std::string word;
  for (const Expr& factor : is(e, Kind::kMul) ? e->args : std::vector<Expr>{e}) {
    if (is(factor, Kind::kSymbol))
      word += factor->name;
    else if (is_constant(factor, "E"))
      word += "e";
    else
      return "";
  }
  return lower_case(word);
}

}  // namespace

bool is_assignment(const Expr& e) {
  return is_equation(e) && is_made_of_symbols(first_left_side(e));
}

Expr last_right_side(const Expr& equation) {
  return (is(equation, Kind::kAnd) ? equation->args.back() : equation)->args[1];
}

Comparison::Comparison(const MathVerifyConfig& config, ComputerAlgebra* algebra)
    : config_(config), algebra_(algebra), work_(kWorkSteps) {}

bool Comparison::decided(bool verdict, const char* by) {
  decided_by_ = by;
  return verdict;
}

bool Comparison::equal(Expr gold, Expr answer) {
  if (depth_ >= kDepthLimit) throw MathLimit("compared too deeply");
  struct Level {
    explicit Level(int& d) : depth(++d) {}
    ~Level() { --depth; }
    int& depth;
  } level(depth_);
  if (!config_.strict) answer = renamed(answer, gold);
  // A name has the last value that it is given, whatever stands between.
  if (!is_assignment(answer) && states_a_falsehood(answer)) {
    return decided(false, "a false equation");
  }
  gold = cut_to_ends(gold);
  answer = cut_to_ends(answer);
  if (is_equation(answer) && !is_equation(gold))
    answer = last_right_side(answer);
  else if (is_assignment(gold) && !is_equation(answer))
    gold = last_right_side(gold);
  if (is_relation(gold) && is_set(answer)) {
    if (const Expr set = solution_set(gold, work_)) gold = set;
  }
  if (config_.allow_set_relation_comp && is_relation(answer) && is_set(gold)) {
    if (const Expr set = solution_set(answer, work_)) answer = set;
  }
  if (is_constant(gold, "zoo") || is_constant(gold, "nan")) return decided(false, "undefined");
  if (canonical_text(gold) == canonical_text(answer)) return decided(true, "structure");
  if (is_relation(gold) && is_relation(answer)) return relations(gold, answer);
  if (is_set_like(gold) || is_set_like(answer)) return sets(gold, answer);
  if (is_relation(gold) || is_relation(answer)) return decided(false, "kind");
  if (is(gold, Kind::kSymbol) || is(answer, Kind::kSymbol)) return symbols(gold, answer);
  return numbers(gold, answer);
}

bool Comparison::symbols(const Expr& gold, const Expr& answer) {
  decided_by_ = "names";
  if (is(gold, Kind::kSymbol) && is(answer, Kind::kSymbol)) return gold->name == answer->name;
  const std::string a = spelled(gold), b = spelled(answer);
  if (!a.empty() && a == b) return true;
  return to_text(gold) == to_text(answer) || numbers(gold, answer);
}

}  // namespace umf
