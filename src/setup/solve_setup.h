// From options, presets and defaults to a configuration.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/search_request.h"
#include "setup/common_options.h"
#include "setup/worker_devices.h"

namespace umf {

struct SolveCliOptions {
  CommonOptions common;
  std::string problem, example, preset, search = default_search(), ratios, budget_policy = "cut",
                                        window_policy = "preserve-masks", budget_unit = "passes";
  std::string stop_at_reward = "1", trace, report, checkpoint, curve, memory_limit;
  std::vector<std::string> models, actions;
  std::optional<std::string> workers;  // nothing: one, or one per device
  DeviceOptions devices;
  int budget = 0, window = 0, block_length = 0;
  double seconds = 0;
  std::uint64_t seed = 0;
  bool no_cache = false, closed_text = false, list_presets = false, list_searches = false,
       list_examples = false;
  bool unsafe = false, watch = false, mix_devices = false;
  ChosenOptions search_options;

  void declare(OptionSet& options);          // of umf solve
  void declare_shared(OptionSet& options);   // how to search, whatever the problem and the budget
  void declare_one(OptionSet& options);      // of one search: its budget, its curve, its checkpoint
  void declare_machine(OptionSet& options);  // what it is made on; changes no result
  // Options of declare_shared() from a JSON object; those of the command line stand above them.
  void read(const Json& file, const std::string& where);
  // The same with those of declare_one(): what a caller asks of one search.
  void read_search(const Json& wanted, const std::string& where);
  // Those of declare_machine().
  void read_machine(const Json& wanted, const std::string& where);
  // Throws Error for what cannot be read.
  SearchRequest request() const;
  bool read_built_in();
  // Devices and workers. Throws Error for what is not there.
  WorkerDevices worker_devices() const;
};

// The options of every search, by name; those of the default search go without it.
void declare_search_options(OptionSet& options, ChosenOptions& chosen);
// "never", or the reward that ends a search. Throws Error.
std::optional<double> parse_stop_at_reward(const std::string& text);

// Where the models of all configurations stand, once for each worker; nothing is loaded yet.
// `backend` is that of the first worker.
std::unique_ptr<ModelCache> make_model_cache(const SolveCliOptions& options,
                                             const WorkerDevices& devices, Backend& backend);

// The number of a model in the model cache. It is opened unless it is there already, by whatever
// name: configurations share their models.
int opened(const ModelChoice& choice, ModelCache& model_cache, const CommonOptions& common);

// Finds the models, opens those that are not in the model cache yet, and checks that all fits
// together.
Configuration make_configuration(const SolveCliOptions& options, ModelCache& model_cache);

}  // namespace umf
