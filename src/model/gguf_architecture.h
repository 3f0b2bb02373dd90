// What GGUF files of llama.cpp call the keys and tensors of a family, and how they differ from its
// directories.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "gguf/metadata.h"
#include "model/family.h"

namespace umf {

struct GgufArchitecture {
  std::string_view name;  // general.architecture, and what stands before its keys
  const Family* family = nullptr;
  // A key of config.json and that of the GGUF file behind "NAME.".
  std::vector<std::pair<const char*, const char*>> keys;
  const char* tied_key = nullptr;  // config.json's for a head that is the embedding
  // The rows of each head of q and k stand as pairs that are rotated together: file row 2 j + p is
  // row p d / 2 + j of the checkpoint, for heads of d rows.
  bool paired_rows = false;
  bool fused_qkv = false;       // q, k and v may stand in one tensor
  bool free_heads = false;      // a key of its own says how wide heads are
  bool has_experts = false;     // in every layer
  bool begins_prompts = false;  // the converter says that prompts begin with the bos token
};

// By general.architecture; one that is not supported is an Error that names it and those that are.
const GgufArchitecture& find_gguf_architecture(const GgufMetadata& metadata);
// Of the family; an Error that names `where` where GGUF has none.
const GgufArchitecture& gguf_architecture_of(const Family& family, const std::string& where);

// The tensors, the same for all architectures.
const TensorNames& gguf_tensor_names();

}  // namespace umf
