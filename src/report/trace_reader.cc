#include "report/trace_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/error.h"
#include "base/json.h"

namespace umf {
namespace {

constexpr int kMostCells = 1 << 20, kMostLines = 1 << 20;

class TraceReader {
 public:
  TraceReader(const TraceShape& shape, const std::string& where) : shape_(shape), file_(where) {
    cells_[0] = shape.window;
  }
  OrderedJson read(std::string_view text);

 private:
  OrderedJson line(const Json& json);
  OrderedJson writes(const Json& json, int& cells) const;
  OrderedJson windows(const Json& json, int& cells) const;
  OrderedJson window(const Json& json, int& cells) const;
  OrderedJson verdict(const Json& json) const;
  OrderedJson opened(const Json& json) const;
  OrderedJson text_of_cell(const Json& json, const char* key) const;

  [[noreturn]] void refuse(const char* key, const char* wish) const {
    throw Error(fmt::format("{} line {}: '{}' must be {}; is this a trace of umf?", file_, line_,
                            key, wish));
  }
  const Json& at(const Json& json, const char* key) const {
    if (!json.is_object() || !json.contains(key)) refuse(key, "there");
    return json[key];
  }
  int integer(const Json& value, const char* key, int least, int most) const {
    if (!value.is_number_integer() || value < least || value > most)
      refuse(key, "a whole number within its range");
    return value.get<int>();
  }
  bool flag(const Json& json, const char* key) const {
    if (!at(json, key).is_boolean()) refuse(key, "true or false");
    return json[key].get<bool>();
  }
  std::string words(const Json& value, const char* key) const {
    if (!value.is_string()) refuse(key, "text");
    return value.get<std::string>();
  }
  const Json& list(const Json& json, const char* key) const {
    if (!at(json, key).is_array()) refuse(key, "a list");
    return json[key];
  }
  OrderedJson integers(const Json& json, const char* key, int most) const {
    OrderedJson numbers = OrderedJson::array();
    for (const Json& value : list(json, key)) numbers.push_back(integer(value, key, 0, most));
    return numbers;
  }

