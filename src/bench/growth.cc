#include "bench/growth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.h"
#include "bench/manifest.h"

namespace umf {
namespace {

std::string shortened(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string value_at(const Json& json, const std::string& path) {
  const Json::json_pointer pointer(path);
  return json.contains(pointer) ? shortened(json.at(pointer)) : "nothing";
}

// Where two values differ first, with both of them; empty where they do not.
std::string first_difference(const Json& theirs, const Json& ours) {
  const Json difference = Json::diff(theirs, ours);
  if (difference.empty()) return "";
  std::string path = difference[0].at("path");
  if (path.ends_with("/-")) path.resize(path.size() - 2);  // an element more
  return fmt::format("{} = {}, and this command {}", path, value_at(theirs, path),
                     value_at(ours, path));
}

// Fingerprints by id; of a run of an earlier version, which has none, they are null.
std::map<std::string, Json> problems_of(const Json& dataset) {
  std::map<std::string, Json> problems;
  const Json prints = dataset.value("problem_fingerprints", Json::array());
  for (std::size_t i = 0; i < dataset.at("problems").size(); ++i)
    problems[dataset["problems"][i]] = i < prints.size() ? prints[i] : Json();
  return problems;
}

// What may differ between the workers of one run: where things lie, who began, on what they run,
// and names that follow from the rest, which earlier versions did not write.
Json comparable(Json manifest, bool by_problem) {
  for (const char* key : {"made_by", "devices"}) manifest.erase(key);
  if (manifest.contains("dataset")) {
    Json& dataset = manifest["dataset"];
    // Each problem has a fingerprint of its own: that of all together depends on their order.
    if (by_problem) {
      dataset["problems"] = problems_of(dataset);
      dataset.erase("fingerprint");
    }
    for (const char* key : {"path", "left_out", "problem_fingerprints"}) dataset.erase(key);
  }
  if (manifest.contains("configurations")) {
    for (Json& configuration : manifest["configurations"]) configuration.erase("action_names");
  }
  if (manifest.contains("models")) {
    for (Json& model : manifest["models"]) model.erase("directory");
    auto models = manifest["models"].get<std::vector<Json>>();
    std::ranges::stable_sort(
        models, {}, [](const Json& model) { return model.value("fingerprint", std::string()); });
    manifest["models"] = models;
  }
  return manifest;
}

bool has_fingerprints(const Json& manifest) {
  return manifest.contains("dataset") && manifest["dataset"].contains("problem_fingerprints");
}

// What nothing can be added to.
Json ground(Json manifest) {
  manifest = comparable(std::move(manifest), /*by_problem=*/false);
  for (const char* key : {"configurations", "models"}) manifest.erase(key);
  for (const char* key : {"problems", "fingerprint"}) manifest["dataset"].erase(key);
  return manifest;
}

void add_models(Json& run, const Json& wanted) {
  for (const Json& model : wanted.value("models", Json::array())) {
    const bool known = std::ranges::any_of(run["models"], [&](const Json& other) {
      return other.at("fingerprint") == model.at("fingerprint");
    });
    if (!known) run["models"].push_back(model);
  }
}

std::string file_name(const Json& dataset) {
  return std::filesystem::path(dataset.value("path", std::string())).filename().string();
}

// Problems of a run that noted no fingerprints cannot be told from others by the same names.
void require_unchanged(const Json& run, const Json& wanted) {
  if (run.at("problems") == wanted.at("problems") &&
      run.value("fingerprint", Json()) == wanted.value("fingerprint", Json()))
    return;
  throw Error(
      "it was begun by an earlier version, which did not note what each problem is: budgets, seeds "
      "and configurations can be added, with the problems chosen as before");
}

void add_problems(Json& run, const Json& wanted) {
  if (!run.contains("problem_fingerprints")) return require_unchanged(run, wanted);
  const auto known = problems_of(run);
  bool added = false;
  for (const auto& [id, fingerprint] : problems_of(wanted)) {
    const auto same = known.find(id);
    if (same != known.end() && same->second != fingerprint)
      throw Error(fmt::format(
          "its problem '{}' is another one than '{}' has by that name, or is asked in other words",
          id, file_name(wanted)));
  }
  // In the order in which they were chosen.
  for (std::size_t i = 0; i < wanted.at("problems").size(); ++i) {
    if (known.contains(wanted["problems"][i])) continue;
    run["problems"].push_back(wanted["problems"][i]);
    run["problem_fingerprints"].push_back(wanted.at("problem_fingerprints").at(i));
    added = true;
  }
  if (!added) return;
  if (file_name(run) != file_name(wanted))
    throw Error(fmt::format("its problems are of '{}', and those of '{}' cannot be added to them",
                            file_name(run), file_name(wanted)));
  run["left_out"] = std::max(run.value("left_out", 0), wanted.value("left_out", 0));
  run["fingerprint"] = run["problems"] == wanted["problems"]
                           ? wanted.at("fingerprint")
                           : Json(short_digest(run["problem_fingerprints"].dump()));
}

template <class Number>
std::vector<Number> united(const Json& one, const Json& other) {
  auto numbers = one.get<std::set<Number>>();
  for (const Json& number : other) numbers.insert(number.get<Number>());
  return {numbers.begin(), numbers.end()};
}

Json seeds_of(const Json& configuration) {
  return configuration.value("seeds", Json::array({configuration.value("seed", std::uint64_t{0})}));
}

void add_budgets(Json& configuration, const Json& wanted) {
  const auto budgets = united<long>(configuration.at("budgets"), wanted.at("budgets"));
  if (budgets.size() == configuration["budgets"].size()) return;
  if (configuration.contains("seconds"))
    throw Error(
        "the clock ends its searches: no other search gives the results at its budgets once more; "
        "measure other budgets under another name");
  configuration["budgets"] = budgets;
}

void add_seeds(Json& configuration, const Json& wanted) {
  const auto seeds = united<std::uint64_t>(seeds_of(configuration), seeds_of(wanted));
  if (seeds.size() > 1) configuration["seeds"] = seeds;
}

void add_pool(Json& configuration, const Json& wanted) {
  if (!wanted.contains("pool")) return;
  if (configuration.contains("pool") && configuration["pool"] != wanted["pool"])
    throw Error(
        fmt::format("its pool is {}, and this command's {}; measure another one under "
                    "another name",
                    shortened(configuration["pool"]), shortened(wanted["pool"])));
  configuration["pool"] = wanted["pool"];
}

// What makes its results, and what they are called by.
Json core(Json configuration) {
  for (const char* key : {"budgets", "seeds", "pool", "action_names"}) configuration.erase(key);
  return configuration;
}

void add_to(Json& configuration, const Json& wanted) {
  const std::string name = configuration.at("name");
  try {
    if (const auto other = first_difference(core(configuration), core(wanted)); !other.empty())
      throw Error(fmt::format("it has {}; give the other one a name of its own", other));
    add_budgets(configuration, wanted);
    add_seeds(configuration, wanted);
    add_pool(configuration, wanted);
    if (configuration.contains("pool") && configuration.contains("seeds"))
      throw Error("a pool is of one seed; measure further seeds under another name");
  } catch (const Error& reason) {
    throw Error(fmt::format("configuration '{}': {}", name, reason.what()));
  }
}

void add_configuration(Json& run, const Json& wanted) {
  for (Json& known : run["configurations"]) {
    if (known.at("name") == wanted.at("name")) return add_to(known, wanted);
  }
  run["configurations"].push_back(wanted);
}

bool begins_with(const Json& later, const Json& earlier) {
  return later.size() >= earlier.size() &&
         std::equal(earlier.begin(), earlier.end(), later.begin());
}

Json names_of(const Json& manifest) {
  Json names = Json::array();
  for (const Json& configuration : manifest.at("configurations"))
    names.push_back(configuration.at("name"));
  return names;
}

}  // namespace

std::string difference(const Json& there, const Json& here) {
  const bool by_problem = has_fingerprints(there) && has_fingerprints(here);
  const std::string first =
      first_difference(comparable(there, by_problem), comparable(here, by_problem));
  return first.empty() ? "" : "its config.json has " + first;
}

Json grown(const Json& run, const Json& wanted) {
  if (const auto other = first_difference(ground(run), ground(wanted)); !other.empty())
    throw Error("its config.json has " + other);
  Json json = run;
  add_models(json, wanted);
  add_problems(json["dataset"], wanted.at("dataset"));
  for (const Json& configuration : wanted.at("configurations"))
    add_configuration(json, configuration);
  return json;
}

Json with_devices(const Json& run, const Json& wanted, bool mix) {
  const auto known = run.value("devices", std::set<std::string>());
  const auto own = wanted.value("devices", std::set<std::string>());
  std::set<std::string> all = known;
  all.insert(own.begin(), own.end());
  // Whoever goes on with a run of an earlier version notes its kind.
  const bool allowed = mix || all.size() <= 1 || all == known;
  if (!allowed)
    throw Error(fmt::format(
        "its results are made on {}, and this machine has {}: they differ in the last "
        "bits, and so do results; choose a machine of one kind, another --out, or "
        "--mix-devices, which marks the run",
        known.empty() ? "devices of one kind" : fmt::format("{}", fmt::join(known, "; ")),
        fmt::join(own, "; ")));
  if (all == known) return run;
  Json json = run;
  json["devices"] = all;
  return json;
}

void require_goes_on(const Json& earlier, const Json& later, const std::string& where) {
  const bool goes_on =
      begins_with(later.at("dataset").at("problems"), earlier.at("dataset").at("problems")) &&
      begins_with(names_of(later), names_of(earlier));
  if (!goes_on)
    throw Error(
        fmt::format("'{}' does not go on from the run's config.json: one of them was changed; "
                    "restore it",
                    where));
}

}  // namespace umf
