// The filters of lists: sorting, grouping, selecting.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "jinja/filters.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace umf::jinja {

// Merges runs of doubling length. std::stable_sort may misbehave on an order that is none, which a
// list with a NaN has.
std::vector<std::size_t> sorted_places(Heap& heap, const std::vector<Value>& keys,
                                       bool descending) {
  std::vector<std::size_t> places(keys.size()), merged(keys.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return descending ? order(heap, keys[b], keys[a]) < 0 : order(heap, keys[a], keys[b]) < 0;
  };
  for (std::size_t run = 1; run < keys.size(); run *= 2) {
    for (std::size_t begin = 0; begin < keys.size(); begin += 2 * run) {
      const std::size_t middle = std::min(begin + run, keys.size());
      const std::size_t end = std::min(begin + 2 * run, keys.size());
      std::size_t left = begin, right = middle;
      for (std::size_t at = begin; at < end; ++at) {
        const bool takes_right =
            right < end && (left == middle || before(places[right], places[left]));
        merged[at] = takes_right ? places[right++] : places[left++];
      }
    }
    places.swap(merged);
  }
  return places;
}

namespace {

using Kind = Value::Kind;

bool given_true(const Value* value) { return value != nullptr && truth(*value); }
bool given_value(const Value* value) { return value != nullptr && !value->is(Kind::kNone); }

// The item itself or its attribute; text in lower case unless case matters.
Value key_of(Heap& heap, Value item, const Value* attribute, bool case_sensitive) {
  if (given_value(attribute)) item = attribute_path(heap, item, *attribute);
  return item.is(Kind::kText) && !case_sensitive ? heap.text(to_lower(*item.text)) : item;
}

Value first(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("first", {});
  if (subject.is(Kind::kText)) {  // without making a list of all characters
    if (subject.text->empty()) return Value::undefined();
    return heap.text(subject.text->substr(0, code_point_at(subject.text->bytes(), 0).length));
  }
  if (subject.is(Kind::kList)) {
    List& list = *subject.list;
    if (list.next == list.items.size()) return Value::undefined();
    const Value item = list.items[list.next];
    if (list.shape == List::Shape::kGenerator) ++list.next;
    return item;
  }
  const auto items = items_of(heap, subject);
  return items.empty() ? Value::undefined() : items.front();
}

Value last(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("last", {});
  if (subject.is(Kind::kList) && subject.list->shape == List::Shape::kGenerator) {
    throw Failure("a generator has no last item: add '| list'");
  }
  const auto items = items_of(heap, subject);
  return items.empty() ? Value::undefined() : items.back();
}

Value length(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("length", {});
  return Value::of(static_cast<std::int64_t>(length_of(heap, subject)));
}

Value list(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("list", {});
  return heap.list(items_of(heap, subject));
}

Value join(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("join", {"d", "attribute"});
  const Text separator = given[0] != nullptr ? to_text(heap, *given[0]) : Text();
  Text result;
  bool is_first = true;
  for (Value item : items_of(heap, subject)) {
    if (given_value(given[1])) item = attribute_path(heap, item, *given[1]);
    const Text text = to_text(heap, item);
    heap.spend_bytes(text.size() + separator.size());
    if (!is_first) result.append(separator);
    result.append(text);
    is_first = false;
  }
  return heap.text(std::move(result));
}

Value reverse(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("reverse", {});
  if (subject.is(Kind::kText)) {
    Value minus_one = Value::of(std::int64_t{-1});
    return slice(heap, subject, Value::none(), Value::none(), minus_one);
  }
  const bool was_generator =
      subject.is(Kind::kList) && subject.list->shape == List::Shape::kGenerator;
  auto items = items_of(heap, subject);
  std::reverse(items.begin(), items.end());
  return heap.list(std::move(items), was_generator ? List::Shape::kList : List::Shape::kGenerator);
}

Value map(Heap& heap, Value subject, const Arguments& arguments) {
  std::vector<Value> results;
  // None, false and 0 count as empty here, though no loop takes them.
  const auto items = truth(subject) ? items_of(heap, subject) : std::vector<Value>();
  if (arguments.positional.empty()) {
    const auto given = arguments.bind("map", {"attribute", "default"});
    if (given[0] == nullptr) throw Failure("map needs a filter or an attribute");
    for (const Value item : items) {
      Value part = attribute_path(heap, item, *given[0]);
      if (part.is(Kind::kUndefined) && given_value(given[1])) part = *given[1];
      results.push_back(part);
    }
  } else {
    const Value name = arguments.positional[0];
    const Filter filter = name.is(Kind::kText) ? find_filter(name.text->bytes()) : nullptr;
    if (filter == nullptr) {
      throw Failure(
          fmt::format("map: the filter '{}' is not supported", to_text(heap, name).bytes()));
    }
    // A character is a list of one character, so map in map in map ... would never end.
    if (filter == map) throw Failure("map of map is not supported");
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin());
    for (const Value item : items) results.push_back(filter(heap, item, rest));
  }
  return heap.list(std::move(results), List::Shape::kGenerator);
}

// select and reject, and with an attribute in front selectattr and rejectattr.
template <bool kWanted, bool kByAttribute>
Value choose(Heap& heap, Value subject, const Arguments& arguments) {
  if (!truth(subject)) return heap.list({}, List::Shape::kGenerator);
  Arguments rest = arguments;
  const auto take = [&rest] {
    const Value taken = rest.positional.front();
    rest.positional.erase(rest.positional.begin());
    return taken;
  };
  if (kByAttribute && rest.positional.empty()) throw Failure("which attribute decides is missing");
  const Value attribute = kByAttribute ? take() : Value::none();
  Test test = nullptr;
  if (!rest.positional.empty()) {
    const Value name = take();
    test = name.is(Kind::kText) ? find_test(name.text->bytes()) : nullptr;
    if (test == nullptr) {
      throw Failure(fmt::format("the test '{}' is not supported", to_text(heap, name).bytes()));
    }
  }
  std::vector<Value> chosen;
  for (const Value item : items_of(heap, subject)) {
    const Value judged = kByAttribute ? attribute_path(heap, item, attribute) : item;
    const bool passes = test != nullptr ? test(heap, judged, rest) : truth(judged);
    if (passes == kWanted) chosen.push_back(item);
  }
  return heap.list(std::move(chosen), List::Shape::kGenerator);
}

