// Checkpoints of the published shapes for benchmarks: the tokenizer of a tiny one, random weights.
#pragma once

#include <filesystem>

#include "model/checkpoint.h"
#include "support/random_weights.h"
#include "tiny/tiny_models.h"

namespace umf {

struct RandomCheckpoint {
  RandomWeights numbers;
  Checkpoint checkpoint;

  RandomCheckpoint(const std::filesystem::path& root, const char* tiny, Architecture architecture,
                   const RandomWeights::Extra& extra = {})
      : numbers(architecture, tiny_family(root, tiny)->names, extra),
        checkpoint(open_checkpoint({root / tiny, ""})) {
    checkpoint.architecture = architecture;
    checkpoint.weights = numbers.weights();
  }
  static const Family* tiny_family(const std::filesystem::path& root, const char* tiny) {
    write_tiny_model(tiny, root / tiny);
    return open_checkpoint({root / tiny, ""}).family;
  }
};

// For machines without a GPU.
inline Architecture shrunk(Architecture a, bool quick) {
  if (!quick) return a;
  a.layers = 2;
  a.hidden = 256;
  a.mlp = 512;
  a.vocabulary = 1024;
  a.attention.heads = 4;
  a.attention.kv_heads = 2;
  a.attention.head_dim = 64;
  return a;
}

}  // namespace umf
