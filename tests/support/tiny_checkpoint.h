// Tiny checkpoints, made once per test program.
#pragma once

#include <filesystem>
#include <string>

#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {

// Those whose files tell what they are: tiny-open-dcoder has to be named.
inline const char* const kDiffusionModels[] = {
    "tiny-llada",      "tiny-llada-gqa", "tiny-dream",  "tiny-dream-gqa",
    "tiny-diffucoder", "tiny-sdc",       "tiny-sdar",   "tiny-dreamreasoner",
    "tiny-illada",     "tiny-a2d",       "tiny-fdv2",   "tiny-lladamoe",
    "tiny-sdarmoe",    "tiny-rnd1",      "tiny-llada2", "tiny-nemotron"};

inline bool has_experts(const std::string& tiny) { return tiny_spec(tiny).experts > 0; }

// The folder of a tiny checkpoint, written on first use.
inline std::filesystem::path tiny_checkpoint(const std::string& name,
                                             const TinyOptions& options = {}) {
  static const TemporaryDirectory root;
  std::string key = name + "-" + options.dtype + "-" + std::to_string(options.shards);
  if (options.transformers5) key += "-transformers5";
  if (options.tied) key += "-tied";
  if (options.spare_head) key += "-spare-head";
  if (options.leftovers) key += "-leftovers";
  const std::filesystem::path directory = root / key;
  if (!std::filesystem::exists(directory)) write_tiny_model(name, directory, options);
  return directory;
}

// The tiny models are small ones to a GPU and have f32 activations there. With a vocabulary this
// large they are computed as the published ones are.
inline std::filesystem::path large_checkpoint(const std::string& name, const TinyOptions& options) {
  static const TemporaryDirectory root;
  TinySpec spec = tiny_spec("tiny" + name.substr(name.find('-')));
  spec.name = name;
  spec.vocab = 4224;
  const std::filesystem::path directory = root / name;
  if (!std::filesystem::exists(directory)) write_random_model(spec, directory, options);
  return directory;
}

}  // namespace umf
