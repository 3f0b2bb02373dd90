#include "jinja/operators.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/elementary.h"
#include "jinja/methods.h"

namespace umf::jinja {

namespace {

using Kind = Value::Kind;

constexpr std::size_t kSizeLimit = 1 << 24;  // bytes of a repeated text, items of a repeated list

std::string_view sign(Operator operation) {
  static constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "//", "%", "**"};
  return kSigns[static_cast<int>(operation)];
}

// `result` by reference: it is written while the first argument is evaluated.
Value checked(bool overflow, const std::int64_t& result) {
  if (overflow) throw Failure("the result does not fit a 64-bit integer");
  return Value::of(result);
}

Value integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) throw Failure("zero to a negative power");
    return Value::of(elementary::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  std::int64_t result = 1;
  bool overflow = false;
  // Squares beyond the last needed one are not computed: they could overflow for nothing.
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) overflow |= __builtin_mul_overflow(result, base, &result);
    if (exponent > 1) overflow |= __builtin_mul_overflow(base, base, &base);
  }
  return checked(overflow, result);
}

Value integer_arithmetic(Operator operation, std::int64_t a, std::int64_t b) {
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t result = 0;
  switch (operation) {
    case Operator::kAdd:
      return checked(__builtin_add_overflow(a, b, &result), result);
    case Operator::kSubtract:
      return checked(__builtin_sub_overflow(a, b, &result), result);
    case Operator::kMultiply:
      return checked(__builtin_mul_overflow(a, b, &result), result);
    case Operator::kPower:
      return integer_power(a, b);
    case Operator::kDivide:
    case Operator::kFloorDivide:
    case Operator::kModulo:
      break;
  }
  if (b == 0) throw Failure("division by zero");
  if (operation == Operator::kDivide) {
    return Value::of(static_cast<double>(a) / static_cast<double>(b));
  }
  if (a == kLowest && b == -1) return checked(operation == Operator::kFloorDivide, 0);
  const bool rounds_down = a % b != 0 && (a % b < 0) != (b < 0);
  if (operation == Operator::kFloorDivide) return Value::of(a / b - (rounds_down ? 1 : 0));
  return Value::of(a % b + (rounds_down ? b : 0));
}

Value float_arithmetic(Operator operation, double a, double b) {
  switch (operation) {
    case Operator::kAdd:
      return Value::of(a + b);
    case Operator::kSubtract:
      return Value::of(a - b);
    case Operator::kMultiply:
      return Value::of(a * b);
    case Operator::kPower: {
      const double result = elementary::pow(a, b);
      if ((a == 0 && b < 0) || (a < 0 && std::isfinite(b) && b != std::floor(b)) ||
          (std::isinf(result) && std::isfinite(a) && std::isfinite(b))) {
        throw Failure(fmt::format("{} ** {} is not a number", a, b));
      }
      return Value::of(result);
    }
    case Operator::kDivide:
    case Operator::kFloorDivide:
    case Operator::kModulo:
      break;
  }
  if (b == 0) throw Failure("division by zero");
  if (operation == Operator::kDivide) return Value::of(a / b);
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b;
  if (operation == Operator::kModulo) {
    return Value::of(remainder == 0 ? std::copysign(0.0, b) : remainder);
  }
  const double quotient = (a - remainder) / b;
  return Value::of(std::floor(quotient) + (quotient - std::floor(quotient) > 0.5 ? 1.0 : 0.0));
}

std::size_t repeated_size(std::size_t size, std::int64_t times) {
  if (times <= 0 || size == 0) return 0;
  if (static_cast<std::uint64_t>(times) > kSizeLimit / size) {
    throw Failure(fmt::format("repeating this would make more than {} items", kSizeLimit));
  }
  return size * times;
}

Value repeat(Heap& heap, Value value, std::int64_t times) {
  if (value.is(Kind::kText)) {
    const std::size_t size = repeated_size(value.text->size(), times);
    heap.spend_bytes(size);
    Text result;
    while (result.size() < size) result.append(*value.text);
    return heap.text(std::move(result));
  }
  const std::size_t size = repeated_size(value.list->items.size(), times);
  heap.spend(size);
  std::vector<Value> items;
  while (items.size() < size) {
    items.insert(items.end(), value.list->items.begin(), value.list->items.end());
  }
  return heap.list(std::move(items), value.list->shape);
}

bool is_plain_list(Value value) {
  return value.is(Kind::kList) && value.list->shape <= List::Shape::kTuple;
}

