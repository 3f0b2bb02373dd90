// From a request to a task: models by name, prompts as tokens, everything checked that can be
// checked before the device is asked.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "model/model_cache.h"
#include "reward/reward.h"
#include "server/api_request.h"
#include "server/device_task.h"
#include "server/served_search.h"

namespace umf {

// A model in the model cache, as clients call it.
struct ServedModel {
  std::string name;
  int number = 0;
};

// May be used by several threads: it reads what the model cache knows of its models, and never runs
// one.
class TaskMaker {
 public:
  // The first model answers requests that name none. `rewards` are the types that requests may use.
  // The model cache must outlive this and all tasks.
  TaskMaker(ModelCache& model_cache, std::vector<ServedModel> models, std::set<std::string> rewards,
            JudgeTools tools = {});
  TaskMaker(const TaskMaker&) = delete;
  TaskMaker& operator=(const TaskMaker&) = delete;

  // Throws ApiError.
  std::unique_ptr<DeviceTask> make(const ApiRequest& request) const;

  std::unique_ptr<ServedSearch> make_search(const ApiRequest& request) const;

  // How many tasks may run at once: each device has a replica of the model cache.
  int devices() const { return model_cache_.replicas(); }
  const std::vector<ServedModel>& models() const { return models_; }
  const std::set<std::string>& rewards() const { return rewards_; }
  const ModelInfo& info(const ServedModel& model) const {
    return model_cache_.model(model.number).info();
  }
  // Throws ApiError 404. An empty name is the first model's.
  const ServedModel& find(const std::string& name, const std::string& param) const;

 private:
  std::unique_ptr<DeviceTask> make_plain(const ApiRequest& request) const;
  std::vector<const ServedModel*> writers_of(const ApiRequest& request) const;
  std::vector<Token> raw_prompt(const RawPrompt& prompt, const Checkpoint& checkpoint,
                                int vocabulary) const;
  void check_length(std::size_t prompt, int length, const ModelInfo& info) const;
  void require_allowed(const Json& spec) const;

  ModelCache& model_cache_;
  std::vector<ServedModel> models_;
  std::set<std::string> rewards_;
  JudgeTools tools_;
  std::mutex tools_mutex_;  // models that judge are loaded when first asked for
};

}  // namespace umf
