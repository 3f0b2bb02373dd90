// What a request asks the device to do, and who hears of it while it is done.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace umf {

struct Choice {
  std::string text, finish;  // "stop": the text ended; "length": the window did
  long tokens = 0;
};

struct Completion {
  std::vector<Choice> choices;
  long prompt_tokens = 0, completion_tokens = 0, nfe = 0;
  // Of a search: what it found and what it cost. Of a decoding: which answers are the same.
  nlohmann::ordered_json umf;
};

// Called on the device's thread, in the order of what happens.
class Listener {
 public:
  virtual ~Listener() = default;
  // False: stop at the next pass; nobody waits for the rest.
  virtual bool wanted() = 0;
  // Which of the server's devices does the task, from 0. Results do not depend on it.
  virtual int device() const { return 0; }
  virtual void text(int choice, std::string piece) = 0;  // valid UTF-8, final
  virtual void finished(int choice, const std::string& reason,
                        const nlohmann::ordered_json& umf) = 0;
  virtual void state(int choice, Json state) = 0;  // the newest replaces those before it
  virtual void rollout(Json event) = 0;
  // What a search cost that ended, also where it found nothing to give.
  virtual void spent(const nlohmann::ordered_json& /*search*/) {}
};

// A task was no longer wanted and has no result to give.
struct Interrupted {};

class DeviceTask {  // made on any thread, run once on the device's
 public:
  virtual ~DeviceTask() = default;
  // Asked to stop, the task ends what it waits for, which may be a judge that takes minutes. Any
  // thread; it may outlive the task.
  std::stop_source stop_source() const { return stop_; }
  // Throws Interrupted, ApiError, or Error for a request that cannot be run.
  virtual Completion run(Listener& listener) = 0;

 protected:
  explicit DeviceTask(std::stop_source stop = {}) : stop_(std::move(stop)) {}

 private:
  const std::stop_source stop_;
};

}  // namespace umf
