// Expressions and calls; statements are in run.cc.
#include "jinja/eval.h"

#include <fmt/core.h>

#include <algorithm>

#include "jinja/filters.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace umf::jinja {

namespace {

using Kind = Expression::Kind;

constexpr std::int64_t kRangeLimit = 100'000;  // as in Jinja's sandbox

Value range(Heap& heap, const Arguments& arguments) {
  std::int64_t bounds[3] = {0, 0, 1};  // start, stop, step
  const auto& given = arguments.positional;
  if (given.empty() || given.size() > 3 || !arguments.named.empty()) {
    throw Failure("range() takes one to three integers");
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].is(Value::Kind::kUndefined)) fail_undefined(given[i], "is no bound of a range");
    if (!given[i].is_integral()) throw Failure("range() takes integers");
    bounds[given.size() == 1 ? 1 : i] = given[i].as_integer();
  }
  const auto [start, stop, step] = bounds;
  if (step == 0) throw Failure("the step of a range cannot be zero");
  std::vector<Value> items;
  for (std::int64_t at = start; step > 0 ? at < stop : at > stop;) {
    if (items.size() == kRangeLimit) {
      throw Failure(fmt::format("a range of more than {} numbers", kRangeLimit));
    }
    items.push_back(Value::of(at));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return heap.list(std::move(items), List::Shape::kView);
}

// dict() and namespace(): a mapping to begin with, then the named arguments.
Dict merged(Heap& heap, const Arguments& arguments) {
  Dict dict;
  if (arguments.positional.size() > 1) throw Failure("at most one mapping can be given");
  for (const Value mapping : arguments.positional) {
    if (!mapping.is(Value::Kind::kDict)) throw Failure("a mapping is needed");
    dict = *mapping.dict;
  }
  for (const auto& [name, value] : arguments.named) put(heap, dict, heap.text(name), value);
  return dict;
}

Value make_namespace(Heap& heap, const Arguments& arguments) {
  const Value result = heap.space();
  for (const auto& [key, value] : merged(heap, arguments).items) {
    if (!key.is(Value::Kind::kText)) throw Failure("attributes have names that are texts");
    result.space->attributes.emplace_back(key.text->bytes(), value);
  }
  return result;
}

}  // namespace

Value Renderer::lookup(const std::string& name) const {
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->parent) {
    for (const auto& [key, value] : frame->variables) {
      if (*key == name) return value;
    }
  }
  static constexpr std::pair<std::string_view, Function> kFunctions[] = {
      {"range", Function::kRange},
      {"dict", Function::kDict},
      {"namespace", Function::kNamespace},
      {"raise_exception", Function::kRaiseException},
      {"strftime_now", Function::kStrftimeNow}};
  for (const auto& [key, function] : kFunctions) {
    if (key == name) return Value::of(function);
  }
  return Value::undefined(&name);
}

void Renderer::define(const std::string& name, Value value) {
  for (auto& [key, old] : frame_->variables) {
    if (*key == name) {
      old = value;
      return;
    }
  }
  frame_->variables.emplace_back(&name, value);
}