Value concatenate(Heap& heap, Value left, Value right) {
  if (left.is(Kind::kText)) {
    Text result = *left.text;
    result.append(*right.text);
    return heap.text(std::move(result));
  }
  std::vector<Value> items = left.list->items;
  items.insert(items.end(), right.list->items.begin(), right.list->items.end());
  return heap.list(std::move(items), left.list->shape);
}

}  // namespace

bool holds(Heap& heap, Comparison comparison, Value left, Value right) {
  switch (comparison) {
    case Comparison::kEqual:
      return equals(heap, left, right);
    case Comparison::kNotEqual:
      return !equals(heap, left, right);
    case Comparison::kLess:
      return order(heap, left, right) < 0;
    case Comparison::kLessEqual:
      return order(heap, left, right) <= 0;
    case Comparison::kGreater:
      return order(heap, left, right) > 0;
    case Comparison::kGreaterEqual:
      return order(heap, left, right) >= 0;
    case Comparison::kIn:
      return contains(heap, right, left);
    case Comparison::kNotIn:
      return !contains(heap, right, left);
  }
  return false;
}

Value arithmetic(Heap& heap, Operator operation, Value left, Value right) {
  if (left.is_integral() && right.is_integral()) {
    return integer_arithmetic(operation, left.as_integer(), right.as_integer());
  }
  if (left.is_number() && right.is_number()) {
    return float_arithmetic(operation, left.as_number(), right.as_number());
  }
  for (const Value value : {left, right}) {
    if (value.is(Kind::kUndefined)) {
      fail_undefined(value, fmt::format("cannot be used with '{}'", sign(operation)));
    }
  }
  const bool same_lists =
      is_plain_list(left) && is_plain_list(right) && left.list->shape == right.list->shape;
  if (operation == Operator::kAdd &&
      (same_lists || (left.is(Kind::kText) && right.is(Kind::kText)))) {
    return concatenate(heap, left, right);
  }
  if (operation == Operator::kMultiply) {
    if (left.is_integral()) std::swap(left, right);
    if ((left.is(Kind::kText) || is_plain_list(left)) && right.is_integral()) {
      return repeat(heap, left, right.as_integer());
    }
  }
  if (operation == Operator::kModulo && left.is(Kind::kText)) {
    throw Failure("formatting with % is not supported");
  }
  throw Failure(fmt::format("'{}' does not work on {} and {}", sign(operation), type_name(left),
                            type_name(right)));
}

Value negate(Value value) {
  if (value.is_integral()) {
    return integer_arithmetic(Operator::kSubtract, 0, value.as_integer());
  }
  if (value.is(Kind::kFloat)) return Value::of(-value.number);
  if (value.is(Kind::kUndefined)) fail_undefined(value, "has no sign");
  throw Failure(fmt::format("{} has no sign", type_name(value)));
}

namespace {

Value loop_attribute(const Loop& loop, const std::string& name) {
  const auto at = static_cast<std::int64_t>(loop.index);
  const auto length = static_cast<std::int64_t>(loop.items.size());
  if (name == "index") return Value::of(at + 1);
  if (name == "index0") return Value::of(at);
  if (name == "revindex") return Value::of(length - at);
  if (name == "revindex0") return Value::of(length - at - 1);
  if (name == "first") return Value::of(at == 0);
  if (name == "last") return Value::of(at + 1 == length);
  if (name == "length") return Value::of(length);
  if (name == "depth") return Value::of(std::int64_t{1});
  if (name == "depth0") return Value::of(std::int64_t{0});
  if (name == "previtem" && at > 0) return loop.items[at - 1];
  if (name == "nextitem" && at + 1 < length) return loop.items[at + 1];
  return Value::undefined(&name);
}

bool is_sequence(Value value) {
  return value.is(Kind::kText) ||
         (value.is(Kind::kList) && value.list->shape != List::Shape::kGenerator);
}

Value find_named(Heap& heap, Dict& dict, const std::string& name) {
  const Text key(name);
  const Value* found = find(heap, dict, Value::of(&key));
  return found != nullptr ? *found : Value::undefined(heap.name(name));
}

}  // namespace

