#include "bench/run_facts.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

using OrderedJson = nlohmann::ordered_json;
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

std::string short_fingerprint(const std::string& fingerprint) { return fingerprint.substr(0, 16); }

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
      ReportedConfiguration one{json.at("name"),    json.at("search"),
                                json.at("window"),  json.at("budgets").get<std::vector<long>>(),
                                action_names(json), manifest.configurations[list.size()].seeds};
      if (one.window < 1 || one.window > 1 << 20 || one.actions.empty() ||
          std::cmp_greater(one.actions.size(), kMostActions))
        throw Error(fmt::format("config.json: '{}' has no sensible window or actions", one.name));
      list.push_back(std::move(one));
    }
    return list;
  });
}

OrderedJson run_facts(const Manifest& manifest) {
  return from_manifest([&] {
    const Json& json = manifest.json;
    const Json& dataset = json.at("dataset");
    const std::filesystem::path file = dataset.value("path", std::string());
    OrderedJson facts = {
        {"Data set",
         fmt::format("{} ({}, {})", file.filename().string(), dataset.value("kind", std::string()),
                     short_fingerprint(dataset.value("fingerprint", std::string())))},
        {"Problems", fmt::format("{}", manifest.ids.size())}};
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