Value Renderer::eval(const Expression& expression) {
  const Depth depth(*this);
  heap_.spend(1);
  const auto& items = expression.items;
  switch (expression.kind) {
    case Kind::kNone:
      return Value::none();
    case Kind::kBool:
      return Value::of(expression.integer != 0);
    case Kind::kInteger:
      return Value::of(expression.integer);
    case Kind::kFloat:
      return Value::of(expression.number);
    case Kind::kText:
      return Value::of(&expression.text);
    case Kind::kName:
      return lookup(expression.name);
    case Kind::kList:
      return heap_.list(eval_all(items));
    case Kind::kTuple:
      return heap_.list(eval_all(items), List::Shape::kTuple);
    case Kind::kDict:
      return eval_dict(expression);
    case Kind::kSlice:
      return eval_slice(expression);
    case Kind::kCall:
      return eval_call(expression, nullptr);
    case Kind::kFilter:
      return eval_filter(expression);
    case Kind::kTest:
      return eval_test(expression);
    case Kind::kCompare:
      return eval_compare(expression);
    case Kind::kConcat:
      return eval_concat(expression);
    case Kind::kNot:
      return Value::of(!truth(eval(*items[0])));
    case Kind::kConditional:
      if (truth(eval(*items[0]))) return eval(*items[1]);
      return items[2] != nullptr ? eval(*items[2]) : Value::undefined();
    case Kind::kAnd:
    case Kind::kOr: {
      const Value left = eval(*items[0]);
      return truth(left) == (expression.kind == Kind::kOr) ? left : eval(*items[1]);
    }
    default:
      break;
  }
  // What remains works on operands; `at_` is set after them, as they have moved it.
  const Value first = eval(*items[0]);
  const Value second = items.size() > 1 ? eval(*items[1]) : Value::none();
  at_ = expression.at;
  switch (expression.kind) {
    case Kind::kAttribute:
      return attribute(heap_, first, expression.name);
    case Kind::kSubscript:
      return subscript(heap_, first, second);
    case Kind::kBinary:
      return arithmetic(heap_, expression.operation, first, second);
    case Kind::kNegate:
      return negate(first);
    default:  // kPlus
      return first.is(Value::Kind::kFloat) ? first : negate(negate(first));
  }
}

std::vector<Value> Renderer::eval_all(const std::vector<const Expression*>& items) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const Expression* item : items) values.push_back(eval(*item));
  return values;
}

Value Renderer::eval_dict(const Expression& dict) {
  Dict result;
  for (std::size_t i = 0; i < dict.items.size(); i += 2) {
    const Value key = eval(*dict.items[i]);
    const Value value = eval(*dict.items[i + 1]);
    at_ = dict.items[i]->at;
    put(heap_, result, key, value);
  }
  return heap_.dict(std::move(result));
}

Value Renderer::eval_slice(const Expression& node) {
  Value parts[4];
  for (int i = 0; i < 4; ++i) {
    parts[i] = node.items[i] != nullptr ? eval(*node.items[i]) : Value::none();
  }
  at_ = node.at;
  return slice(heap_, parts[0], parts[1], parts[2], parts[3]);
}

// a < b < c reads each operand once and stops at the first that fails.
Value Renderer::eval_compare(const Expression& compare) {
  Value left = eval(*compare.items[0]);
  for (std::size_t i = 0; i < compare.comparisons.size(); ++i) {
    const Value right = eval(*compare.items[i + 1]);
    at_ = compare.at;
    if (!holds(heap_, compare.comparisons[i], left, right)) return Value::of(false);
    left = right;
  }
  return Value::of(true);
}

Value Renderer::eval_concat(const Expression& concat) {
  Text result;
  for (const Expression* item : concat.items) {
    const Value value = eval(*item);
    at_ = item->at;
    const Text text = to_text(heap_, value);
    heap_.spend_bytes(text.size());
    result.append(text);
  }
  return heap_.text(std::move(result));
}

Value Renderer::eval_filter(const Expression& filter) {
  const Value subject = filter.items[0] != nullptr ? eval(*filter.items[0]) : filtered_;
  const Arguments arguments = eval_arguments(filter);
  at_ = filter.at;
  return find_filter(filter.name)(heap_, subject, arguments);
}

Value Renderer::eval_test(const Expression& test) {
  const Value subject = eval(*test.items[0]);
  const Arguments arguments = eval_arguments(test);
  at_ = test.at;
  return Value::of(find_test(test.name)(heap_, subject, arguments));
}

Arguments Renderer::eval_arguments(const Expression& call) {
  Arguments arguments;
  for (std::size_t i = 1; i < call.items.size(); ++i) {
    arguments.positional.push_back(eval(*call.items[i]));
  }
  for (const auto& [name, value] : call.named) arguments.named.emplace_back(name, eval(*value));
  return arguments;
}

