#include "setup/worker_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

constexpr int kMostWorkers = 64, kMostDevices = 64;

std::vector<std::string> listed_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

// "2", or the ends of "0-3".
std::optional<std::pair<int, int>> range_in(const std::string& text) {
  const auto dash = text.find('-');
  const auto first = number_in(std::string_view(text).substr(0, dash));
  const auto last = dash == text.npos ? first : number_in(std::string_view(text).substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

std::vector<int> listed_devices(const std::string& text, std::size_t there,
                                const std::string& known) {
  std::vector<int> numbers;
  for (const std::string& part : listed_parts(text)) {
    const auto range = part == "all" ? std::pair(0, static_cast<int>(there) - 1) : range_in(part);
    if (!range)
      throw Error(fmt::format(
          "--devices takes numbers and ranges, 0,2 or 0-3, or all; not '{}'. There is {}", text,
          known));
    for (int number = range->first; number <= range->second; ++number) {
      if (numbers.size() == kMostDevices)
        throw Error(fmt::format("--devices takes {} devices at most", kMostDevices));
      numbers.push_back(number);
    }
  }
  return numbers;
}

void require_one_kind(const std::vector<int>& devices, const std::vector<DeviceFacts>& facts) {
  for (const int device : devices) {
    const DeviceFacts &first = facts[devices.front()], &other = facts[device];
    if (!other.computes_as(first))
      throw Error(
          fmt::format("devices {} ({}) and {} ({}) round differently, so that results would depend "
                      "on who computes; list devices of one kind",
                      devices.front(), text_of(first), device, text_of(other)));
  }
}

std::map<std::string, int> parse_places(const std::string& text, std::size_t devices) {
  std::map<std::string, int> places;
  if (text.empty()) return places;
  for (const std::string& part : listed_parts(text)) {
    const auto equals = part.rfind('=');
    const auto place = equals == part.npos || equals == 0
                           ? std::nullopt
                           : number_in(std::string_view(part).substr(equals + 1));
    if (!place)
      throw Error(
          fmt::format("--place takes MODEL=PLACE,... with places in --devices: a=0,b=1; not "
                      "'{}'",
                      text));
    if (std::cmp_greater_equal(*place, devices))
      throw Error(fmt::format("--place {}: --devices lists {}, and places count from 0", part,
                              devices == 1 ? "one device" : fmt::format("{} devices", devices)));
    if (!places.emplace(part.substr(0, equals), *place).second)
      throw Error(fmt::format("--place has two places for '{}'", part.substr(0, equals)));
  }
  return places;
}

}  // namespace

void DeviceOptions::declare(OptionSet& options) {
  options.value("devices", devices,
                "several devices: numbers and ranges, 0,2 or 0-3, or all; same results. Workers "
                "(in umf serve, requests) are spread over them, and models that one cannot hold; "
                "one that is listed twice is two");
  options.value("place", place,
                "MODEL=PLACE,...: where in the list of --devices models stand, from 0, by their "
                "names in --model; prm for process reward models. By itself the first with room");
}

WorkerDevices::WorkerDevices(const CommonOptions& common, const DeviceOptions& devices,
                             std::optional<int> workers)
    : common_(common) {
  if (workers && (*workers < 1 || *workers > kMostWorkers))
    throw Error(fmt::format("--workers must be from 1 to {}, not {}", kMostWorkers, *workers));
  if (devices.devices.empty()) {
    if (!devices.place.empty())
      throw Error("--place says where in the list of --devices; give that, too: --devices 0,1");
    devices_ = {common.reporting().device};
    workers_ = workers.value_or(1);
    return;
  }
  if (common.device) throw Error("--device and --devices exclude each other");
  BackendOptions options = common.reporting();
  options.device = -1;  // the devices are looked at below
  const BackendEntry& entry = find_backend(common.backend, options);
  common_.backend = entry.name;
  listed_ = true;
  const std::vector<DeviceFacts> facts = entry.devices(options);
  devices_ = listed_devices(devices.devices, facts.size(), text_of(facts));
  for (const int device : devices_) require_device(entry, options, device);
  require_one_kind(devices_, facts);
  places_ = parse_places(devices.place, devices_.size());
  workers_ = workers.value_or(static_cast<int>(devices_.size()));
}

void WorkerDevices::begin_with(int i) {
  // Places count in the list as it was given.
  if (places_.empty()) std::ranges::rotate(devices_, devices_.begin() + i % std::ssize(devices_));
}

// Workers share the threads; one that would get none gets one all the same.
std::unique_ptr<Backend> WorkerDevices::make_backend(int worker, int at) const {
  BackendOptions share = common_.reporting();
  share.device = devices_[at];
  const int threads = share.threads > 0 ? share.threads : usable_cores();
  if (share.threads >= 0)
    share.threads = std::max(1, threads / workers_ + (worker < threads % workers_ ? 1 : 0));
  return umf::make_backend(common_.backend, share);
}

std::unique_ptr<ModelCache> WorkerDevices::make_model_cache(Backend& first,
                                                            std::uint64_t memory_limit) const {
  auto model_cache = std::make_unique<ModelCache>(first, memory_limit);
  if (devices_.size() == 1 && workers_ > 1 && memory_limit > 0)
    throw Error(
        "--memory-limit puts idle models aside, and several workers keep all of them busy; leave "
        "out --memory-limit or --workers");
  if (listed_) {
    const auto make = [all = *this](int worker, int at) { return all.make_backend(worker, at); };
    model_cache->spread({devices_, make, places_}, workers_);
    return model_cache;
  }
  for (int worker = 1; worker < workers_; ++worker)
    model_cache->add_replica(make_backend(worker, 0));
  return model_cache;
}

void require_places_used(const ModelCache& model_cache) {
  std::vector<std::string> models;
  for (const StandingModel& model : model_cache.standing()) models.push_back(model.name);
  for (const std::string& name : model_cache.unused_places()) {
    if (name != kJudgePlace)
      throw Error(fmt::format("--place: there is no model '{}'; the models are {}", name,
                              fmt::join(models, ", ")));
  }
}

void tell_places(const ModelCache& model_cache, bool quiet) {
  if (quiet || !model_cache.is_spread()) return;
  std::vector<std::string> models;
  for (const StandingModel& model : model_cache.standing())
    models.push_back(fmt::format("{} on device {}", model.name, model.device));
  const int workers = model_cache.replicas(), groups = std::min(model_cache.groups(), workers);
  const std::string more = groups == 1   ? ""
                           : groups == 2 ? ", and once more on others"
                                         : fmt::format(", and {} times more on others", groups - 1);
  fmt::print(stderr, "{}{}; {} worker{}\n", fmt::join(models, ", "), more, workers,
             workers == 1 ? "" : "s");
}

}  // namespace umf
