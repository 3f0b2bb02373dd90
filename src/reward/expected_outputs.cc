#include "reward/expected_outputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "reward/tester.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "umf-expected-3";
constexpr double kSeconds = 1200;  // for all calls of one task

std::string json_of(const ExpectedOutputs& outputs) {
  return Json{{"expected", outputs.values}, {"seconds", outputs.seconds}}.dump();
}

ExpectedOutputs parse_outputs(const Json& json) {
  ExpectedOutputs outputs{json.at("expected"), json.at("seconds").get<std::vector<double>>()};
  if (outputs.values.size() != outputs.seconds.size()) throw Error("values and times do not match");
  return outputs;
}

// First line: kind and checksum of the second.
std::optional<ExpectedOutputs> read_cached(const fs::path& path) {
  try {
    const std::string text = read_file(path);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return std::nullopt;
    const std::string body = text.substr(end + 1);
    if (text.substr(0, end) != fmt::format("{} {}", kKind, sha256(body))) return std::nullopt;
    return parse_outputs(Json::parse(body));
  } catch (const std::exception&) {
    return std::nullopt;  // absent or damaged: computed anew
  }
}

// A cache that cannot be written costs time and nothing else.
void write_cached(const fs::path& path, const ExpectedOutputs& outputs) {
  try {
    fs::create_directories(path.parent_path());
    const std::string body = json_of(outputs);
    write_file(path, fmt::format("{} {}\n{}", kKind, sha256(body), body));
  } catch (const std::exception&) {
  }
}

ExpectedOutputs compute(const ReferenceRun& run, Sandbox& sandbox, int most_ms) {
  const Json payload = {{"task_id", run.task_id},
                        {"entry_point", run.entry_point},
                        {"source", run.source},
                        {"inputs", run.inputs}};
  const PythonResult result =
      run_patiently(sandbox, {"evalplus_expected", payload_text(payload),
                              judging_limits({kSeconds}, {.most_judging_ms = most_ms})});
  if (result.ending != Ending::kExited)
    throw Error(fmt::format("{}: the expected outputs could not be computed: {}", run.task_id,
                            result.reason));
  ExpectedOutputs outputs{Json::array(), {}};
  for (std::string_view rest = result.reports; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const Json report = Json::parse(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (report.contains("failed"))
      throw Error(fmt::format("{}: {}", run.task_id, report["failed"].get<std::string>()));
    outputs.values.push_back(report.at("value"));
    outputs.seconds.push_back(report.at("seconds"));
  }
  return outputs;
}

}  // namespace

ExpectedOutputsCache ExpectedOutputsCache::of_user() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute())
    return ExpectedOutputsCache(fs::path(cache) / "umf" / "expected");
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute())
    return ExpectedOutputsCache(fs::path(home) / ".cache" / "umf" / "expected");
  return ExpectedOutputsCache("");
}

fs::path ExpectedOutputsCache::path_of(const ReferenceRun& run) const {
  Sha256 hash;
  for (const std::string& part : {run.task_id, run.entry_point, run.source, run.inputs})
    hash.add(sha256(part));
  return folder_ / (hash.digest() + ".json");
}

ExpectedOutputs ExpectedOutputsCache::get(const ReferenceRun& run, Sandbox& sandbox,
                                          int most_ms) const {
  if (folder_.empty()) return compute(run, sandbox, most_ms);
  const fs::path path = path_of(run);
  if (auto cached = read_cached(path)) return *std::move(cached);
  ExpectedOutputs outputs = compute(run, sandbox, most_ms);
  write_cached(path, outputs);
  return outputs;
}

}  // namespace umf
