// Where a model named by the user lies.
#pragma once

#include <string>
#include <vector>

#include "base/folder.h"

namespace umf {

// `commit` is the hub's, for a model found in the local cache. `gguf` is the file of `folder` that
// is the whole model; empty where the folder is. `family` is what the user says that it is; empty
// where the files tell.
struct Location {
  Folder folder;
  std::string commit;
  std::string gguf = {};
  std::string family = {};

  std::string place() const;  // for messages
  // The same model, by whatever path.
  bool is(const Location& other) const;
};

// PLACE@FAMILY in its parts; what exists as it is written has no family.
struct NamedPlace {
  std::string place, family;
};
NamedPlace split_family(const std::string& where);

// WHERE is the name of an embedded model, a directory, a file *.gguf, or a Hugging Face id org/name
// in the local hub cache, in this order. Nothing is downloaded: an absent model is an Error that
// names the command which would fetch it. WHERE@FAMILY says of which family the model is.
Location find_checkpoint(const std::string& where);

// The ids of all models in the local hub cache that have a config.json.
std::vector<std::string> cached_models();

}  // namespace umf
