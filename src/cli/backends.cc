// umf backends: which exist, why one does not, and whether each gives right results.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/common.h"

namespace umf {
namespace {

struct Report {
  std::string name, summary, description, objection, finding;
  double seconds = 0;
  bool usable() const { return objection.empty() && finding.empty(); }
};

// The self-check of one backend, with every instruction set that it can use here.
Report examine(const BackendEntry& entry, const BackendOptions& machine) {
  Report report{.name = entry.name, .summary = entry.summary, .objection = entry.objection()};
  if (!report.objection.empty()) return report;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> targets = {machine.target};
  if (entry.targets && machine.target.empty()) targets = entry.targets();
  for (const std::string& target : targets) {
    const auto backend = entry.make({machine.threads, target});
    if (report.description.empty()) report.description = backend->description();
    const std::string finding = self_check(*backend);
    if (!finding.empty())
      report.finding = fmt::format("{}{}{}", target, target.empty() ? "" : ": ", finding);
  }
  if (targets.size() > 1) {
    report.description += ", also checked:";
    for (std::size_t i = 1; i < targets.size(); ++i) report.description += " " + targets[i];
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

int list_backends(const CommonOptions& common) {
  bool sound = true, default_shown = false;
  Json list = Json::array();
  for (const BackendEntry& entry : backends()) {
    if (common.backend != "auto" && common.backend != entry.name) {
      default_shown = default_shown || entry.objection().empty();
      continue;
    }
    const Report report = examine(entry, common.machine);
    const bool is_default =
        report.usable() && !std::exchange(default_shown, default_shown || report.usable());
    sound = sound && report.finding.empty();
    if (common.json) {
      list.push_back(
          {{"name", report.name},
           {"available", report.objection.empty()},
           {"default", is_default},
           {"description", report.description},
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
  }
  if (common.json)
    print_json({{"backends", list}});
  else
    fmt::print("* is what --backend auto uses\n");
  return sound ? 0 : 1;
}

}  // namespace

Command backends_command() {
  return {"backends", "list back ends, why one is missing, and run each one's self-check",
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