Value attribute(Heap& heap, Value object, const std::string& name) {
  if (object.is(Kind::kUndefined)) {
    fail_undefined(object, fmt::format("has no attribute '{}'", name));
  }
  if (has_method(object, name)) return heap.method(object, name);
  if (name.starts_with("__")) throw Failure(fmt::format("'{}' is not supported", name));
  switch (object.kind) {
    case Kind::kDict: {
      const Value found = find_named(heap, *object.dict, name);
      if (name.starts_with("_") && !found.is(Kind::kUndefined)) {
        throw Failure(fmt::format("'{}' is private: names with a leading _ are not given", name));
      }
      return found;
    }
    case Kind::kNamespace:
      for (const auto& [key, value] : object.space->attributes) {
        if (key == name) return value;
      }
      break;
    case Kind::kLoop:
      return loop_attribute(*object.loop, *heap.name(name));
    default:
      break;
  }
  return Value::undefined(heap.name(name));
}

Value subscript(Heap& heap, Value object, Value key) {
  if (object.is(Kind::kUndefined)) fail_undefined(object, "has no items");
  if (object.is(Kind::kDict) && is_hashable(key)) {
    if (const Value* found = find(heap, *object.dict, key)) return *found;
  }
  if (is_sequence(object) && key.is_integral()) {
    const auto length = static_cast<std::int64_t>(length_of(heap, object));
    const std::int64_t index = key.as_integer() + (key.as_integer() < 0 ? length : 0);
    if (index < 0 || index >= length) return Value::undefined();
    if (object.is(Kind::kList)) return object.list->items[index];
    const auto offsets = character_offsets(object.text->bytes());
    return heap.text(object.text->substr(offsets[index], offsets[index + 1] - offsets[index]));
  }
  if (!key.is(Kind::kText)) return Value::undefined();
  // Python's attributes come second: message["items"] is an entry before it is a method.
  if (object.is(Kind::kDict)) {
    return has_method(object, key.text->bytes()) ? heap.method(object, key.text->bytes())
                                                 : Value::undefined(heap.name(key.text->bytes()));
  }
  return attribute(heap, object, key.text->bytes());
}

namespace {

std::int64_t slice_bound(Value value, std::int64_t fallback, std::int64_t length, bool backwards) {
  if (value.is(Kind::kNone)) return fallback;
  if (!value.is_integral()) throw Failure("the parts of a slice are integers or none");
  std::int64_t bound = value.as_integer();
  if (bound < 0) bound = std::max<std::int64_t>(bound, -length - 1) + length;
  const std::int64_t lowest = backwards ? -1 : 0;
  return std::clamp(bound, lowest, backwards ? length - 1 : length);
}

}  // namespace

Value slice(Heap& heap, Value object, Value start, Value stop, Value step) {
  if (object.is(Kind::kUndefined)) fail_undefined(object, "has no items");
  if (!is_sequence(object)) throw Failure(fmt::format("{} cannot be sliced", type_name(object)));
  if (!step.is(Kind::kNone) && !step.is_integral()) {
    throw Failure("the parts of a slice are integers or none");
  }
  // Any step past the length takes one item; the bound keeps `at += stride` inside 64 bits.
  const auto length = static_cast<std::int64_t>(length_of(heap, object));
  const std::int64_t stride =
      step.is(Kind::kNone) ? 1 : std::clamp(step.as_integer(), -length - 1, length + 1);
  if (stride == 0) throw Failure("the step of a slice cannot be zero");
  const bool backwards = stride < 0;
  const std::int64_t from = slice_bound(start, backwards ? length - 1 : 0, length, backwards);
  const std::int64_t to = slice_bound(stop, backwards ? -1 : length, length, backwards);
  const auto each = [&](auto&& visit) {
    for (std::int64_t at = from; backwards ? at > to : at < to; at += stride) visit(at);
  };
  if (object.is(Kind::kList)) {
    std::vector<Value> items;
    each([&](std::int64_t at) { items.push_back(object.list->items[at]); });
    return heap.list(std::move(items), object.list->shape);
  }
  const auto offsets = character_offsets(object.text->bytes());
  Text result;
  each([&](std::int64_t at) {
    result.append(*object.text, offsets[at], offsets[at + 1] - offsets[at]);
  });
  return heap.text(std::move(result));
}

Value attribute_path(Heap& heap, Value object, Value path) {
  if (!path.is(Kind::kText)) return subscript(heap, object, path);
  const std::string& text = path.text->bytes();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const bool is_index = !part.empty() && part.size() <= 9 &&
                          part.find_first_not_of("0123456789") == std::string::npos;
    object = subscript(heap, object,
                       is_index ? Value::of(std::int64_t{std::stoi(part)}) : heap.text(part));
  }
  return object;
}

}  // namespace umf::jinja
