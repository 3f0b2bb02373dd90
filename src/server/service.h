// The API without its transport: requests in, jobs and bodies out.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "server/api_reply.h"
#include "server/metrics.h"
#include "server/solves.h"
#include "server/task_maker.h"

namespace umf {

// How often a connection that waits looks whether its client is still there.
inline constexpr std::chrono::milliseconds kPatience{100};

struct ServiceOptions {
  RequestLimits limits;
  int queue = 64;                          // jobs that may wait
  std::chrono::seconds job_seconds{3600};  // for one job; 0: no limit
  std::chrono::seconds grace_seconds{10};  // for running jobs at shutdown
  Json examples = Json::array();           // problems that the page offers
  std::vector<ServedConfiguration> configurations;
};

// Every method may be called from several threads.
class Service {
 public:
  // The maker must outlive the service.
  Service(const TaskMaker& tasks, const ServiceOptions& options);

  struct Started {
    std::shared_ptr<Job> job;
    ReplyHead head;
  };
  // Checks the request and puts it into the queue. Throws ApiError.
  Started start(const ApiRequest& request);
  // Puts a search into the queue that outlives its client, for all to watch. Throws ApiError.
  std::shared_ptr<Solve> start_solve(const ApiRequest& request);
  // Keeps what it has found. Throws ApiError 404; does nothing to one that is over.
  void stop(const std::string& id);
  const Solves& solves() const { return solves_; }
  // Waits for the end of a job. A client that leaves takes its job along.
  Completion wait(const std::shared_ptr<Job>& job, const std::function<bool()>& client_is_there);
  void abandon(const std::shared_ptr<Job>& job) { queue_.abandon(job, Cancel::kClientGone); }
  void count_tokens(const Completion& completion);

  const RequestLimits& limits() const { return options_.limits; }
  ServedConfigurations configurations() const { return options_.configurations; }
  Metrics& metrics() { return metrics_; }
  std::string models_body() const;
  std::string model_body(const std::string& name) const;  // throws ApiError 404
  // What there is to choose from: models, configurations, searches, rewards, limits and examples.
  std::string about_body() const;
  std::string metrics_text() const { return metrics_.text(queue_.counts()); }
  bool closing() const { return closing_; }
  int retry_after_seconds() const { return queue_.retry_after_seconds(); }

  // Refuses what waits, lets the running job end or ends it.
  void close();

 private:
  std::string new_id(const char* kind);
  // Of the list of models: what the API has, and what is ours.
  OrderedJson entry_json(const std::string& name, OrderedJson umf) const;
  OrderedJson model_json(const ServedModel& model) const;
  OrderedJson configuration_json(const ServedConfiguration& configuration) const;
  OrderedJson models_json() const;
  OrderedJson configurations_json() const;

  const TaskMaker& tasks_;
  const ServiceOptions options_;
  const std::int64_t started_;
  const std::string nonce_;  // ids differ between servers and between their runs
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<bool> closing_ = false;
  Metrics metrics_;
  Solves solves_;
  JobQueue queue_;
};

}  // namespace umf
