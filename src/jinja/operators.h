// Arithmetic and access to parts of values, as Python and Jinja define them.
#pragma once

#include "jinja/value.h"

namespace umf::jinja {

// Throws Failure when the comparison asks for an order that the two do not have.
bool holds(Heap& heap, Comparison comparison, Value left, Value right);

// Throws Failure for types the operator does not take, for integers past 64 bits, division by zero.
Value arithmetic(Heap& heap, Operator operation, Value left, Value right);
Value negate(Value value);

// object.name: a method, an entry of a dict, or undefined.
Value attribute(Heap& heap, Value object, const std::string& name);
// object[key]: an item, or undefined.
Value subscript(Heap& heap, Value object, Value key);
// object[start:stop:step]; a part that is not given is none.
Value slice(Heap& heap, Value object, Value start, Value stop, Value step);
// The path of an `attribute=` argument: "function.name", "0.role", or an index.
Value attribute_path(Heap& heap, Value object, Value path);

}  // namespace umf::jinja
