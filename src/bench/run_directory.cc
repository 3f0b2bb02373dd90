#include "bench/run_directory.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "umf-run-1";
constexpr const char* kFolders[] = {"results", "leases", "workers", "checkpoints", "traces"};

// Files that workers write whole.
constexpr const char* kFiles[] = {"config.json", "problems.jsonl", "results.jsonl", "samples.jsonl",
                                  "summary.json"};

// What may differ between the workers of one run: where things lie, who began, and names that
// follow from the rest, which earlier versions did not write.
Json comparable(Json manifest) {
  manifest.erase("made_by");
  if (manifest.contains("dataset")) {
    manifest["dataset"].erase("path");
    manifest["dataset"].erase("left_out");
  }
  if (manifest.contains("configurations")) {
    for (Json& configuration : manifest["configurations"]) configuration.erase("action_names");
  }
  if (manifest.contains("models")) {
    for (Json& model : manifest["models"]) model.erase("directory");
  }
  return manifest;
}

std::string shortened(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string value_at(const Json& json, const std::string& path) {
  const Json::json_pointer pointer(path);
  return json.contains(pointer) ? shortened(json.at(pointer)) : "nothing";
}

// Throws where two manifests describe different runs.
void require_same(const Json& here, const Json& there, const fs::path& folder) {
  const Json ours = comparable(here), theirs = comparable(there);
  const Json difference = Json::diff(theirs, ours);
  if (difference.empty()) return;
  std::string path = difference[0].at("path");
  if (path.ends_with("/-")) path.resize(path.size() - 2);  // an element more
  throw Error(fmt::format(
      "'{}' holds another run: its config.json has {} = {}, and this command {}; choose another "
      "--out, or repeat the command that made it",
      folder.string(), path, value_at(theirs, path), value_at(ours, path)));
}

// Also those above it; all of them stay after a power cut.
void make_folder(const fs::path& folder) {
  const fs::path above = fs::absolute(folder).lexically_normal().parent_path();
  if (folder != above && !is_there(above)) make_folder(above);
  std::error_code failure;
  const bool made = fs::create_directory(folder, failure);
  if (failure && !fs::is_directory(folder))
    throw Error(fmt::format("cannot make '{}': {}", folder.string(), failure.message()));
  if (made) sync_folder(above);
}

void make_folders(const fs::path& folder) {
  for (const char* name : kFolders) make_folder(folder / name);
}

constexpr int kMakingPatienceMs = 3000, kMakingPauseMs = 20;

// Where there are no hard links the file is empty for a moment while it is made; for longer where
// its maker was killed in between.
std::string read_config(const fs::path& config) {
  std::string text = read_file(config);
  for (int waited = 0; text.empty() && waited < kMakingPatienceMs; waited += kMakingPauseMs) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kMakingPauseMs));
    text = read_file(config);
  }
  return text;
}

bool holds_nothing(const fs::path& folder) {
  std::error_code failure;
  const bool empty = fs::is_empty(folder, failure);
  if (failure) throw Error(fmt::format("cannot read '{}': {}", folder.string(), failure.message()));
  return empty;
}

}  // namespace

std::string Manifest::job_name(int problem, int configuration) {
  return fmt::format("{:05}-{:03}", problem, configuration);
}

std::optional<std::pair<int, int>> Manifest::parse_job_name(std::string_view name) {
  int problem = 0, configuration = 0;
  const char* end = name.data() + name.size();
  const auto [dash, no_problem] = std::from_chars(name.data(), end, problem);
  if (no_problem != std::errc() || dash == end || *dash != '-') return std::nullopt;
  const auto [stop, no_configuration] = std::from_chars(dash + 1, end, configuration);
  if (no_configuration != std::errc() || stop != end || problem < 0 || configuration < 0)
    return std::nullopt;
  return std::pair(problem, configuration);
}

std::vector<long> Manifest::Entry::recorded() const {
  return pool ? with_steps(budgets, *pool) : budgets;
}