  const TraceShape& shape_;
  const std::string& file_;
  int line_ = 0;
  std::unordered_map<int, int> cells_;  // of every state that was told
};

OrderedJson TraceReader::text_of_cell(const Json& json, const char* key) const {
  if (json.is_null()) return nullptr;
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer() && json == 0) return 0;
  if (!json.is_array() || json.empty() || json.size() > 1024) refuse(key, "the text of a cell");
  OrderedJson bytes = OrderedJson::array();
  for (const Json& byte : json) bytes.push_back(integer(byte, key, 0, 255));
  return bytes;
}

OrderedJson TraceReader::writes(const Json& json, int& cells) const {
  OrderedJson recut = OrderedJson::array();
  if (json.contains("windows")) recut = windows(json, cells);
  OrderedJson texts = OrderedJson::array();
  for (const Json& text : list(json, "texts")) texts.push_back(text_of_cell(text, "texts"));
  OrderedJson result = {{"cells", integers(json, "cells", cells - 1)}, {"texts", texts}};
  if (json.contains("passes")) result["passes"] = integers(json, "passes", INT_MAX);
  if (json.contains("by")) result["by"] = integers(json, "by", shape_.actions - 1);
  for (const auto& [key, values] : result.items()) {
    if (values.size() != texts.size()) refuse(key.c_str(), "as long as 'texts'");
  }
  if (!recut.empty()) result["windows"] = recut;
  return result;
}

// Of several models: the window in other cells, behind how many writes. `cells` becomes the most of
// them.
OrderedJson TraceReader::windows(const Json& json, int& cells) const {
  OrderedJson result = OrderedJson::array();
  for (const Json& entry : list(json, "windows")) {
    if (!entry.is_array() || entry.size() != 2) refuse("windows", "pairs of a number and a window");
    int count = 0;
    OrderedJson cut = window({{"window", entry[1]}}, count);
    result.push_back({integer(entry[0], "windows", 0, kMostCells), std::move(cut)});
    cells = std::max(cells, count);
  }
  return result;
}

OrderedJson TraceReader::window(const Json& json, int& cells) const {
  OrderedJson result = OrderedJson::array();
  long count = 0;
  for (const Json& entry : list(json, "window")) {
    if (entry.is_number()) {
      const int run = integer(entry, "window", -kMostCells, kMostCells);
      result.push_back(run);
      count += std::abs(run);
    } else {
      if (entry.is_null()) refuse("window", "texts and numbers");
      result.push_back(text_of_cell(entry, "window"));
      ++count;
    }
  }
  if (count > kMostCells) refuse("window", "of a sensible length");
  cells = static_cast<int>(count);
  return result;
}

OrderedJson TraceReader::verdict(const Json& json) const {
  OrderedJson result = {{"why", words(at(json, "why"), "why")}};
  if (!json.contains("outcomes")) return result;
  result["outcomes"] = words(json["outcomes"], "outcomes");
  if (json.contains("names")) {
    result["names"] = OrderedJson::array();
    for (const Json& name : list(json, "names")) result["names"].push_back(words(name, "names"));
  }
  if (json.contains("failures")) {
    if (!json["failures"].is_object()) refuse("failures", "an object");
    result["failures"] = OrderedJson::object();
    for (const auto& [test, why] : json["failures"].items())
      result["failures"][test] = words(why, "failures");
  }
  return result;
}

OrderedJson TraceReader::opened(const Json& json) const {
  const int end = integer(at(json, "end"), "end", 0, INT_MAX);
  if (!cells_.contains(end)) refuse("end", "a state that an earlier line reached");
  OrderedJson result = {{"end", end},
                        {"kind", words(at(json, "kind"), "kind")},
                        {"cells", integers(json, "cells", cells_.at(end) - 1)}};
  if (json.contains("insert")) {
    result["insert"] = integers(json, "insert", cells_.at(end));
    if (result["insert"].size() != 2) refuse("insert", "a place and a number");
  }
  return result;
}

OrderedJson TraceReader::line(const Json& json) {
  const int from = integer(at(json, "from"), "from", 0, INT_MAX);
  OrderedJson opening;
  if (json.contains("opened")) {
    opening = opened(json["opened"]);
    cells_.try_emplace(from, cells_.at(opening["end"].get<int>()));
  }
  if (!cells_.contains(from)) refuse("from", "a state that an earlier line reached");
  const bool hit = flag(json, "hit");
  const Json& reward = at(json, "reward");
  if (!reward.is_number() && !reward.is_null()) refuse("reward", "a number or null");
  const Json& draw = at(json, "draw");
  if (!draw.is_number_unsigned()) refuse("draw", "a whole number, not negative");
  OrderedJson result = {
      {"iteration", integer(at(json, "iteration"), "iteration", 1, INT_MAX)},
      {"from", from},
      {"action", integer(at(json, "action"), "action", 0, shape_.actions - 1)},
      {"draw", draw.get<std::uint64_t>()},
      {"hit", hit},
      {"passes", integer(at(json, "passes"), "passes", 0, INT_MAX)},
      {"nfe", integer(at(json, "nfe"), "nfe", 0, INT_MAX)},
      {"complete", flag(json, "complete")},
      {"reward", reward.is_null() ? OrderedJson(nullptr) : OrderedJson(reward.get<double>())},
      {"path", integers(json, "path", INT_MAX)},
      {"masks", integers(json, "masks", kMostCells)}};
  if (result["path"].empty() || result["path"].size() != result["masks"].size())
    refuse("path", "as long as 'masks', and not empty");
  if (!opening.is_null()) result["opened"] = opening;
  int cells = cells_[from];
  if (!hit) {
    if (json.contains("window")) result["window"] = window(json, cells);
    result["writes"] = writes(at(json, "writes"), cells);
    if (json.contains("verdict")) result["verdict"] = verdict(json["verdict"]);
  }
  for (const OrderedJson& state : result["path"]) {
    const bool known = cells_.contains(state.get<int>());
    if (hit && !known) refuse("path", "known, as the line is a hit");
    cells_.try_emplace(state.get<int>(), cells);
  }
  return result;
}

OrderedJson TraceReader::read(std::string_view text) {
  OrderedJson lines = OrderedJson::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (++line_ > kMostLines) refuse("iteration", "fewer");
    const std::string where = fmt::format("{} line {}", file_, line_);
    lines.push_back(line(parse_json(text.substr(0, end), where)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

OrderedJson read_trace(std::string_view text, const TraceShape& shape, const std::string& where) {
  return TraceReader(shape, where).read(text);
}

}  // namespace umf
