// What /metrics tells: counts since the start, in Prometheus' text format.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "server/job_queue.h"

namespace umf {

class Metrics {
 public:
  void count_request(const std::string& endpoint, int status);
  void count_tokens(long prompt, long completion);
  std::string text(const QueueCounts& queue) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, long>
      requests_;  // endpoints are ours, never a client's text
  long prompt_tokens_ = 0, completion_tokens_ = 0;
};

}  // namespace umf
