// The files of a checkpoint, whatever they are: a directory as published on Hugging Face, or GGUF.
// Both speak in the keys of config.json, so that all that follows is the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/advice.h"
#include "model/config.h"
#include "model/family.h"
#include "model/location.h"
#include "model/safetensors.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

class CheckpointSource {
 public:
  virtual ~CheckpointSource() = default;

  // As config.json and generation_config.json; the latter empty where there is none.
  virtual const Config& config() const = 0;
  virtual const Config& generation() const = 0;
  // Keys that are not known, beside those of config().
  virtual std::vector<std::string> unknown_keys() const { return {}; }
  virtual TokenizerSpec tokenizer() const = 0;
  virtual std::optional<std::string> chat_template() const = 0;
  virtual Advice advice() const = 0;
  // The text of "tokenizer.json" or "umf.json", where the source has it.
  virtual std::optional<std::string> text(const std::string& name) const = 0;

  // What the tensors are called, and the tensors, once: they take the files along, and this source
  // can be asked as long as they live.
  virtual TensorNames names(const Family& family) const { return family.names; }
  virtual Weights weights(const Architecture& architecture) = 0;
  // Whether the logits of a position are row i - 1; `warnings` where that is not as the family has
  // it.
  virtual bool shifted(const Family& family, std::vector<std::string>&) const {
    return family.shifted;
  }
};

// Reads what stands before the weights. Throws Error naming the file and what is wrong in it.
std::unique_ptr<CheckpointSource> open_source(const Location& location);

}  // namespace umf
