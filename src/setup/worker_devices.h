// Workers and the devices that they work on, as options say it, and backends for them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model_cache.h"
#include "setup/common_options.h"

namespace umf {

// Values of --devices and --place.
struct DeviceOptions {
  std::string devices, place;
  void declare(OptionSet& options);
};

// The place of process reward models in --place: they have no --model to be named by.
inline constexpr const char* kJudgePlace = "prm";

class WorkerDevices {
 public:
  // `workers` are those of --workers; nothing for one per device. Throws Error for devices that are
  // not there, or not of one kind: results must not depend on which of them computes.
  WorkerDevices(const CommonOptions& common, const DeviceOptions& devices,
                std::optional<int> workers);

  int workers() const { return workers_; }
  const std::vector<int>& devices() const { return devices_; }  // by number, as they were listed
  // The same devices from the i-th on: for one who works beside others.
  void begin_with(int i);

  // For one of the workers on the device that is listed at `at`, with its share of the threads.
  std::unique_ptr<Backend> make_backend(int worker, int at) const;
  std::unique_ptr<Backend> make_backend() const { return make_backend(0, 0); }
  // A replica for every worker, on all devices; `first` is the backend of the first worker.
  std::unique_ptr<ModelCache> make_model_cache(Backend& first, std::uint64_t memory_limit) const;

 private:
  CommonOptions common_;
  bool listed_ = false;  // by --devices
  std::vector<int> devices_;
  std::map<std::string, int> places_;
  int workers_ = 1;
};

// Throws Error for a --place that names no model, once all are there.
void require_places_used(const ModelCache& model_cache);
// "dream on device 0, llada on device 1; 2 workers": one line on stderr where devices were listed,
// unless it shall be quiet.
void tell_places(const ModelCache& model_cache, bool quiet);

}  // namespace umf
