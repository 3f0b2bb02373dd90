#include "server/metrics.h"

#include <fmt/core.h>

#include "base/version.h"

namespace umf {
namespace {

std::string heading(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

// One line for each device, by its place in the list of devices.
template <class Value>
std::string by_device(const char* name, const char* type, const char* help,
                      const QueueCounts& queue, Value DeviceCounts::*value) {
  std::string text = heading(name, type, help);
  for (std::size_t i = 0; i < queue.devices.size(); ++i)
    text += fmt::format("{}{{device=\"{}\"}} {}\n", name, i, queue.devices[i].*value);
  return text;
}

std::string single(const char* name, const char* type, const char* help, auto value) {
  return heading(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::count_request(const std::string& endpoint, int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[{endpoint, status}];
}

void Metrics::count_tokens(long prompt, long completion) {
  const std::lock_guard lock(mutex_);
  prompt_tokens_ += prompt;
  completion_tokens_ += completion;
}

std::string Metrics::text(const QueueCounts& queue) const {
  const std::lock_guard lock(mutex_);
  std::string text = heading("umf_build_info", "gauge", "the version that runs");
  text += fmt::format("umf_build_info{{version=\"{}\"}} 1\n", version());
  text += heading("umf_requests_total", "counter", "answered requests");
  for (const auto& [key, count] : requests_) {
    text += fmt::format("umf_requests_total{{endpoint=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  text += heading("umf_jobs_total", "counter", "jobs that left the queue");
  for (const auto& [end, count] :
       {std::pair("done", queue.done), {"failed", queue.failed}, {"cancelled", queue.cancelled}})
    text += fmt::format("umf_jobs_total{{end=\"{}\"}} {}\n", end, count);
  text += single("umf_jobs_waiting", "gauge", "jobs in the queue", queue.waiting);
  text += single("umf_jobs_running", "gauge", "jobs on the devices", queue.running);
  text +=
      single("umf_busy_seconds_total", "counter", "time the devices worked", queue.busy_seconds);
  text += single("umf_forward_passes_total", "counter", "passes of finished jobs", queue.nfe);
  text += by_device("umf_device_jobs_running", "gauge", "jobs on each device", queue,
                    &DeviceCounts::running);
  text += by_device("umf_device_jobs_total", "counter", "jobs that left each device", queue,
                    &DeviceCounts::jobs);
  text += by_device("umf_device_busy_seconds_total", "counter", "time each device worked", queue,
                    &DeviceCounts::busy_seconds);
  text += by_device("umf_device_forward_passes_total", "counter",
                    "passes of finished jobs on each device", queue, &DeviceCounts::nfe);
  text += single("umf_prompt_tokens_total", "counter", "of finished requests", prompt_tokens_);
  text +=
      single("umf_completion_tokens_total", "counter", "of finished requests", completion_tokens_);
  return text;
}

}  // namespace umf
