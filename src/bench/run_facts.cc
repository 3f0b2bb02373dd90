#include "bench/run_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/utc.h"

namespace umf {
namespace {

constexpr int kMostActions = 1024;

// The names, or, in runs that did not write them, numbers.
std::vector<std::string> action_names(const Json& configuration) {
  if (configuration.contains("action_names"))
    return configuration["action_names"].get<std::vector<std::string>>();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < configuration.at("actions").size(); ++i)
    names.push_back(fmt::format("action {}", i + 1));
  return names;
}

std::uint64_t seed_of(const Json& seed) {
  if (!seed.is_number_unsigned()) throw Error("config.json: 'seed' must be a whole number");
  return seed.get<std::uint64_t>();
}

std::string short_fingerprint(const std::string& fingerprint) { return fingerprint.substr(0, 16); }

// From when the run was begun, or else from its first result, to its last: from its files alone, so
// that a page says the same whenever it is made.
std::string made(const Json& made_by, const ResultIndex& results) {
  std::optional<double> from, to;
  for (const auto& [key, result] : results.all()) {
    if (result.finished <= 0) continue;
    from = std::min(from.value_or(result.finished), result.finished);
    to = std::max(to.value_or(result.finished), result.finished);
  }
  if (made_by.contains("started")) from = made_by["started"].get<double>();
  if (!from) return "";
  return span_in_utc(*from, std::max(*from, to.value_or(*from)));
}

// Who made it, and who extended it: each by what the file says that it wrote. Versions before
// repeated the first one's in every file.
std::vector<Json> makers_of(const RunDirectory& run) {
  std::vector<Json> makers;
  for (const Manifest& manifest : run.history()) {
    Json made_by = manifest.json.value("made_by", Json::object());
    if (!made_by.is_object()) throw Error("config.json: 'made_by' must be an object");
    if (makers.empty() || made_by != makers.back()) makers.push_back(std::move(made_by));
  }
  if (makers.empty()) makers.push_back(Json::object());
  return makers;
}

void add_commands(OrderedJson& facts, const std::vector<Json>& makers) {
  for (const Json& made_by : makers) {
    if (!made_by.contains("command")) continue;
    const char* label = &made_by == &makers.front() ? "Command" : "Extended by";
    facts[label] =
        fmt::format("{}{}{}", facts.value(label, std::string()), facts.contains(label) ? "; " : "",
                    made_by["command"].get<std::string>());
  }
}

// `read` with the errors of a file that may hold anything.
template <class Read>
auto from_manifest(Read&& read) {
  try {
    return read();
  } catch (const Json::exception& mistake) {
    throw Error(fmt::format("config.json does not describe a run: {}", mistake.what()));
  }
}

}  // namespace

std::vector<ReportedConfiguration> run_configurations(const Manifest& manifest) {
  return from_manifest([&] {
    std::vector<ReportedConfiguration> list;
    for (const Json& json : manifest.json.at("configurations")) {
      ReportedConfiguration one{.name = json.at("name"),
                                .search = json.at("search"),
                                .window = json.at("window"),
                                .budgets = json.at("budgets").get<std::vector<long>>(),
                                .actions = action_names(json),
                                .settings = json.at("actions").get<std::vector<std::string>>(),
                                .models = json.value("model_names", std::vector<std::string>())};
      one.seeds = manifest.configurations[list.size()].seeds;
      if (json.contains("seed")) one.seed = seed_of(json["seed"]);
      if (one.window < 1 || one.window > 1 << 20 || one.actions.empty() ||
          std::cmp_greater(one.actions.size(), kMostActions))
        throw Error(fmt::format("config.json: '{}' has no sensible window or actions", one.name));
      list.push_back(std::move(one));
    }
    return list;
  });
}

OrderedJson run_facts(const LoadedRun& run) {
  return from_manifest([&] {
    const Manifest& manifest = run.manifest();
    const Json& json = manifest.json;
    const std::vector<Json> makers = makers_of(run.directory);
    const Json& dataset = json.at("dataset");
    const std::filesystem::path file = dataset.value("path", std::string());
    OrderedJson facts = OrderedJson::object();
    if (const std::string when = made(makers.front(), run.results); !when.empty())
      facts["Made"] = when;
    add_commands(facts, makers);
    facts["Data set"] =
        fmt::format("{} ({}, {})", file.filename().string(), dataset.value("kind", std::string()),
                    short_fingerprint(dataset.value("fingerprint", std::string())));
    facts["Problems"] = fmt::format("{}", manifest.ids.size());
    for (const Json& model : json.value("models", Json::array())) {
      const std::filesystem::path place = model.value("directory", std::string());
      facts["Models"] = fmt::format("{}{}{} ({})", facts.value("Models", std::string()),
                                    facts.contains("Models") ? ", " : "", place.filename().string(),
                                    model.value("fingerprint", ""));
    }
    facts["Backend"] = json.value("backend", std::string());
    for (const std::string& device : manifest.devices) {
      const char* label = manifest.devices.size() > 1 ? "Devices, mixed" : "Device";
      facts[label] = fmt::format("{}{}{}", facts.value(label, std::string()),
                                 facts.contains(label) ? "; " : "", device);
    }
    facts["umf"] = json.value("version", std::string());
    return facts;
  });
}

std::map<std::string, std::string> read_prompts(const RunDirectory& run) {
  std::map<std::string, std::string> prompts;
  const std::filesystem::path file = run.file("problems.jsonl");
  if (!std::filesystem::exists(file)) return prompts;
  std::istringstream text(read_file(file));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::string where = fmt::format("{} line {}", file.string(), number);
    const Json json = parse_json(line, where);
    if (!json.is_object() || !json.contains("id") || !json["id"].is_string() ||
        !json.contains("prompt") || !json["prompt"].is_string())
      throw Error(fmt::format("{} must be an object with the texts 'id' and 'prompt'", where));
    prompts[json["id"]] = json["prompt"];
  }
  return prompts;
}

}  // namespace umf
