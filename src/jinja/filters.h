// Filters (value | name(arguments)) and tests (value is name(arguments)).
#pragma once

#include <span>
#include <string_view>

#include "jinja/value.h"

namespace umf::jinja {

using Filter = Value (*)(Heap& heap, Value subject, const Arguments& arguments);
using Test = bool (*)(Heap& heap, Value subject, const Arguments& arguments);

// Null when there is none of that name.
Filter find_filter(std::string_view name);
Test find_test(std::string_view name);

struct FilterEntry {
  std::string_view name;
  Filter filter;
};
std::span<const FilterEntry> sequence_filters();  // on lists, dicts and generators

// Where the items of `keys` stand once sorted; equal ones keep their order. Throws Failure for keys
// without an order.
std::vector<std::size_t> sorted_places(Heap& heap, const std::vector<Value>& keys, bool descending);

}  // namespace umf::jinja
