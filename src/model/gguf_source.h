// A GGUF model as a checkpoint: its keys in those of config.json, its tokenizer and its tensors.
#pragma once

#include <memory>

#include "gguf/gguf_files.h"
#include "model/checkpoint_source.h"

namespace umf {

// Throws Error naming the key where the architecture is not supported or the keys say something
// that is not computed.
std::unique_ptr<CheckpointSource> open_gguf_source(GgufModel model);

}  // namespace umf
