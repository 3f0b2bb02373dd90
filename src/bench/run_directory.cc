#include "bench/run_directory.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "bench/growth.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"results", "leases", "workers", "checkpoints", "traces"};
constexpr const char* kExtensions = "extensions";
constexpr int kMostTries = 1200;
constexpr auto kBetweenTries = std::chrono::milliseconds(100);

// Files that workers write whole.
constexpr const char* kFiles[] = {"config.json", "problems.jsonl", "results.jsonl", "samples.jsonl",
                                  "summary.json"};

fs::path extension_file(const fs::path& folder, int number) {
  return folder / kExtensions / fmt::format("{:04}.json", number);
}

// The highest number: of listings that network file systems keep for a while, too.
int newest_extension(const fs::path& folder) {
  int newest = 0;
  for (const std::string& name : names_in(folder / kExtensions)) {
    int number = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failure == std::errc() && std::string_view(end) == ".json")
      newest = std::max(newest, number);
  }
  while (is_there(extension_file(folder, newest + 1))) ++newest;
  return newest;
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

// Nothing where its maker was killed before it wrote.
std::optional<Manifest> read_manifest(const fs::path& file) {
  const std::string text = read_config(file);
  if (text.empty()) return std::nullopt;
  return parse_manifest(parse_json(text, file.string()), file.string());
}

std::string file_text(const Json& manifest) {
  return manifest.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
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

// Errors of `work` that speak of a run name it.
template <class Work>
Json of_run(const fs::path& folder, const Work& work) {
  try {
    return work();
  } catch (const Error& reason) {
    throw Error(fmt::format("'{}': {}", folder.string(), reason.what()));
  }
}

bool holds_nothing(const fs::path& folder) {
  std::error_code failure;
  const bool empty = fs::is_empty(folder, failure);
  if (failure) throw Error(fmt::format("cannot read '{}': {}", folder.string(), failure.message()));
  return empty;
}

}  // namespace

RunDirectory RunDirectory::start(const fs::path& folder, const Json& manifest, bool must_exist,
                                 bool mix_devices) {
  const Json own = sealed(manifest);
  const fs::path config = folder / "config.json";
  if (!is_there(config)) {
    if (must_exist)
      throw Error(fmt::format("--resume, but there is no run in '{}'", folder.string()));
    Json without = own;
    without.erase("devices");
    of_run(folder, [&] { return with_devices(without, own, mix_devices); });
    make_folder(folder);
    if (!holds_nothing(folder) && !is_there(config) && !is_there(folder / kFolders[0])) {
      throw Error(
          fmt::format("'{}' is not empty and holds no run; choose another --out", folder.string()));
    }
    make_folders(folder);
    // Of workers that start at once, one writes it; all then compare.
    create_file(config, file_text(own));
  }
  if (read_config(config).empty()) write_file(config, file_text(own));
  return grow(folder, own, [&](const RunDirectory& run) {
    const std::string other = difference(run.manifest().json, own);
    const auto is_own = [&](const Manifest& one) { return difference(one.json, own).empty(); };
    if (!other.empty() && std::ranges::none_of(run.history(), is_own))
      throw Error(fmt::format(
          "'{}' holds another run: {}; choose another --out, repeat the command that made it, or "
          "add to it with --extend",
          folder.string(), other));
    return of_run(folder, [&] { return with_devices(run.manifest().json, own, mix_devices); });
  });
}

RunDirectory RunDirectory::extend(const fs::path& folder, const Json& manifest, bool mix_devices) {
  const Json own = sealed(manifest);
  if (!is_there(folder / "config.json"))
    throw Error(fmt::format("--extend, but there is no run in '{}'; leave it out to begin one",
                            folder.string()));
  return grow(folder, own, [&](const RunDirectory& run) {
    return of_run(folder,
                  [&] { return with_devices(grown(run.manifest().json, own), own, mix_devices); });
  });
}

// A run grows by files with numbers, each of which only one can create: whoever comes second adds
// to what the first one made of it. Nothing that was written is ever replaced, so that workers that
// do not know of it go on with what they know. Whoever's command `own` is signs.
RunDirectory RunDirectory::grow(const fs::path& folder, const Json& own,
                                const std::function<Json(const RunDirectory&)>& grown) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    RunDirectory run = open(folder);
    Json json;
    try {
      json = grown(run);
    } catch (const Json::exception& damage) {
      throw Error(fmt::format("'{}': its config.json does not describe a run: {}", folder.string(),
                              damage.what()));
    }
    make_folders(folder);  // those too that were left behind when the run was carried elsewhere
    if (json == run.manifest().json) return run;
    json.erase("made_by");
    if (own.contains("made_by")) json["made_by"] = own["made_by"];
    const fs::path file = extension_file(folder, run.extensions_ + 1);
    parse_manifest(json, file.string());
    make_folder(folder / kExtensions);
    // Somebody else's may not be seen at once where directories are cached.
    if (!create_file(file, file_text(json))) std::this_thread::sleep_for(kBetweenTries);
  }
  throw Error(fmt::format("'{}': others extend this run at the same time; try again",
                          (folder / kExtensions).string()));
}

RunDirectory RunDirectory::open(const fs::path& folder) {
  const fs::path config = folder / "config.json";
  if (!is_there(config)) {
    throw Error(
        fmt::format("there is no run in '{}' (it has no config.json); umf bench --out makes "
                    "one",
                    folder.string()));
  }
  auto began = read_manifest(config);
  if (!began) parse_json("", config.string());  // says that there is nothing in it
  const int extensions = newest_extension(folder);
  // One whose maker was killed, or is slow, adds nothing: the maker finds that out and adds again.
  for (int number = extensions; number > 0; --number) {
    const fs::path file = extension_file(folder, number);
    if (auto newest = read_manifest(file)) {
      require_goes_on(began->json, newest->json, file.string());
      return {folder, *std::move(newest), extensions};
    }
  }
  return {folder, *std::move(began), extensions};
}

std::vector<Manifest> RunDirectory::history() const {
  std::vector<Manifest> history;
  const auto add = [&](const fs::path& file) {
    if (auto manifest = read_manifest(file)) history.push_back(*std::move(manifest));
  };
  add(folder_ / "config.json");
  for (int number = 1; number <= extensions_; ++number) add(extension_file(folder_, number));
  return history;
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
                                        const std::string& worker, bool of_any_budget) const {
  const std::string prefix = fmt::format("{}-{}.", job, budget);
  const fs::path own = folder_ / "checkpoints" / (prefix + worker);
  std::string longest;
  const std::vector<fs::path> left = checkpoints(of_any_budget ? job + "-" : prefix);
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
  for (const char* part : {"", "workers", "samples", "checkpoints", "traces", kExtensions}) {
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