std::vector<Value> pairs_of(Heap& heap, const Dict& dict) {
  std::vector<Value> pairs;
  for (const auto& [key, value] : dict.items) {
    pairs.push_back(heap.list({key, value}, List::Shape::kTuple));
  }
  return pairs;
}

Value items(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("items", {});
  if (subject.is(Kind::kUndefined)) return heap.list({}, List::Shape::kGenerator);
  if (!subject.is(Kind::kDict)) throw Failure("items needs a mapping");
  return heap.list(pairs_of(heap, *subject.dict), List::Shape::kGenerator);
}

Value sorted(Heap& heap, const std::vector<Value>& items, const std::vector<Value>& keys,
             bool descending) {
  std::vector<Value> result;
  for (const std::size_t place : sorted_places(heap, keys, descending)) {
    result.push_back(items[place]);
  }
  return heap.list(std::move(result));
}

Value dictsort(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("dictsort", {"case_sensitive", "by", "reverse"});
  if (!subject.is(Kind::kDict)) throw Failure("dictsort needs a mapping");
  const std::string by = given[1] != nullptr ? to_text(heap, *given[1]).bytes() : "key";
  if (by != "key" && by != "value") throw Failure("dictsort sorts by 'key' or by 'value'");
  std::vector<Value> keys;
  for (const auto& [key, value] : subject.dict->items) {
    keys.push_back(key_of(heap, by == "key" ? key : value, nullptr, given_true(given[0])));
  }
  return sorted(heap, pairs_of(heap, *subject.dict), keys, given_true(given[2]));
}

Value sort(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("sort", {"reverse", "case_sensitive", "attribute"});
  if (given_value(given[2]) && given[2]->is(Kind::kText) &&
      given[2]->text->bytes().find(',') != std::string::npos) {
    throw Failure("sort by several attributes is not supported");
  }
  const auto items = items_of(heap, subject);
  std::vector<Value> keys;
  for (const Value item : items) {
    keys.push_back(key_of(heap, item, given[2], given_true(given[1])));
  }
  return sorted(heap, items, keys, given_true(given[0]));
}

Value unique(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("unique", {"case_sensitive", "attribute"});
  std::vector<Value> kept, seen;
  for (const Value item : items_of(heap, subject)) {
    const Value key = key_of(heap, item, given[1], given_true(given[0]));
    if (!is_hashable(key)) throw Failure(fmt::format("unique over {} values", type_name(key)));
    const bool is_new = std::none_of(seen.begin(), seen.end(),
                                     [&](Value other) { return equals(heap, key, other); });
    if (!is_new) continue;
    kept.push_back(item);
    seen.push_back(key);
  }
  return heap.list(std::move(kept), List::Shape::kGenerator);
}

template <bool kLargest>
Value extreme(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind(kLargest ? "max" : "min", {"case_sensitive", "attribute"});
  Value best = Value::undefined(), best_key;
  bool is_first = true;
  for (const Value item : items_of(heap, subject)) {
    const Value key = key_of(heap, item, given[1], given_true(given[0]));
    const bool better =
        is_first || (kLargest ? order(heap, key, best_key) > 0 : order(heap, key, best_key) < 0);
    is_first = false;
    if (!better) continue;
    best = item;
    best_key = key;
  }
  return best;
}

Value sum(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("sum", {"attribute", "start"});
  Value total = given[1] != nullptr ? *given[1] : Value::of(std::int64_t{0});
  for (Value item : items_of(heap, subject)) {
    if (given_value(given[0])) item = attribute_path(heap, item, *given[0]);
    total = arithmetic(heap, Operator::kAdd, total, item);
  }
  return total;
}

Value batch(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("batch", {"linecount", "fill_with"});
  if (given[0] == nullptr || !given[0]->is_integral() || given[0]->as_integer() < 1 ||
      given[0]->as_integer() > 100'000) {
    throw Failure("batch needs a size from 1 to 100000");
  }
  const auto size = static_cast<std::size_t>(given[0]->as_integer());
  const auto items = items_of(heap, subject);
  std::vector<Value> batches;
  for (std::size_t begin = 0; begin < items.size(); begin += size) {
    std::vector<Value> group(items.begin() + begin,
                             items.begin() + std::min(begin + size, items.size()));
    if (given_value(given[1])) group.resize(size, *given[1]);
    batches.push_back(heap.list(std::move(group)));
  }
  return heap.list(std::move(batches), List::Shape::kGenerator);
}

constexpr FilterEntry kSequenceFilters[] = {
    {"batch", batch},
    {"count", length},
    {"dictsort", dictsort},
    {"first", first},
    {"items", items},
    {"join", join},
    {"last", last},
    {"length", length},
    {"list", list},
    {"map", map},
    {"max", extreme<true>},
    {"min", extreme<false>},
    {"reject", choose<false, false>},
    {"rejectattr", choose<false, true>},
    {"reverse", reverse},
    {"select", choose<true, false>},
    {"selectattr", choose<true, true>},
    {"sort", sort},
    {"sum", sum},
    {"unique", unique},
};

}  // namespace

std::span<const FilterEntry> sequence_filters() { return kSequenceFilters; }

}  // namespace umf::jinja
