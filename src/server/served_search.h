// A search: the answer of `umf solve`.
#pragma once

#include <memory>

#include "server/device_task.h"
#include "server/served_judge.h"
#include "session/configuration.h"

namespace umf {

// What a listener is told while a search runs.
struct ServedNews {
  bool states = false, rollouts = false;
  // For those who draw: rollouts as the lines of a trace, states cell by cell with their authors.
  bool drawn = false;
};

class ServedSearch final : public DeviceTask {
 public:
  // The model cache must outlive the task. Makes the search once, to find out what is wrong with
  // it. Throws Error when configuration and problem do not fit. `format` is the reward for the form
  // of the answer: only the JSON of it is given then; null: all of it.
  ServedSearch(ModelCache& model_cache, Configuration configuration, Problem problem,
               std::unique_ptr<ServedJudge> judge, const ServedNews& news,
               const Json& format = nullptr);
  // What is searched, and how: {"problem","search","window","seed","models","actions"}.
  Json description() const;
  // The best answer found, also when the search was ended early. Before the first pass the judge is
  // asked whether it can judge at all.
  Completion run(Listener& listener) override;

 private:
  ModelCache& model_cache_;
  const Configuration configuration_;
  const Problem problem_;
  const std::unique_ptr<ServedJudge> judge_;
  const ServedNews news_;
  const std::unique_ptr<Reward> format_;  // null: any text will do
};

}  // namespace umf
