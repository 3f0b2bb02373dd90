#include "model/checkpoint.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "model/embedded.h"
#include "model/special_tokens.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kConfigLimit = 1 << 20;
constexpr const char* kGenerationConfig = "generation_config.json";

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
  commit.erase(
      std::remove_if(commit.begin(), commit.end(), [](char c) { return std::isspace(c) != 0; }),
      commit.end());
  const bool plain =
      !commit.empty() && commit.find('/') == std::string::npos && commit.front() != '.';
  const fs::path directory = model / "snapshots" / commit;
  if (!plain || !fs::exists(directory / "config.json")) return std::nullopt;
  return Location{directory, commit};
}

ModelConfig read_config(const Config& config) {
  const Family& family = find_family(config);
  Architecture architecture = family.read(config);
  check(architecture, config, family.heads_key);
  return {&family, architecture, config.unknown_keys()};
}

Config open_config(const Folder& folder, const std::string& name) {
  const std::string where = folder.place(name);
  return Config(parse_json(folder.read(name, kConfigLimit), where), where);
}

// "config.json: keys 'a', 'b' are not known for this family" and what follows from that.
std::string unknown_message(const std::string& where, const std::vector<std::string>& keys,
                            const std::string& consequence) {
  const bool one = keys.size() == 1;
  return fmt::format(
      "{}: key{} '{}' {} not known for this family{}; {} might change what the model "
      "computes",
      where, one ? "" : "s", fmt::join(keys, "', '"), one ? "is" : "are", consequence,
      one ? "it" : "they");
}

// Whether a file may hold the tensor though nothing is computed from it. Rotary tables are stored
// by some exporters; they follow from the configuration.
bool is_unused(const std::string& name, const Family& family, const Architecture& architecture) {
  for (const char* table : {"inv_freq", "original_inv_freq", "cos_cached", "sin_cached"}) {
    if (name.ends_with(fmt::format("rotary_emb.{}", table))) return true;
  }
  return (architecture.tied_head && name == family.names.head) ||
         std::ranges::find(family.unused_tensors, name) != family.unused_tensors.end();
}

// A head that is tied may stand in the file, too; it is then the embedding once more.
void compare_tied_head(Checkpoint& checkpoint) {
  const Architecture& a = checkpoint.architecture;
  const TensorNames& names = checkpoint.family->names;
  const auto& tensors = checkpoint.weights.tensors();
  const auto head = tensors.find(names.head), embedding = tensors.find(names.embedding);
  if (!a.tied_head || head == tensors.end() || embedding == tensors.end()) return;
  checkpoint.weights.matrix(names.head, a.vocabulary, a.hidden);  // of this shape, or an Error
  const StoredTensor &one = head->second, &other = embedding->second;
  if (one.type == other.type && one.bytes.size() == other.bytes.size() &&
      std::memcmp(one.bytes.data(), other.bytes.data(), one.bytes.size()) == 0)
    return;
  checkpoint.warnings.push_back(fmt::format(
      "{}: the head is tied to the embedding, but '{}' differs from it and is ignored; if it is "
      "the head, config.json must say that they are not tied",
      checkpoint.location.folder.place(), names.head));
}

}  // namespace

ModelConfig read_config(const std::string& text, const std::string& where) {
  return read_config(Config(parse_json(text, where), where));
}

Location find_checkpoint(const std::string& where) {
  for (const BuiltInFolder& model : embedded_models()) {
    if (model.name == where) return {model, ""};
  }
  if (fs::is_directory(where)) {
    if (!fs::exists(fs::path(where) / "config.json")) {
      throw Error(fmt::format(
          "'{}' has no config.json; give the directory of a Hugging Face checkpoint", where));
    }
    return {fs::path(where), ""};
  }
  if (where.ends_with(".gguf")) {
    throw Error(
        fmt::format("'{}': GGUF files are not read by this version; give the directory with "
                    "config.json and *.safetensors",
                    where));
  }
  if (fs::exists(where)) {
    throw Error(fmt::format(
        "'{}' is a file; give the directory that holds config.json and *.safetensors", where));
  }
  if (is_hub_id(where)) {
    if (auto found = find_in_cache(where)) return *found;
    throw Error(fmt::format(
        "model '{}' is neither a directory nor in the local hub cache '{}'. Fetch it with: "
        "hf download {}",
        where, hub_cache().string(), where));
  }
  const std::string embedded = embedded_model_names();
  throw Error(
      fmt::format("there is no model directory '{}'. Give a directory with config.json and "
                  "*.safetensors, a Hugging Face id such as GSAI-ML/LLaDA-8B-Instruct{}",
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

Checkpoint open_checkpoint(const Location& location, UnknownKeys unknown) {
  const Folder& folder = location.folder;
  const Config config = open_config(folder, "config.json");
  ModelConfig read = read_config(config);
  if (unknown == UnknownKeys::kRefuse && !read.unknown_keys.empty())
    throw Error(unknown_message(config.where(), read.unknown_keys, ""));
  Tokenizer tokenizer = Tokenizer::load(folder);
  if (tokenizer.size() > read.architecture.vocabulary) {
    config.fail("vocab_size", fmt::format("gives {} rows, but the tokenizer has ids up to {}",
                                          read.architecture.vocabulary, tokenizer.size() - 1));
  }
  Checkpoint checkpoint{.location = location,
                        .family = read.family,
                        .architecture = read.architecture,
                        .tokenizer = std::move(tokenizer),
                        .tokens = {},
                        .weights = Weights::open(folder),
                        .own_template = find_chat_template(folder),
                        .advice = read_advice(folder),
                        .ignored_keys = std::move(read.unknown_keys)};
  if (!checkpoint.ignored_keys.empty())
    checkpoint.warnings.push_back(
        unknown_message(config.where(), checkpoint.ignored_keys, " and ignored"));
  for (const auto& [name, tensor] : checkpoint.weights.tensors()) {
    if (is_unused(name, *read.family, read.architecture))
      checkpoint.ignored_tensors.push_back(name);
  }
  compare_tied_head(checkpoint);
  if (read.family->diffusion) {
    const bool has_more = folder.contains(kGenerationConfig);
    const Config more = has_more ? open_config(folder, kGenerationConfig)
                                 : Config(Json::object(), folder.place(kGenerationConfig));
    checkpoint.tokens = resolve_tokens({config, more, checkpoint.tokenizer}, *read.family,
                                       read.architecture.vocabulary, checkpoint.warnings);
  }
  return checkpoint;
}

std::vector<std::string> Checkpoint::beside(std::span<const std::string> used) const {
  std::vector<std::string> names(used.begin(), used.end());
  names.insert(names.end(), ignored_tensors.begin(), ignored_tensors.end());
  return names;
}

std::string Checkpoint::fingerprint() const {
  const auto& [layers, hidden, mlp, vocabulary, max_length, attention, theta, eps, bias, tied] =
      architecture;
  return fmt::format("{:016x} {} {} {} {} {} {} {} {} {} {} {} {} {} {}{}", weights.fingerprint(),
                     family->name, layers, hidden, mlp, vocabulary, max_length, attention.heads,
                     attention.kv_heads, attention.head_dim, static_cast<int>(attention.kind),
                     attention.block, theta, eps, bias, tied ? " tied" : "");
}

Tokenizer open_tokenizer(const Location& location) { return Tokenizer::load(location.folder); }

}  // namespace umf
