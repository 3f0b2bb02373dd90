// The tests of "value is name(arguments)".
#include <fmt/core.h>

#include <algorithm>

#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace umf::jinja {

namespace {

using Kind = Value::Kind;

struct TestEntry {
  std::string_view name;
  Test test;
};

Value operand(std::string_view test, const Arguments& arguments) {
  const auto given = arguments.bind(test, {"other"});
  if (given[0] == nullptr) throw Failure(fmt::format("the test '{}' needs an argument", test));
  return *given[0];
}

template <Kind kKind>
bool is_kind(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("this test", {});
  return subject.is(kKind);
}

template <bool kWanted>
bool is_bool(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("this test", {});
  return subject.is(Kind::kBool) && subject.boolean == kWanted;
}

bool is_defined(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("defined", {});
  return !subject.is(Kind::kUndefined);
}

bool is_number(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("number", {});
  return subject.is_number();
}

// Undefined counts as an empty sequence here, as it does in a loop.
bool is_iterable(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("iterable", {});
  return subject.is(Kind::kText) || subject.is(Kind::kList) || subject.is(Kind::kDict) ||
         subject.is(Kind::kUndefined);
}

bool is_sequence(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("sequence", {});
  return subject.is(Kind::kText) || subject.is(Kind::kDict) || subject.is(Kind::kUndefined) ||
         (subject.is(Kind::kList) && subject.list->shape <= List::Shape::kTuple);
}

bool is_callable(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("callable", {});
  // Jinja's undefined has a call that fails.
  return subject.is(Kind::kMacro) || subject.is(Kind::kFunction) || subject.is(Kind::kMethod) ||
         subject.is(Kind::kUndefined);
}

bool is_divisible(Heap& heap, Value subject, Value by) {
  const Value remainder = arithmetic(heap, Operator::kModulo, subject, by);
  return equals(heap, remainder, Value::of(std::int64_t{0}));
}

bool is_odd(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("odd", {});
  const Value two = Value::of(std::int64_t{2}), one = Value::of(std::int64_t{1});
  return equals(heap, arithmetic(heap, Operator::kModulo, subject, two), one);
}

bool is_even(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("even", {});
  return is_divisible(heap, subject, Value::of(std::int64_t{2}));
}

bool is_divisible_by(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("divisibleby", {"num"});
  if (given[0] == nullptr) throw Failure("the test 'divisibleby' needs an argument");
  return is_divisible(heap, subject, *given[0]);
}

// At least one letter, and none of the other case.
template <bool (*kWanted)(char32_t), bool (*kRefused)(char32_t)>
bool is_case(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("this test", {});
  const Text text = to_text(heap, subject);
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = code_point_at(text.bytes(), at);
    if (kRefused(next.value)) return false;
    found |= kWanted(next.value);
    at += next.length;
  }
  return found;
}

bool is_equal(Heap& heap, Value subject, const Arguments& arguments) {
  return equals(heap, subject, operand("equalto", arguments));
}
bool is_unequal(Heap& heap, Value subject, const Arguments& arguments) {
  return !equals(heap, subject, operand("ne", arguments));
}
bool is_less(Heap& heap, Value subject, const Arguments& arguments) {
  return order(heap, subject, operand("lessthan", arguments)) < 0;
}
bool is_at_most(Heap& heap, Value subject, const Arguments& arguments) {
  return order(heap, subject, operand("le", arguments)) <= 0;
}
bool is_greater(Heap& heap, Value subject, const Arguments& arguments) {
  return order(heap, subject, operand("greaterthan", arguments)) > 0;
}
bool is_at_least(Heap& heap, Value subject, const Arguments& arguments) {
  return order(heap, subject, operand("ge", arguments)) >= 0;
}
bool is_in(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("in", {"seq"});
  if (given[0] == nullptr) throw Failure("the test 'in' needs an argument");
  return contains(heap, *given[0], subject);
}

constexpr TestEntry kTests[] = {
    {"defined", is_defined},
    {"undefined", is_kind<Kind::kUndefined>},
    {"none", is_kind<Kind::kNone>},
    {"boolean", is_kind<Kind::kBool>},
    {"true", is_bool<true>},
    {"false", is_bool<false>},
    {"integer", is_kind<Kind::kInteger>},
    {"float", is_kind<Kind::kFloat>},
    {"number", is_number},
    {"string", is_kind<Kind::kText>},
    {"mapping", is_kind<Kind::kDict>},
    {"iterable", is_iterable},
    {"sequence", is_sequence},
    {"callable", is_callable},
    {"lower", is_case<is_lower, is_upper>},
    {"upper", is_case<is_upper, is_lower>},
    {"odd", is_odd},
    {"even", is_even},
    {"divisibleby", is_divisible_by},
    {"in", is_in},
    {"==", is_equal},
    {"eq", is_equal},
    {"equalto", is_equal},
    {"!=", is_unequal},
    {"ne", is_unequal},
    {"<", is_less},
    {"lt", is_less},
    {"lessthan", is_less},
    {"<=", is_at_most},
    {"le", is_at_most},
    {">", is_greater},
    {"gt", is_greater},
    {"greaterthan", is_greater},
    {">=", is_at_least},
    {"ge", is_at_least},
};

}  // namespace

Test find_test(std::string_view name) {
  const auto* found = std::find_if(std::begin(kTests), std::end(kTests),
                                   [&](const TestEntry& entry) { return entry.name == name; });
  return found == std::end(kTests) ? nullptr : found->test;
}

}  // namespace umf::jinja
