// A published checkpoint: found, opened, and checked as a whole.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/advice.h"
#include "model/checkpoint_source.h"
#include "model/family.h"
#include "model/location.h"
#include "model/model.h"
#include "model/safetensors.h"
#include "tokenizer/chat.h"
#include "tokenizer/tokenizer.h"

namespace umf {

struct Checkpoint {
  Location location;
  const Family* family = nullptr;
  ModelClass model_class;
  Architecture architecture;
  TensorNames names;     // in these files
  bool shifted = false;  // the logits of a position are row i - 1, or row i
  Tokenizer tokenizer;
  SpecialTokens tokens;  // of diffusion models
  Weights weights;
  std::optional<std::string> own_template;
  Advice advice;
  // What the files hold besides, and nothing is computed from.
  std::vector<std::string> ignored_keys, ignored_tensors;
  // What its user should know: keys that may matter, files that contradict each other.
  std::vector<std::string> warnings;

  // Of all that predictions depend on: the weights, and how the family and config.json use them.
  std::string fingerprint() const;
  // Of the weights, and of the family where the user named it: by this the files of a run know its
  // models.
  std::string run_fingerprint() const;
  // Throws Error where neither the checkpoint nor its family has one.
  const std::string& chat_template() const {
    return own_template ? *own_template : template_of(*family, location.place());
  }
  // The tensor of the output head.
  const std::string& head_name() const {
    return architecture.tied_head ? names.embedding : names.head;
  }
  // The tensors that may be there beside those of the layers: `used` ones and ignored ones.
  std::vector<std::string> beside(std::span<const std::string> used) const;
};

// What is done with keys of config.json that are not known: told among the warnings, or an Error.
enum class UnknownKeys { kIgnore, kRefuse };

// Reads the configuration and the tokenizer, maps the weights, and checks that they fit each other.
Checkpoint open_checkpoint(const Location& location, UnknownKeys unknown = UnknownKeys::kIgnore);

struct ModelConfig {
  const Family* family = nullptr;
  ModelClass model_class;
  Architecture architecture;
  std::vector<std::string> unknown_keys;
};

// What a config.json says, of which `named` is the family as in a Location; `where` names the text
// in errors.
ModelConfig read_config(const Config& config, const std::string& named = "");
ModelConfig read_config(const std::string& text, const std::string& where,
                        const std::string& named = "");

}  // namespace umf