Manifest parse_manifest(Json json, const std::string& where) {
  Manifest manifest;
  try {
    if (json.at("kind") != kKind) throw Error("its kind is not " + std::string(kKind));
    manifest.dataset_kind = json.at("dataset").at("kind");
    manifest.ids = json.at("dataset").at("problems").get<std::vector<std::string>>();
    manifest.left_out = json.at("dataset").value("left_out", 0);
    for (const Json& entry : json.at("configurations")) {
      manifest.configurations.push_back(
          {entry.at("name"), entry.at("budgets").get<std::vector<long>>(),
           entry.contains("pool") ? std::optional(parse_pool(entry["pool"])) : std::nullopt,
           entry.value("window", 0)});
    }
  } catch (const std::exception& mistake) {
    throw Error(fmt::format("'{}' does not describe a run: {}", where, mistake.what()));
  }
  manifest.json = std::move(json);
  return manifest;
}

RunDirectory RunDirectory::start(const fs::path& folder, const Json& manifest, bool must_exist) {
  Json own = manifest;
  own["kind"] = kKind;
  const std::string text = own.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  const fs::path config = folder / "config.json";
  if (!is_there(config)) {
    if (must_exist)
      throw Error(fmt::format("--resume, but there is no run in '{}'", folder.string()));
    make_folder(folder);
    if (!holds_nothing(folder) && !is_there(config) && !is_there(folder / kFolders[0])) {
      throw Error(
          fmt::format("'{}' is not empty and holds no run; choose another --out", folder.string()));
    }
    make_folders(folder);
    // Of workers that start at once, one writes it; all then compare.
    create_file(config, text);
  }
  if (read_config(config).empty()) write_file(config, text);
  RunDirectory run = open(folder);
  // Through text, as the file went: numbers look the same.
  require_same(Json::parse(own.dump(-1, ' ', false, Json::error_handler_t::replace)),
               run.manifest().json, folder);
  make_folders(folder);  // those too that were left behind when the run was carried elsewhere
  return run;
}

RunDirectory RunDirectory::open(const fs::path& folder) {
  const fs::path config = folder / "config.json";
  if (!is_there(config)) {
    throw Error(
        fmt::format("there is no run in '{}' (it has no config.json); umf bench --out makes "
                    "one",
                    folder.string()));
  }
  Json json = parse_json(read_config(config), config.string());
  return {folder, parse_manifest(std::move(json), config.string())};
}

fs::path RunDirectory::trace(const std::string& job, long budget) const {
  return folder_ / "traces" / fmt::format("{}-{}.jsonl", job, budget);
}

std::vector<fs::path> RunDirectory::checkpoints(const std::string& prefix) const {
  std::vector<fs::path> files;
  for (const std::string& name : names_in(folder_ / "checkpoints")) {
    if (name.starts_with(prefix)) files.push_back(folder_ / "checkpoints" / name);
  }
  return files;
}

fs::path RunDirectory::adopt_checkpoint(const std::string& job, long budget,
                                        const std::string& worker) const {
  const std::string prefix = fmt::format("{}-{}.", job, budget);
  const fs::path own = folder_ / "checkpoints" / (prefix + worker);
  std::string longest;
  const std::vector<fs::path> left = checkpoints(prefix);
  for (const fs::path& file : left) {
    std::string text = read_if_there(file).value_or("");
    if (text.size() > longest.size()) longest = std::move(text);
  }
  if (!longest.empty()) write_file(own, longest);
  for (const fs::path& file : left) {
    std::error_code gone;
    if (file != own) fs::remove(file, gone);
  }
  return own;
}

void RunDirectory::remove_checkpoints(const std::string& prefix) const {
  for (const fs::path& file : checkpoints(prefix)) {
    std::error_code gone;
    fs::remove(file, gone);
  }
}

void RunDirectory::remove_drafts(const std::vector<std::string>& workers) const {
  const auto works = [&](const std::string& writer) {
    return std::ranges::any_of(workers,
                               [&](const std::string& id) { return id.starts_with(writer + "-"); });
  };
  for (const char* part : {"", "workers", "samples", "checkpoints", "traces"}) {
    for (const std::string& name : names_in(folder_ / part)) {
      const auto writer = writer_of_draft(name);
      const bool of_a_run = *part != '\0' || std::ranges::any_of(kFiles, [&](const char* file) {
        return name.starts_with(file);
      });
      std::error_code gone;
      if (writer && of_a_run && !works(*writer)) fs::remove(folder_ / part / name, gone);
    }
  }
}

}  // namespace umf
