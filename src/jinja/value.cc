#include "jinja/value.h"

#include <fmt/core.h>

#include <algorithm>

namespace umf::jinja {

namespace {

constexpr std::size_t kStepLimit = 10'000'000;
constexpr std::size_t kTextLimit = 1 << 24;
constexpr int kCompareDepthLimit = 200;

using Kind = Value::Kind;

}  // namespace

std::vector<const Value*> Arguments::bind(std::string_view callee,
                                          std::initializer_list<std::string_view> signature) const {
  if (positional.size() > signature.size()) {
    throw Failure(fmt::format("{} takes at most {} arguments, not {}", callee, signature.size(),
                              positional.size()));
  }
  std::vector<const Value*> bound(signature.size(), nullptr);
  for (std::size_t i = 0; i < positional.size(); ++i) bound[i] = &positional[i];
  for (const auto& [name, value] : named) {
    const auto* found = std::find(signature.begin(), signature.end(), name);
    if (found == signature.end()) {
      throw Failure(fmt::format("{} has no argument '{}'", callee, name));
    }
    const Value*& slot = bound[found - signature.begin()];
    if (slot != nullptr) throw Failure(fmt::format("{}: '{}' is given twice", callee, name));
    slot = &value;
  }
  return bound;
}

void Heap::spend(std::size_t steps) {
  if (steps > kStepLimit - steps_) {
    throw Failure(fmt::format("rendering takes more than {} steps", kStepLimit));
  }
  steps_ += steps;
}

Value Heap::text(Text text) {
  if (text.size() > kTextLimit) {
    throw Failure(fmt::format("a text of more than {} bytes", kTextLimit));
  }
  spend_bytes(text.size());
  texts_.push_back(std::move(text));
  return Value::of(&texts_.back());
}

Value Heap::list(std::vector<Value> items, List::Shape shape) {
  spend(1 + items.size());
  lists_.push_back({shape, std::move(items)});
  return {.kind = Kind::kList, .list = &lists_.back()};
}

Value Heap::dict(Dict dict) {
  spend(1 + 2 * dict.items.size());
  dicts_.push_back(std::move(dict));
  return {.kind = Kind::kDict, .dict = &dicts_.back()};
}

Value Heap::space() {
  spend(1);
  spaces_.emplace_back();
  return {.kind = Kind::kNamespace, .space = &spaces_.back()};
}

Value Heap::loop(std::vector<Value> items) {
  spend(2);
  loops_.emplace_back();
  loops_.back().items = std::move(items);
  return {.kind = Kind::kLoop, .loop = &loops_.back()};
}

Value Heap::macro(const Statement* definition, Frame* scope) {
  spend(1);
  macros_.push_back({definition, scope});
  return {.kind = Kind::kMacro, .macro = &macros_.back()};
}

Value Heap::method(Value self, std::string name) {
  spend(2);
  methods_.push_back({self, std::move(name)});
  return {.kind = Kind::kMethod, .method = &methods_.back()};
}

const std::string* Heap::name(std::string name) {
  spend_bytes(name.size());
  names_.push_back(std::move(name));
  return &names_.back();
}

Frame* Heap::frame(Frame* parent) {
  spend(2);
  frames_.push_back({parent, {}});
  return &frames_.back();
}

std::string_view type_name(Value value) {
  static constexpr std::string_view kShapes[] = {"list", "tuple", "view", "generator"};
  static constexpr std::string_view kKinds[] = {
      "Undefined", "NoneType",  "bool", "int",   "float",    "str",   "list",
      "dict",      "namespace", "loop", "macro", "function", "method"};
  return value.is(Kind::kList) ? kShapes[static_cast<int>(value.list->shape)]
                               : kKinds[static_cast<int>(value.kind)];
}

void fail_undefined(Value value, std::string_view use) {
  throw Failure(value.missing == nullptr
                    ? fmt::format("an undefined value {}", use)
                    : fmt::format("'{}' is undefined and {}", *value.missing, use));
}

bool truth(Value value) {
  switch (value.kind) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return value.boolean;
    case Kind::kInteger:
      return value.integer != 0;
    case Kind::kFloat:
      return value.number != 0;
    case Kind::kText:
      return !value.text->empty();
    case Kind::kList:
      return value.list->shape == List::Shape::kGenerator || !value.list->items.empty();
    case Kind::kDict:
      return !value.dict->items.empty();
    default:
      return true;
  }
}

