// Python's methods of strings, lists and dicts, and those of the loop object.
#pragma once

#include <string>

#include "jinja/value.h"

namespace umf::jinja {

// Whether object.name is a method. Throws Failure for one that Python has and templates may not use
// here, so that it is not mistaken for an entry that is absent.
bool has_method(Value object, const std::string& name);
Value call_method(Heap& heap, const Method& method, const Arguments& arguments);

}  // namespace umf::jinja
