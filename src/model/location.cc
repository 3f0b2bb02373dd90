#include "model/location.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "gguf/gguf_files.h"
#include "model/embedded.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The hub cache, in the order in which the Hugging Face libraries look for it.
fs::path hub_cache() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const std::string path = environment(name); !path.empty()) return path;
  }
  if (const std::string home = environment("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
    return fs::path(cache) / "huggingface" / "hub";
  }
  return fs::path(environment("HOME")) / ".cache" / "huggingface" / "hub";
}

bool is_hub_id(const std::string& where) {
  const auto slash = where.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < where.size() &&
         where.find('/', slash + 1) == std::string::npos && where.find("..") == std::string::npos;
}

std::optional<Location> find_in_cache(const std::string& id) {
  const auto slash = id.find('/');
  const fs::path model =
      hub_cache() / ("models--" + id.substr(0, slash) + "--" + id.substr(slash + 1));
  const fs::path reference = model / "refs" / "main";
  if (!fs::exists(reference)) return std::nullopt;
  std::string commit = read_file(reference, 4096);
  commit.erase(std::remove_if(commit.begin(), commit.end(),
                              [](unsigned char c) { return std::isspace(c) != 0; }),
               commit.end());
  const bool plain =
      !commit.empty() && commit.find('/') == std::string::npos && commit.front() != '.';
  const fs::path directory = model / "snapshots" / commit;
  if (!plain || !fs::exists(directory / "config.json")) return std::nullopt;
  return Location{directory, commit};
}

// The GGUF files in a directory, first parts alone, sorted: for messages.
std::string gguf_files_in(const Folder& folder) {
  std::string list;
  for (const std::string& name : folder.names()) {
    const bool later =
        name.find("-of-") != std::string::npos && name.find("-00001-of-") == std::string::npos;
    if (name.ends_with(".gguf") && !later)
      list += fmt::format("{}'{}'", list.empty() ? "" : ", ", folder.place(name));
  }
  return list;
}

[[noreturn]] void refuse_directory(const std::string& where) {
  const std::string ggufs = gguf_files_in(fs::path(where));
  throw Error(fmt::format(
      "'{}' has no config.json; give {}", where,
      ggufs.empty() ? "the directory of a Hugging Face checkpoint" : "a file of it: " + ggufs));
}

[[noreturn]] void refuse_file(const std::string& where) {
  if (is_gguf_piece(where)) {
    throw Error(fmt::format(
        "'{}' is a piece of a GGUF file that was cut by hand; join all pieces in order first: cat "
        "PIECE1 PIECE2 ... > {}",
        where, where.substr(0, where.rfind(".gguf.") + 5)));
  }
  throw Error(
      fmt::format("'{}' is a file; give the directory that holds config.json and "
                  "*.safetensors, or a *.gguf file",
                  where));
}

}  // namespace

std::string Location::place() const { return gguf.empty() ? folder.place() : folder.place(gguf); }

bool Location::is(const Location& other) const {
  if (gguf.empty() != other.gguf.empty() || family != other.family) return false;
  if (gguf.empty()) return folder.is(other.folder);
  std::error_code absent;
  return fs::equivalent(place(), other.place(), absent);
}

NamedPlace split_family(const std::string& where) {
  const auto at = where.rfind('@');
  if (at == std::string::npos || fs::exists(where)) return {where, ""};
  return {where.substr(0, at), where.substr(at + 1)};
}

Location find_checkpoint(const std::string& where) {
  for (const BuiltInFolder& model : embedded_models()) {
    if (model.name == where) return {model, ""};
  }
  if (const auto& [place, family] = split_family(where); !family.empty()) {
    Location location = find_checkpoint(place);
    location.family = family;
    return location;
  }
  if (fs::is_directory(where)) {
    if (!fs::exists(fs::path(where) / "config.json")) refuse_directory(where);
    return {fs::path(where), ""};
  }
  if (fs::exists(where)) {
    const fs::path file = where;
    if (!where.ends_with(".gguf")) refuse_file(where);
    return {file.parent_path(), "", file.filename().string()};
  }
  if (where.ends_with(".gguf")) throw Error(fmt::format("there is no file '{}'", where));
  if (is_hub_id(where)) {
    if (auto found = find_in_cache(where)) return *found;
    throw Error(fmt::format(
        "model '{}' is neither a directory nor in the local hub cache '{}'. Fetch it with: "
        "hf download {}",
        where, hub_cache().string(), where));
  }
  const std::string embedded = embedded_model_names();
  throw Error(fmt::format(
      "there is no model directory '{}'. Give a directory with config.json and "
      "*.safetensors, a *.gguf file, a Hugging Face id such as GSAI-ML/LLaDA-8B-Instruct{}",
      where, embedded.empty() ? "" : ", or an embedded model: " + embedded));
}

std::vector<std::string> cached_models() {
  std::vector<std::string> ids;
  std::error_code ignored;  // no cache: nothing to list
  for (const auto& entry : fs::directory_iterator(hub_cache(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("models--")) continue;
    const auto separator = name.find("--", 8);
    if (separator == std::string::npos) continue;
    const std::string id = name.substr(8, separator - 8) + "/" + name.substr(separator + 2);
    if (find_in_cache(id)) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace umf
