// The numbers of a checkpoint and the safetensors files that hold them.
#pragma once

#include <filesystem>

#include "tiny/tiny_models.h"

namespace umf {

enum class TinyNumbers {
  kNormal,  // what expected values were made from
  kQuick,   // a cheaper generator, for benchmarks
};

// model.safetensors, or shards and their index, in place of what weights there were.
void write_tiny_weights(const TinySpec& spec, const std::filesystem::path& directory,
                        const TinyOptions& options, TinyNumbers numbers);

}  // namespace umf
