// Writes a checkpoint as a GGUF file that llama.cpp reads, too, with its matrices in another type
// if wanted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/checkpoint.h"

namespace umf {

// "F16", "Q8_0", "Q4_K_M": the types of GgufExport, for messages and lists.
std::vector<std::string> gguf_export_types();

struct GgufExport {
  std::filesystem::path out;
  std::string type;  // of the matrices; vectors are F32
  int threads = 0;   // 0: one per core; the bytes are the same for any number
  // Called with the bytes written and those there will be; what it throws ends the writing.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

// `source` is what `checkpoint` was opened from. The file appears when it is complete; the same
// checkpoint and type give the same bytes. Throws Error for a family that GGUF has no architecture
// for, an unknown type, numbers that the type cannot hold, or a disk that is full.
void write_gguf(const Checkpoint& checkpoint, const CheckpointSource& source,
                const GgufExport& options);

}  // namespace umf
