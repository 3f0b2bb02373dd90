// umf status: how far a run is.
#include "bench/status.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/common.h"

namespace umf {
namespace {

struct StatusOptions {
  std::string directory;
  bool json = false;
};

int status(const StatusOptions& options) {
  if (options.directory.empty()) throw Error("umf status needs the directory of a run");
  const auto status = run_status(RunDirectory::open(options.directory));
  if (options.json)
    print_in_order(status);
  else
    fmt::print("{}", status_text(status));
  return 0;
}

}  // namespace

Command status_command() {
  return {"status", "how far a run of umf bench is, and who works on it", [](OptionSet& options) {
            auto o = std::make_shared<StatusOptions>();
            options.argument("DIR", o->directory, "the run directory");
            options.flag("json", o->json, "the status as JSON");
            options.footer(
                "A job is stale when its worker is gone or has shown no sign of life for six\n"
                "heartbeats; the next worker takes it over. Nothing is written.");
            return [o] { return status(*o); };
          }};
}

}  // namespace umf
