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
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