Value Renderer::eval_call(const Expression& node, const Value* caller) {
  const Value callee = eval(*node.items[0]);
  const Arguments arguments = eval_arguments(node);
  at_ = node.at;
  if (callee.is(Value::Kind::kMacro)) return call_macro(*callee.macro, arguments, caller);
  if (caller != nullptr) throw Failure("a call block needs a macro that uses caller()");
  if (callee.is(Value::Kind::kMethod)) return call_method(heap_, *callee.method, arguments);
  if (callee.is(Value::Kind::kFunction)) return call_function(callee.function, arguments);
  if (callee.is(Value::Kind::kUndefined)) fail_undefined(callee, "cannot be called");
  throw Failure(fmt::format("{} cannot be called", type_name(callee)));
}

Value Renderer::call_macro(const Macro& macro, const Arguments& arguments, const Value* caller) {
  const Statement& definition = *macro.definition;
  const auto& parameters = definition.parameters;
  const auto refuse = [&](std::string_view what) {
    throw Failure(fmt::format("macro '{}' {}", definition.name, what));
  };
  const Scope scope(*this, macro.scope);
  std::vector<bool> is_given(parameters.size(), false);
  std::vector<Value> varargs;
  Dict kwargs;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i >= parameters.size()) {
      varargs.push_back(arguments.positional[i]);
      continue;
    }
    define(parameters[i].name, arguments.positional[i]);
    is_given[i] = true;
  }
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    if (found == parameters.end()) {
      put(heap_, kwargs, heap_.text(name), value);
      continue;
    }
    const std::size_t place = found - parameters.begin();
    if (is_given[place]) refuse(fmt::format("is given '{}' twice", name));
    define(found->name, value);
    is_given[place] = true;
  }
  if (!varargs.empty() && !definition.reads_varargs) refuse("is given too many arguments");
  if (!kwargs.items.empty() && !definition.reads_kwargs) {
    refuse(fmt::format("has no parameter '{}'", kwargs.items[0].first.text->bytes()));
  }
  if (caller != nullptr && !definition.reads_caller) refuse("does not use caller()");
  static const std::string kVarargs = "varargs", kKwargs = "kwargs", kCaller = "caller";
  if (definition.reads_varargs) {
    define(kVarargs, heap_.list(std::move(varargs), List::Shape::kTuple));
  }
  if (definition.reads_kwargs) define(kKwargs, heap_.dict(std::move(kwargs)));
  if (definition.reads_caller && definition.kind == Statement::Kind::kMacro) {
    define(kCaller, caller != nullptr ? *caller : Value::undefined(&kCaller));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (is_given[i]) continue;
    const Expression* fallback = parameters[i].fallback;
    define(parameters[i].name,
           fallback != nullptr ? eval(*fallback) : Value::undefined(&parameters[i].name));
  }
  return heap_.text(captured(definition.blocks[0]));
}

Value Renderer::call_function(Function function, const Arguments& arguments) {
  switch (function) {
    case Function::kRange:
      return range(heap_, arguments);
    case Function::kDict:
      return heap_.dict(merged(heap_, arguments));
    case Function::kNamespace:
      return make_namespace(heap_, arguments);
    case Function::kRaiseException: {
      const auto given = arguments.bind("raise_exception", {"message"});
      throw Failure(fmt::format("the template refuses this conversation: {}",
                                given[0] != nullptr ? to_text(heap_, *given[0]).bytes() : ""));
    }
    case Function::kStrftimeNow: {
      const Value date = lookup("date_string");
      if (date.is(Value::Kind::kText)) return date;
      throw Failure(
          "strftime_now() asks for today's date, and a prompt must not depend on the clock: pass "
          "date_string");
    }
  }
  return Value::undefined();
}

}  // namespace umf::jinja
