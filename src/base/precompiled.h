// What most files include, read by the compiler once for all of them (cmake/precompiled.cmake).
// Files still include what they use: this is no header of theirs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// The library defines a literal "..."_json, for which every file would instantiate a whole parser:
// a third of a second each. Nobody here uses it. So it is declared only, and its body becomes that
// of a template which nobody instantiates. (Releases that write it without a space are not changed
// by this.)
#define _json(...)        \
  _json(__VA_ARGS__);     \
  template <class Nobody> \
  nlohmann::json literal(__VA_ARGS__)
#include <nlohmann/json.hpp>
#undef _json
