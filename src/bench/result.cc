#include "bench/result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/checksum.h"
#include "base/error.h"

namespace umf {
namespace {

constexpr const char* kStatusNames[] = {"done", "unjudged", "failed"};

// {...,"sum":"16 digits"}: of all that stands before.
constexpr std::string_view kSum = ",\"sum\":\"";
constexpr std::size_t kSumTail = 18;

ResultStatus parse_status(const std::string& name) {
  const auto* found = std::find(std::begin(kStatusNames), std::end(kStatusNames), name);
  if (found == std::end(kStatusNames)) throw Error("there is no status '" + name + "'");
  return static_cast<ResultStatus>(found - std::begin(kStatusNames));
}

template <class T>
OrderedJson or_null(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::nullopt : std::optional<T>(json.at(key).get<T>());
}

}  // namespace

const char* name_of(ResultStatus status) { return kStatusNames[static_cast<int>(status)]; }

OrderedJson result_json(const Result& r) {
  const double hit_rate = r.rollouts == 0 ? 0 : static_cast<double>(r.hits) / r.rollouts;
  OrderedJson json = {{"id", r.key.id},
                      {"configuration", r.key.configuration},
                      {"budget", r.key.budget},
                      {"seed", r.key.seed},
                      {"status", name_of(r.status)},
                      {"tries", r.tries},
                      {"passed", or_null(r.passed)},
                      {"reward", or_null(r.reward)},
                      {"complete", r.complete},
                      {"answer", r.answer},
                      {"program", or_null(r.program)},
                      {"why", r.why},
                      {"search",
                       {{"nfe", r.nfe},
                        {"rollouts", r.rollouts},
                        {"hits", r.hits},
                        {"hit_rate", hit_rate},
                        {"saved_nfe", r.saved_nfe},
                        {"spared_nfe", r.spared_nfe},
                        {"partial_nfe", r.partial_nfe},
                        {"equivalents", r.equivalents},
                        {"switches", r.switches},
                        {"evaluations", r.evaluations},
                        {"stopped", r.stopped}}},
                      {"best", {{"path", r.path}, {"iteration", r.iteration}}},
                      {"passes", r.passes},
                      {"seconds",
                       {{"load", r.load_seconds},
                        {"unmask", r.unmask_seconds},
                        {"reward", r.reward_seconds},
                        {"grade", r.grade_seconds}}},
                      {"peak_memory_bytes", r.peak_memory_bytes},
                      {"worker", r.worker},
                      {"finished", r.finished}};
  if (!r.device.empty()) json["device"] = r.device;
  if (!r.made_for.empty()) json["made_for"] = r.made_for;
  return json;
}

std::string result_row(const Result& result) {
  return result_json(result).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string result_line(const Result& result) {
  std::string line = result_row(result);
  line.resize(line.size() - 2);  // "}\n"
  return fmt::format("{}{}{}\"}}\n", line, kSum, checksum(line));
}

namespace {

// Lines of earlier versions have no checksum.
void require_as_written(const std::string& line, const std::string& where) {
  const std::size_t end = line.rfind(kSum);
  if (end == std::string::npos || end + kSum.size() + kSumTail != line.size()) return;
  if (line.compare(end + kSum.size(), kSumTail - 2, checksum(line.substr(0, end))) != 0)
    throw Error(where + " is damaged; restore or remove the line");
}

}  // namespace

Result parse_result(const std::string& line, const std::string& where,
                    const std::map<std::string, std::uint64_t>& seeds) {
  require_as_written(line, where);
  const Json json = parse_json(line, where);
  Result r;
  try {
    const std::string configuration = json.at("configuration");
    const auto seed = seeds.find(configuration);
    r.key = {json.at("id"), configuration, json.at("budget"),
             json.value("seed", seed == seeds.end() ? std::uint64_t{0} : seed->second)};
    r.status = parse_status(json.at("status"));
    r.tries = json.at("tries");
    r.passed = optional_at<bool>(json, "passed");
    r.reward = optional_at<double>(json, "reward");
    r.complete = json.at("complete");
    r.answer = json.at("answer");
    r.program = optional_at<std::string>(json, "program");
    r.why = json.at("why");
    const Json& search = json.at("search");
    r.nfe = search.at("nfe");
    r.rollouts = search.at("rollouts");
    r.hits = search.at("hits");
    r.saved_nfe = search.at("saved_nfe");
    r.spared_nfe = search.at("spared_nfe");
    // Runs of earlier versions have whole passes alone.
    r.partial_nfe = search.value("partial_nfe", 0L);
    r.equivalents = search.value("equivalents", static_cast<double>(r.nfe));
    r.switches = search.at("switches");
    r.evaluations = search.at("evaluations");
    r.stopped = search.at("stopped");
    r.path = json.at("best").at("path").get<std::vector<std::string>>();
    r.iteration = json.at("best").at("iteration");
    r.passes = json.at("passes");
    const Json& seconds = json.at("seconds");
    r.load_seconds = seconds.at("load");
    r.unmask_seconds = seconds.at("unmask");
    r.reward_seconds = seconds.at("reward");
    r.grade_seconds = seconds.at("grade");
    r.peak_memory_bytes = json.at("peak_memory_bytes");
    r.worker = json.at("worker");
    r.finished = json.at("finished");
    r.device = json.value("device", std::string());
    r.made_for = json.value("made_for", std::string());
  } catch (const std::exception& mistake) {
    throw Error(
        fmt::format("{} is not a result ({}); restore or remove the line", where, mistake.what()));
  }
  return r;
}

}  // namespace umf
