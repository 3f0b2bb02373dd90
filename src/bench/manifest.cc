#include "bench/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/sha256.h"

namespace umf {
namespace {

constexpr const char* kKind = "umf-run-1";
constexpr std::size_t kFingerprintDigits = 16;

// Budgets and seeds are in a result's key, names are for people, and what a pool gives is worked
// out from results.
std::string fingerprint_of(const Json& manifest, Json configuration) {
  for (const char* key : {"name", "budgets", "seeds", "pool", "model_names", "action_names"})
    configuration.erase(key);
  const Json& dataset = manifest.at("dataset");
  const Json all = {{"version", manifest.value("version", Json())},
                    {"backend", manifest.value("backend", Json())},
                    {"dataset", {dataset.at("kind"), dataset.value("prompt_style", Json())}},
                    {"tests", manifest.value("tests", Json())},
                    {"configuration", std::move(configuration)}};
  return short_digest(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Manifest::Entry parse_entry(const Json& manifest, const Json& json) {
  Manifest::Entry entry{
      json.at("name"), json.at("budgets").get<std::vector<long>>(),
      json.contains("pool") ? std::optional(parse_pool(json["pool"])) : std::nullopt,
      json.value("window", 0)};
  entry.seed = json.value("seed", std::uint64_t{0});
  entry.seeds = json.value("seeds", std::vector<std::uint64_t>{entry.seed});
  entry.fingerprint = fingerprint_of(manifest, json);
  const bool sorted = std::ranges::is_sorted(entry.budgets) && std::ranges::is_sorted(entry.seeds);
  if (entry.budgets.empty() || entry.seeds.empty() || !sorted)
    throw Error(fmt::format("the budgets or seeds of '{}' are none, or not in order", entry.name));
  return entry;
}

}  // namespace

std::string short_digest(std::string_view text) {
  return sha256(text).substr(0, kFingerprintDigits);
}

std::string Manifest::job_name(int problem, int configuration) {
  return fmt::format("{:05}-{:03}", problem, configuration);
}

std::string Manifest::job_name(int problem, int configuration, std::uint64_t seed) const {
  const std::string plain = job_name(problem, configuration);
  return seed == configurations[configuration].seed ? plain : fmt::format("{}s{}", plain, seed);
}

std::optional<std::pair<int, int>> Manifest::parse_job_name(std::string_view name) {
  int problem = 0, configuration = 0;
  std::uint64_t seed = 0;
  const char* end = name.data() + name.size();
  const auto [dash, no_problem] = std::from_chars(name.data(), end, problem);
  if (no_problem != std::errc() || dash == end || *dash != '-') return std::nullopt;
  auto [stop, failure] = std::from_chars(dash + 1, end, configuration);
  if (failure == std::errc() && stop != end && *stop == 's') {
    const auto with_seed = std::from_chars(stop + 1, end, seed);
    stop = with_seed.ptr;
    failure = with_seed.ec;
  }
  if (failure != std::errc() || stop != end || problem < 0 || configuration < 0)
    return std::nullopt;
  return std::pair(problem, configuration);
}

std::uint64_t Manifest::seed_of_job(std::string_view name, int configuration) const {
  std::uint64_t seed = configurations[configuration].seed;
  if (const auto at = name.find('s'); at != std::string_view::npos)
    std::from_chars(name.data() + at + 1, name.data() + name.size(), seed);
  return seed;
}

std::vector<long> Manifest::Entry::recorded() const {
  return pool ? with_steps(budgets, *pool) : budgets;
}

std::string Manifest::made_for(int problem, int configuration) const {
  return fmt::format("{}/{}", configurations[configuration].fingerprint,
                     fingerprints.empty() ? "" : fingerprints[problem]);
}

Manifest::Known Manifest::known() const {
  Known known;
  for (const Entry& entry : configurations) {
    known.seeds[entry.name] = entry.seed;
    known.configurations[entry.name] = entry.fingerprint;
  }
  for (std::size_t i = 0; i < fingerprints.size(); ++i) known.problems[ids[i]] = fingerprints[i];
  return known;
}

void Manifest::Known::require_own(const std::string& id, const std::string& configuration,
                                  const std::string& made_for, const std::string& where) const {
  if (made_for.empty()) return;
  const std::size_t slash = std::min(made_for.find('/'), made_for.size());
  const std::string of_configuration = made_for.substr(0, slash),
                    of_problem = made_for.substr(std::min(slash + 1, made_for.size()));
  const auto differs = [](const auto& known_ones, const std::string& name,
                          const std::string& fingerprint) {
    const auto known = known_ones.find(name);
    return known != known_ones.end() && known->second != fingerprint;
  };
  if (differs(configurations, configuration, of_configuration))
    throw Error(
        fmt::format("{} was made by another configuration than what the run now calls '{}': its "
                    "config.json was changed; restore it, or begin a run in another folder",
                    where, configuration));
  if (differs(problems, id, of_problem))
    throw Error(
        fmt::format("{} was made for another problem than what the run now calls '{}': its "
                    "config.json was changed; restore it, or begin a run in another folder",
                    where, id));
}

Json sealed(Json manifest) {
  manifest["kind"] = kKind;
  // Through text, as files go: numbers look the same.
  return Json::parse(manifest.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Manifest parse_manifest(Json json, const std::string& where) {
  Manifest manifest;
  try {
    if (json.at("kind") != kKind) throw Error("its kind is not " + std::string(kKind));
    const Json& dataset = json.at("dataset");
    manifest.dataset_kind = dataset.at("kind");
    manifest.ids = dataset.at("problems").get<std::vector<std::string>>();
    manifest.fingerprints = dataset.value("problem_fingerprints", std::vector<std::string>());
    if (!manifest.fingerprints.empty() && manifest.fingerprints.size() != manifest.ids.size())
      throw Error("it does not have one of problem_fingerprints for each of problems");
    manifest.left_out = dataset.value("left_out", 0);
    manifest.devices = json.value("devices", std::vector<std::string>());
    for (const Json& entry : json.at("configurations"))
      manifest.configurations.push_back(parse_entry(json, entry));
  } catch (const std::exception& mistake) {
    throw Error(fmt::format("'{}' does not describe a run: {}", where, mistake.what()));
  }
  manifest.json = std::move(json);
  return manifest;
}

}  // namespace umf
