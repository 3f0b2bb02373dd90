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

Value operand(std::string_view test, const Arguments& arguments,
              std::string_view parameter = "other") {
  const auto given = arguments.bind(test, {parameter});
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

bool leaves(Heap& heap, Value subject, Value by, std::int64_t remainder) {
  return equals(heap, arithmetic(heap, Operator::kModulo, subject, by), Value::of(remainder));
}

bool is_odd(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("odd", {});
  return leaves(heap, subject, Value::of(std::int64_t{2}), 1);
}

bool is_even(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("even", {});
  return leaves(heap, subject, Value::of(std::int64_t{2}), 0);
}

bool is_divisible_by(Heap& heap, Value subject, const Arguments& arguments) {
  return leaves(heap, subject, operand("divisibleby", arguments, "num"), 0);
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

template <Comparison kComparison>
bool compares(Heap& heap, Value subject, const Arguments& arguments) {
  static constexpr std::string_view kNames[] = {"equalto",     "ne", "lessthan", "le",
                                                "greaterthan", "ge", "in"};
  const std::string_view parameter = kComparison == Comparison::kIn ? "seq" : "other";
  const Value other = operand(kNames[static_cast<int>(kComparison)], arguments, parameter);
  return holds(heap, kComparison, subject, other);
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
    {"in", compares<Comparison::kIn>},
    {"==", compares<Comparison::kEqual>},
    {"eq", compares<Comparison::kEqual>},
    {"equalto", compares<Comparison::kEqual>},
    {"!=", compares<Comparison::kNotEqual>},
    {"ne", compares<Comparison::kNotEqual>},
    {"<", compares<Comparison::kLess>},
    {"lt", compares<Comparison::kLess>},
    {"lessthan", compares<Comparison::kLess>},
    {"<=", compares<Comparison::kLessEqual>},
    {"le", compares<Comparison::kLessEqual>},
    {">", compares<Comparison::kGreater>},
    {"gt", compares<Comparison::kGreater>},
    {"greaterthan", compares<Comparison::kGreater>},
    {">=", compares<Comparison::kGreaterEqual>},
    {"ge", compares<Comparison::kGreaterEqual>},
};

}  // namespace

Test find_test(std::string_view name) {
  const auto* found = std::find_if(std::begin(kTests), std::end(kTests),
                                   [&](const TestEntry& entry) { return entry.name == name; });
  return found == std::end(kTests) ? nullptr : found->test;
}

}  // namespace umf::jinja
