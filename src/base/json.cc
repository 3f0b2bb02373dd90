#include "base/json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.h"

namespace umf {
namespace {

// Without the library's own name of the mistake, "[json.exception.parse_error.101] ".
std::string_view in_words(const Json::exception& reason) {
  const std::string_view what = reason.what();
  const std::size_t end = what.find("] ");
  return end == what.npos ? what : what.substr(end + 2);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  constexpr int kDepthLimit = 64;
  std::vector<std::set<std::string>> keys;  // of the objects that are open, outermost first
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDepthLimit) {
      throw Error(fmt::format("{}: nested deeper than {} levels", where, kDepthLimit));
    }
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        throw Error(fmt::format("{}: key '{}' is given twice", where, key));
      }
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::exception& reason) {
    throw Error(fmt::format("{} is not valid JSON: {}", where, in_words(reason)));
  }
}

}  // namespace umf
