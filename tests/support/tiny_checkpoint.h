// Tiny checkpoints, made once per test program.
#pragma once

#include <filesystem>
#include <string>

#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {

inline const char* const kDiffusionModels[] = {"tiny-llada",     "tiny-llada-gqa",  "tiny-dream",
                                               "tiny-dream-gqa", "tiny-diffucoder", "tiny-sdc"};

// The folder of a tiny checkpoint, written on first use.
inline std::filesystem::path tiny_checkpoint(const std::string& name,
                                             const TinyOptions& options = {}) {
  static const TemporaryDirectory root;
  const std::string key = name + "-" + options.dtype + "-" + std::to_string(options.shards);
  const std::filesystem::path directory = root / key;
  if (!std::filesystem::exists(directory)) write_tiny_model(name, directory, options);
  return directory;
}

}  // namespace umf
