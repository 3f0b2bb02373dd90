#include "jinja/methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <span>

namespace umf::jinja {

namespace {

using Kind = Value::Kind;
using Implementation = Value (*)(Heap&, Value, const Arguments&);

struct MethodEntry {
  std::string_view name;
  Implementation run;
};

const Text& text_of(const Value* value, std::string_view method) {
  if (value == nullptr || !value->is(Kind::kText)) {
    throw Failure(fmt::format("{}() needs a text, not {}", method,
                              value == nullptr ? "nothing" : type_name(*value)));
  }
  return *value->text;
}

// A count that is absent, none or negative means no limit.
std::size_t limit_of(const Value* value) {
  constexpr auto kNoLimit = std::numeric_limits<std::size_t>::max();
  if (value == nullptr) return kNoLimit;
  if (!value->is_integral()) throw Failure("a count is an integer");
  return value->as_integer() < 0 ? kNoLimit : static_cast<std::size_t>(value->as_integer());
}

template <Text (*kMap)(const Text&)>
Value map_text(Heap& heap, Value self, const Arguments& arguments) {
  arguments.bind("this method", {});
  return heap.text(kMap(*self.text));
}

template <Side kSide>
Value strip_text(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("strip", {"chars"});
  const bool has_chars = given[0] != nullptr && !given[0]->is(Kind::kNone);
  heap.spend_bytes(self.text->size() + (has_chars ? text_of(given[0], "strip").size() : 0));
  return heap.text(
      strip(*self.text, kSide, has_chars ? &text_of(given[0], "strip").bytes() : nullptr));
}

// Runs of white space separate; none at the ends.
std::vector<Text> split_at_space(const Text& text, std::size_t at_most) {
  std::vector<Text> parts;
  const Text body = strip(text, Side::kLeft, nullptr);
  std::size_t begin = 0;
  while (begin < body.size()) {
    if (parts.size() == at_most) {
      parts.push_back(body.substr(begin, body.size() - begin));
      break;
    }
    std::size_t end = begin;
    while (end < body.size() && !is_space(code_point_at(body.bytes(), end).value)) {
      end += code_point_at(body.bytes(), end).length;
    }
    parts.push_back(body.substr(begin, end - begin));
    begin = skip_space(body.bytes(), end);
  }
  return parts;
}

std::vector<Text> split_at(const Text& text, const std::string& separator, std::size_t at_most) {
  std::vector<Text> parts;
  std::size_t begin = 0;
  while (parts.size() < at_most) {
    const std::size_t found = find_part(text.bytes(), separator, begin);
    if (found == std::string::npos) break;
    parts.push_back(text.substr(begin, found - begin));
    begin = found + separator.size();
  }
  parts.push_back(text.substr(begin, text.size() - begin));
  return parts;
}

// rfind() may compare all of the separator at every place, so that is what is paid for.
std::vector<Text> split_from_right(Heap& heap, const Text& text, const std::string& separator,
                                   std::size_t at_most) {
  heap.spend_bytes(text.size() * separator.size());
  std::vector<Text> parts;
  std::size_t end = text.size();
  while (parts.size() < at_most && end >= separator.size()) {
    const std::size_t found = text.bytes().rfind(separator, end - separator.size());
    if (found == std::string::npos) break;
    parts.push_back(text.substr(found + separator.size(), end - found - separator.size()));
    end = found;
  }
  parts.push_back(text.substr(0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Value list_of_texts(Heap& heap, std::vector<Text> texts, List::Shape shape = List::Shape::kList) {
  std::vector<Value> items;
  for (Text& text : texts) items.push_back(heap.text(std::move(text)));
  return heap.list(std::move(items), shape);
}

template <bool kFromRight>
Value split(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("split", {"sep", "maxsplit"});
  const std::size_t at_most = limit_of(given[1]);
  heap.spend_bytes(self.text->size());
  if (given[0] == nullptr || given[0]->is(Kind::kNone)) {
    if (kFromRight && given[1] != nullptr) {
      throw Failure("rsplit() at white space with a limit is not supported");
    }
    return list_of_texts(heap, split_at_space(*self.text, at_most));
  }
  const std::string& separator = text_of(given[0], "split").bytes();
  if (separator.empty()) throw Failure("split() needs a separator that is not empty");
  return list_of_texts(heap, kFromRight ? split_from_right(heap, *self.text, separator, at_most)
                                        : split_at(*self.text, separator, at_most));
}

template <bool kFromRight>
Value partition(Heap& heap, Value self, const Arguments& arguments) {
  const std::string& separator =
      text_of(arguments.bind("partition", {"sep"})[0], "partition").bytes();
  if (separator.empty()) throw Failure("partition() needs a separator that is not empty");
  heap.spend_bytes(self.text->size());
  std::vector<Text> parts = kFromRight ? split_from_right(heap, *self.text, separator, 1)
                                       : split_at(*self.text, separator, 1);
  if (parts.size() == 2) {
    parts.insert(parts.begin() + 1, Text(separator));
  } else {
    parts.insert(kFromRight ? parts.begin() : parts.end(), 2, Text());
  }
  return list_of_texts(heap, std::move(parts), List::Shape::kTuple);
}

Value split_into_lines(Heap& heap, Value self, const Arguments& arguments) {
  if (!arguments.positional.empty() || !arguments.named.empty()) {
    throw Failure("splitlines() with arguments is not supported");
  }
  return list_of_texts(heap, split_lines(*self.text));
}

template <bool kAtEnd>
Value has_affix(Heap& heap, Value self, const Arguments& arguments) {
  const std::string_view name = kAtEnd ? "endswith" : "startswith";
  const auto given = arguments.bind(name, {"prefix"});
  std::vector<Value> affixes;
  const bool is_tuple = given[0] != nullptr && given[0]->is(Kind::kList) &&
                        given[0]->list->shape == List::Shape::kTuple;
  if (is_tuple) {
    affixes = given[0]->list->items;
  } else if (given[0] != nullptr) {
    affixes = {*given[0]};
  } else {
    text_of(nullptr, name);
  }
  heap.spend(1 + affixes.size());
  return Value::of(std::any_of(affixes.begin(), affixes.end(), [&](const Value& affix) {
    const std::string& wanted = text_of(&affix, name).bytes();
    return kAtEnd ? self.text->bytes().ends_with(wanted) : self.text->bytes().starts_with(wanted);
  }));
}

template <bool kAtEnd>
Value remove_affix(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("removeprefix", {"prefix"});
  const std::string& affix = text_of(given[0], kAtEnd ? "removesuffix" : "removeprefix").bytes();
  const Text& text = *self.text;
  const bool found = kAtEnd ? text.bytes().ends_with(affix) : text.bytes().starts_with(affix);
  if (!found) return self;
  return heap.text(text.substr(kAtEnd ? 0 : affix.size(), text.size() - affix.size()));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  if (part.empty()) return count_characters(text) + 1;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = find_part(text, part, at)) != std::string::npos;
       at += part.size()) {
    ++count;
  }
  return count;
}

Value replace_text(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("replace", {"old", "new", "count"});
  const Text &old = text_of(given[0], "replace"), &fresh = text_of(given[1], "replace");
  const std::size_t at_most = limit_of(given[2]);
  // Paid for before it is built: a long text for a short one can be enormous.
  heap.spend_bytes(self.text->size() +
                   fresh.size() * std::min(at_most, count_of(self.text->bytes(), old.bytes())));
  return heap.text(replace(*self.text, old, fresh, at_most));
}

Value count_text(Heap& heap, Value self, const Arguments& arguments) {
  const Text& part = text_of(arguments.bind("count", {"sub"})[0], "count");
  heap.spend_bytes(self.text->size());
  return Value::of(static_cast<std::int64_t>(count_of(self.text->bytes(), part.bytes())));
}

template <bool kFromRight>
Value find_text(Heap& heap, Value self, const Arguments& arguments) {
  const Text& part = text_of(arguments.bind("find", {"sub"})[0], "find");
  heap.spend_bytes(self.text->size() * (kFromRight ? 1 + part.size() : 1));
  const std::string& bytes = self.text->bytes();
  const std::size_t found =
      kFromRight ? bytes.rfind(part.bytes()) : find_part(bytes, part.bytes(), 0);
  if (found == std::string::npos) return Value::of(std::int64_t{-1});
  const std::string_view before = std::string_view(bytes).substr(0, found);
  return Value::of(static_cast<std::int64_t>(count_characters(before)));
}

Value index_text(Heap& heap, Value self, const Arguments& arguments) {
  const Value found = find_text<false>(heap, self, arguments);
  if (found.integer < 0) throw Failure("index(): the text is not found");
  return found;
}

Value join_texts(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("join", {"iterable"});
  if (given[0] == nullptr) throw Failure("join() needs a list of texts");
  Text result;
  bool is_first = true;
  for (const Value& item : items_of(heap, *given[0])) {
    const Text& text = text_of(&item, "join");
    heap.spend_bytes(text.size() + self.text->size());
    if (!is_first) result.append(*self.text);
    result.append(text);
    is_first = false;
  }
  return heap.text(std::move(result));
}

constexpr MethodEntry kTextMethods[] = {
    {"capitalize", map_text<capitalize>},
    {"count", count_text},
    {"endswith", has_affix<true>},
    {"find", find_text<false>},
    {"index", index_text},
    {"join", join_texts},
    {"lower", map_text<to_lower>},
    {"lstrip", strip_text<Side::kLeft>},
    {"partition", partition<false>},
    {"removeprefix", remove_affix<false>},
    {"removesuffix", remove_affix<true>},
    {"replace", replace_text},
    {"rfind", find_text<true>},
    {"rpartition", partition<true>},
    {"rsplit", split<true>},
    {"rstrip", strip_text<Side::kRight>},
    {"split", split<false>},
    {"splitlines", split_into_lines},
    {"startswith", has_affix<false>},
    {"strip", strip_text<Side::kBoth>},
    {"title", map_text<to_title>},
    {"upper", map_text<to_upper>},
};
constexpr std::string_view kRefusedTextMethods[] = {
    "casefold",    "center",   "encode",    "expandtabs", "format",       "format_map", "isalnum",
    "isalpha",     "isascii",  "isdecimal", "isdigit",    "isidentifier", "islower",    "isnumeric",
    "isprintable", "isspace",  "istitle",   "isupper",    "ljust",        "maketrans",  "rindex",
    "rjust",       "swapcase", "translate", "zfill"};

Value dict_get(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("get", {"key", "default"});
  if (given[0] == nullptr) throw Failure("get() needs a key");
  if (!is_hashable(*given[0])) {
    throw Failure(fmt::format("{} cannot be a key", type_name(*given[0])));
  }
  if (const Value* found = find(heap, *self.dict, *given[0])) return *found;
  return given[1] != nullptr ? *given[1] : Value::none();
}

enum class Part { kKeys, kValues, kItems };
template <Part kPart>
Value dict_part(Heap& heap, Value self, const Arguments& arguments) {
  arguments.bind("this method", {});
  std::vector<Value> parts;
  for (const auto& [key, value] : self.dict->items) {
    parts.push_back(kPart == Part::kKeys     ? key
                    : kPart == Part::kValues ? value
                                             : heap.list({key, value}, List::Shape::kTuple));
  }
  return heap.list(std::move(parts), List::Shape::kView);
}

constexpr MethodEntry kDictMethods[] = {
    {"get", dict_get},
    {"items", dict_part<Part::kItems>},
    {"keys", dict_part<Part::kKeys>},
    {"values", dict_part<Part::kValues>},
};
constexpr std::string_view kRefusedDictMethods[] = {"clear",   "copy",       "fromkeys", "pop",
                                                    "popitem", "setdefault", "update"};

Value list_count(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("count", {"value"});
  if (given[0] == nullptr) throw Failure("count() needs a value");
  std::int64_t count = 0;
  for (const Value item : self.list->items) count += equals(heap, item, *given[0]) ? 1 : 0;
  return Value::of(count);
}

Value list_index(Heap& heap, Value self, const Arguments& arguments) {
  const auto given = arguments.bind("index", {"value"});
  if (given[0] == nullptr) throw Failure("index() needs a value");
  for (std::size_t i = 0; i < self.list->items.size(); ++i) {
    if (equals(heap, self.list->items[i], *given[0])) {
      return Value::of(static_cast<std::int64_t>(i));
    }
  }
  throw Failure("index(): the value is not in the list");
}

constexpr MethodEntry kListMethods[] = {{"count", list_count}, {"index", list_index}};
constexpr std::string_view kRefusedListMethods[] = {
    "append", "clear", "copy", "extend", "insert", "pop", "remove", "reverse", "sort"};

Value loop_cycle(Heap&, Value self, const Arguments& arguments) {
  if (arguments.positional.empty()) throw Failure("cycle() needs items");
  return arguments.positional[self.loop->index % arguments.positional.size()];
}

// Whether the values differ from those of the last call.
Value loop_changed(Heap& heap, Value self, const Arguments& arguments) {
  Loop& loop = *self.loop;
  const Value now = heap.list(arguments.positional, List::Shape::kTuple);
  const bool changed = !loop.changed_once || !equals(heap, loop.last_changed, now);
  loop.changed_once = true;
  loop.last_changed = now;
  return Value::of(changed);
}

constexpr MethodEntry kLoopMethods[] = {{"changed", loop_changed}, {"cycle", loop_cycle}};

struct MethodsOfType {
  std::span<const MethodEntry> methods;
  std::span<const std::string_view> refused;
};

MethodsOfType methods_of(Value object) {
  switch (object.kind) {
    case Kind::kText:
      return {kTextMethods, kRefusedTextMethods};
    case Kind::kDict:
      return {kDictMethods, kRefusedDictMethods};
    case Kind::kList:
      if (object.list->shape > List::Shape::kTuple) return {};
      return {kListMethods, kRefusedListMethods};
    case Kind::kLoop:
      return {kLoopMethods, {}};
    default:
      return {};
  }
}

}  // namespace

bool has_method(Value object, const std::string& name) {
  const auto [methods, refused] = methods_of(object);
  if (std::find(refused.begin(), refused.end(), name) != refused.end()) {
    throw Failure(fmt::format("the method {}.{}() is not supported", type_name(object), name));
  }
  return std::any_of(methods.begin(), methods.end(),
                     [&](const MethodEntry& entry) { return entry.name == name; });
}

Value call_method(Heap& heap, const Method& method, const Arguments& arguments) {
  for (const MethodEntry& entry : methods_of(method.self).methods) {
    if (entry.name == method.name) return entry.run(heap, method.self, arguments);
  }
  throw Failure(fmt::format("{} has no method '{}'", type_name(method.self), method.name));
}

}  // namespace umf::jinja
