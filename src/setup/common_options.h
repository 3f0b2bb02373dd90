// What every front is told of the machine, and what it makes of it: backends, models by name or
// place, texts of files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backends.h"
#include "model/checkpoint.h"
#include "session/search_request.h"
#include "setup/options.h"

namespace umf {

struct CommonOptions {
  std::string backend = "auto";
  BackendOptions machine;
  std::optional<std::string> device;  // as it was given; `machine` has the first without it
  bool quiet = false, json = false, strict_config = false;
  std::function<void(const std::string&)> warn;  // where there is none, warnings go to stderr

  void declare(OptionSet& options);
  void declare_strictness(OptionSet& options);  // of commands that open models
  // `machine` on the device that was given, with a report on stderr of how far the copy of weights
  // to a device is. Throws Error for a device that is no number.
  BackendOptions reporting() const;
  std::unique_ptr<Backend> make_backend() const { return umf::make_backend(backend, reporting()); }
  // The same on another device.
  std::unique_ptr<Backend> make_backend_on(int number) const;
  // A model, with its warnings.
  Checkpoint open(const Location& location) const;
  void warning(const std::string& text) const;
};

// "NAME=WHERE" or "WHERE": without a name, the last part of the place, without ".gguf".
ModelChoice parse_model_choice(const std::string& text);
// What stands for --model where it is not given: the embedded models. Throws Error in a program
// without them.
std::vector<std::string> default_models(const std::string& command);

// The models that are here by name: the embedded ones, then those of the local hub cache.
std::vector<std::string> known_models();

// The text of a file, or of standard input for "-".
std::string read_input(const std::string& path);

// The ids in a file, one per line. Throws Error when there are none.
std::vector<std::string> read_ids(const std::string& path);

}  // namespace umf