namespace {

// Exact also where an integer has more bits than a double.
std::partial_ordering order_numbers(Value a, Value b) {
  if (a.is_integral() && b.is_integral()) return a.as_integer() <=> b.as_integer();
  const auto exact = [](Value value) {
    return value.is(Kind::kFloat) ? static_cast<long double>(value.number)
                                  : static_cast<long double>(value.as_integer());
  };
  return exact(a) <=> exact(b);
}

bool equals_within(Heap& heap, Value a, Value b, int depth);

bool equal_lists(Heap& heap, const List& a, const List& b, int depth) {
  if (a.shape != b.shape || a.items.size() != b.items.size()) return false;
  if (a.shape == List::Shape::kGenerator) return &a == &b;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!equals_within(heap, a.items[i], b.items[i], depth + 1)) return false;
  }
  return true;
}

bool equal_dicts(Heap& heap, const Dict& a, Dict& b, int depth) {
  if (a.items.size() != b.items.size()) return false;
  return std::all_of(a.items.begin(), a.items.end(), [&](const auto& item) {
    const Value* other = find(heap, b, item.first);
    return other != nullptr && equals_within(heap, item.second, *other, depth + 1);
  });
}

bool equals_within(Heap& heap, Value a, Value b, int depth) {
  if (depth > kCompareDepthLimit) throw Failure("values nested too deeply to compare");
  heap.spend(1);
  if (a.is_number() && b.is_number()) return order_numbers(a, b) == 0;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kText:
      if (a.text->size() == b.text->size()) heap.spend_bytes(a.text->size());
      return *a.text == *b.text;
    case Kind::kList:
      return a.list == b.list || equal_lists(heap, *a.list, *b.list, depth);
    case Kind::kDict:
      return a.dict == b.dict || equal_dicts(heap, *a.dict, *b.dict, depth);
    case Kind::kNamespace:
      return a.space == b.space;
    case Kind::kLoop:
      return a.loop == b.loop;
    case Kind::kMacro:
      return a.macro == b.macro;
    case Kind::kFunction:
      return a.function == b.function;
    default:
      return false;
  }
}

std::partial_ordering order_within(Heap& heap, Value a, Value b, int depth) {
  if (depth > kCompareDepthLimit) throw Failure("values nested too deeply to compare");
  heap.spend(1);
  if (a.is_number() && b.is_number()) return order_numbers(a, b);
  if (a.is(Kind::kText) && b.is(Kind::kText)) {
    heap.spend_bytes(std::min(a.text->size(), b.text->size()));
    return a.text->bytes().compare(b.text->bytes()) <=> 0;  // UTF-8 keeps the order of characters
  }
  const bool ordered = a.is(Kind::kList) && b.is(Kind::kList) && a.list->shape == b.list->shape &&
                       a.list->shape <= List::Shape::kTuple;
  if (!ordered) {
    for (const Value value : {a, b}) {
      if (value.is(Kind::kUndefined)) fail_undefined(value, "cannot be compared by order");
    }
    throw Failure(fmt::format("{} and {} have no order", type_name(a), type_name(b)));
  }
  const auto &left = a.list->items, &right = b.list->items;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (!equals_within(heap, left[i], right[i], depth + 1)) {
      return order_within(heap, left[i], right[i], depth + 1);
    }
  }
  return left.size() <=> right.size();
}

}  // namespace

