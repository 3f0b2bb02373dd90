// The files of one GGUF model, mapped: one, or the parts of a split one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "gguf/gguf.h"
#include "gguf/metadata.h"

namespace umf {

struct GgufModel {
  std::vector<MappedFile> files;
  GgufMetadata metadata;            // of the first part
  std::vector<GgufTensor> tensors;  // of all parts
};

// Opens FILE.gguf and, where it says that it is the first of several, the others beside it. Throws
// Error for a later part, a missing or foreign one, and whatever parse_gguf refuses.
GgufModel open_gguf(const std::filesystem::path& path);

struct GgufPart {
  std::string where;  // for messages
  MappedFile file;
};

// The model that the parts make, in order: each says its number, no tensor is in two of them, and
// their number is as the first says.
GgufModel join_gguf(std::vector<GgufPart> parts);

// Whether the name is that of a piece that was cut off a GGUF file by hand, which is no file of its
// own: "model.gguf.part1of2".
bool is_gguf_piece(const std::string& name);

}  // namespace umf
