// umf backends: which exist, why one does not, and whether each gives right results.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "cli/common.h"

namespace umf {
namespace {

struct Report {
  std::string name, summary, description, objection, finding;
  std::vector<DeviceFacts> devices;
  double seconds = 0;
  bool usable() const { return objection.empty() && finding.empty(); }
};

// The numbers of those that can be used: the one that was asked for, or all.
std::vector<int> devices_to_check(const Report& report, const BackendOptions& machine, bool one) {
  std::vector<int> numbers;
  for (int number = 0; std::cmp_less(number, report.devices.size()); ++number) {
    if (report.devices[number].objection.empty() && (!one || number == machine.device))
      numbers.push_back(number);
  }
  return numbers;
}

// The self-check of one backend, with every instruction set and on every device that it can use
// here.
Report examine(const BackendEntry& entry, const BackendOptions& machine, bool one_device) {
  Report report{.name = entry.name, .summary = entry.summary, .objection = entry.objection()};
  if (!report.objection.empty()) return report;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> targets = {machine.target};
  if (entry.targets && machine.target.empty()) targets = entry.targets();
  report.devices = entry.devices(machine);
  const std::vector<int> checked = devices_to_check(report, machine, one_device);
  if (checked.empty())
    report.objection = fmt::format("no device {} that it can use", machine.device);
  for (const int device : checked) {
    for (const std::string& target : targets) {
      const auto backend =
          entry.make({.threads = machine.threads, .target = target, .device = device});
      if (report.description.empty()) report.description = backend->description();
      const std::string finding = self_check(*backend);
      if (finding.empty()) continue;
      const std::string where = entry.on_host ? target : fmt::format("device {}", device);
      report.finding = fmt::format("{}{}{}", where, where.empty() ? "" : ": ", finding);
    }
  }
  if (targets.size() > 1) {
    report.description += ", also checked:";
    for (std::size_t i = 1; i < targets.size(); ++i) report.description += " " + targets[i];
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

Json devices_json(const std::vector<DeviceFacts>& devices) {
  Json list = Json::array();
  for (const DeviceFacts& device : devices) {
    Json json = {{"device", list.size()}, {"name", device.name}};
    if (!device.capability.empty()) json["capability"] = device.capability;
    if (device.memory > 0) json["memory_bytes"] = device.memory;
    if (!device.objection.empty()) json["objection"] = device.objection;
    list.push_back(std::move(json));
  }
  return list;
}

void print_devices(const std::vector<DeviceFacts>& devices) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string& objection = devices[i].objection;
    fmt::print("{:<10}   device {}: {}{}\n", "", i, text_of(devices[i]),
               objection.empty() ? "" : "; cannot be used: " + objection);
  }
}

int list_backends(const CommonOptions& common) {
  bool sound = true, default_shown = false;
  Json list = Json::array();
  for (const BackendEntry& entry : backends()) {
    if (common.backend != "auto" && common.backend != entry.name) {
      default_shown = default_shown || entry.objection().empty();
      continue;
    }
    const Report report = examine(entry, common.reporting(), common.device.has_value());
    const bool is_default =
        report.usable() && !std::exchange(default_shown, default_shown || report.usable());
    sound = sound && report.finding.empty();
    if (common.json) {
      list.push_back(
          {{"name", report.name},
           {"available", report.objection.empty()},
           {"default", is_default},
           {"description", report.description},
           {"devices", devices_json(report.devices)},
           {"objection", report.objection},
           {"self_check", report.objection.empty() ? Json(report.finding.empty()) : Json(nullptr)},
           {"finding", report.finding}});
      continue;
    }
    const std::string state = !report.objection.empty() ? "absent: " + report.objection
                              : !report.finding.empty()
                                  ? "BROKEN, self-check failed: " + report.finding
                                  : fmt::format("ok, self-check passed in {:.0f} ms ({})",
                                                report.seconds * 1e3, report.description);
    fmt::print("{:<10} {} {}\n", report.name, is_default ? "*" : " ", state);
    print_devices(report.devices);
  }
  if (common.json)
    print_json({{"backends", list}});
  else
    fmt::print("* is what --backend auto uses\n");
  return sound ? 0 : 1;
}

}  // namespace

Command backends_command() {
  return {"backends", "list backends, why one is missing, and run each one's self-check",
          [](OptionSet& options) {
            auto common = std::make_shared<CommonOptions>();
            common->declare(options);
            return [common] {
              if (common->backend != "auto")
                static_cast<void>(common->make_backend());  // a known name?
              return list_backends(*common);
            };
          }};
}

}  // namespace umf