bool equals(Heap& heap, Value a, Value b) { return equals_within(heap, a, b, 0); }

std::partial_ordering order(Heap& heap, Value a, Value b) { return order_within(heap, a, b, 0); }

bool is_hashable(Value value) {
  if (value.is(Kind::kDict)) return false;
  if (!value.is(Kind::kList)) return true;
  if (value.list->shape != List::Shape::kTuple) return false;
  return std::none_of(value.list->items.begin(), value.list->items.end(), [](Value item) {
    // A tuple inside a tuple as a key is not worth a recursion.
    return item.is(Kind::kDict) || item.is(Kind::kList);
  });
}

bool contains(Heap& heap, Value container, Value item) {
  switch (container.kind) {
    case Kind::kUndefined:
      return false;
    case Kind::kText:
      if (!item.is(Kind::kText)) {
        throw Failure(
            fmt::format("'in <string>' needs a string on its left, not {}", type_name(item)));
      }
      heap.spend_bytes(container.text->size());
      return find_part(container.text->bytes(), item.text->bytes(), 0) != std::string::npos;
    case Kind::kDict:
      if (!is_hashable(item)) throw Failure(fmt::format("{} cannot be a key", type_name(item)));
      return find(heap, *container.dict, item) != nullptr;
    case Kind::kList: {
      List& list = *container.list;
      for (std::size_t i = list.next; i < list.items.size(); ++i) {
        if (list.shape == List::Shape::kGenerator) list.next = i + 1;
        if (equals(heap, list.items[i], item)) return true;
      }
      return false;
    }
    default:
      throw Failure(fmt::format("{} cannot contain anything", type_name(container)));
  }
}

std::vector<Value> items_of(Heap& heap, Value value) {
  std::vector<Value> items;
  switch (value.kind) {
    case Kind::kUndefined:
      return items;
    case Kind::kText: {
      const auto offsets = character_offsets(value.text->bytes());
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        items.push_back(heap.text(value.text->substr(offsets[i], offsets[i + 1] - offsets[i])));
      }
      return items;
    }
    case Kind::kList: {
      List& list = *value.list;
      heap.spend(1 + list.items.size() / 4);
      items.assign(list.items.begin() + list.next, list.items.end());
      if (list.shape == List::Shape::kGenerator) list.next = list.items.size();
      return items;
    }
    case Kind::kDict:
      heap.spend(1 + value.dict->items.size() / 4);
      for (const auto& [key, item] : value.dict->items) items.push_back(key);
      return items;
    default:
      throw Failure(fmt::format("{} cannot be iterated over", type_name(value)));
  }
}

std::size_t length_of(Heap& heap, Value value) {
  switch (value.kind) {
    case Kind::kUndefined:
      return 0;
    case Kind::kText:
      heap.spend_bytes(value.text->size());
      return count_characters(value.text->bytes());
    case Kind::kList:
      if (value.list->shape != List::Shape::kGenerator) return value.list->items.size();
      break;
    case Kind::kDict:
      return value.dict->items.size();
    case Kind::kLoop:
      return value.loop->items.size();
    default:
      break;
  }
  throw Failure(fmt::format("{} has no length", type_name(value)));
}

Value* find(Heap& heap, Dict& dict, Value key) {
  heap.spend(1 + dict.items.size() / 8);
  for (auto& [name, value] : dict.items) {
    // Most keys are text of different lengths: not worth a step each.
    if (key.is(Kind::kText) && (!name.is(Kind::kText) || name.text->size() != key.text->size())) {
      continue;
    }
    if (equals(heap, name, key)) return &value;
  }
  return nullptr;
}

void put(Heap& heap, Dict& dict, Value key, Value value) {
  if (!is_hashable(key)) throw Failure(fmt::format("{} cannot be a key", type_name(key)));
  if (Value* found = find(heap, dict, key)) {
    *found = value;
  } else {
    dict.items.emplace_back(key, value);
  }
}

}  // namespace umf::jinja
