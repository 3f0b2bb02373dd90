// Measures ways to unmask on a data set in two rounds, each a run directory, and chooses.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_plan.h"
#include "cli/tune_report.h"

namespace umf {

struct TuneOptions {
  BenchCliOptions bench;  // which problems, models and machine
  std::string out;        // the directory of the rounds; "": the data set's name and ".tune"
  double loss = 1;        // points that a rule may lose against one cell per pass
  int budget = 0;         // forward passes of a search; 0: 4 windows
};

class Tuner {
 public:
  // The dataset and the model cache must outlive it. Throws Error for models it cannot name.
  Tuner(const TuneOptions& options, const Dataset& dataset, ModelCache& model_cache);

  // Also writes the configuration file. Nothing: the user asked to stop, and what was begun is
  // saved.
  std::optional<Tuning> run();

 private:
  bool measure_actions();  // false: stopped
  bool measure_searches();
  // Runs the configurations of `list` in `folder`; nothing when it was stopped.
  std::optional<Scores> measure(const char* round, const std::string& folder, const Json& list,
                                long budget);
  std::vector<std::string> texts_of(const TunedSearch& search) const;
  nlohmann::ordered_json configuration() const;

  BenchCliOptions bench_;  // of the rounds
  const Dataset& dataset_;
  ModelCache& model_cache_;
  std::vector<ModelChoice> models_;
  std::filesystem::path folder_;
  bool watching_ = false;  // for interrupts
  Tuning tuning_;
};

}  // namespace umf
