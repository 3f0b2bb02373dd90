// umf doctor: can this machine run untrusted programs safely, and does it?
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/json.h"
#include "cli/common.h"
#include "sandbox/enforcement.h"
#include "sandbox/sandbox.h"
#include "sandbox/zygote.h"

namespace umf {
namespace {

struct Check {
  std::string name;
  bool passed = false;
  std::string found;
};

// A program that must work, and programs that must not get anywhere.
struct Probe {
  const char *name, *source, *outcome, *answer;
};
constexpr Probe kProbes[] = {
    {"an honest program", "def f(): return 6 * 7", "value", "42"},
    {"reading the users' passwords and folders", R"(
import os
def f():
    for path in ("/etc/shadow", "/root", "/home", "/proc/1"):
        try: return "opened", path, os.open(path, os.O_RDONLY)
        except OSError: pass
    return "refused"
)",
     "value", "'refused'"},
    {"writing outside the scratch folder", R"(
import os
def f():
    for path in ("/umf-doctor", "/usr/umf-doctor", "/etc/umf-doctor", "/dev/umf-doctor"):
        try: return "wrote", os.open(path, os.O_CREAT | os.O_WRONLY)
        except OSError: pass
    return "refused"
)",
     "value", "'refused'"},
    {"using the network", R"(
import socket
def f():
    try: return "connected", socket.socket().fileno()
    except OSError: return "refused"
)",
     "value", "'refused'"},
    {"taking all memory", "def f(): return len([bytearray(1 << 24) for _ in range(1 << 16)])",
     "memory", ""},
    {"never coming back", "def f(): return sum(range(10 ** 13))", "timeout", ""},
    {"crashing", "import ctypes\ndef f(): ctypes.string_at(0)", "crash", ""},
};

std::vector<Json> reports_of(const PythonResult& result) {
  if (result.ending != Ending::kExited)
    throw Error(fmt::format("the sandbox's self-test ended as {}: {}", name_of(result.ending),
                            result.reason));
  std::vector<Json> reports;
  std::istringstream lines(result.reports);
  for (std::string line; std::getline(lines, line);)
    reports.push_back(parse_json(line, "a report of the sandbox"));
  return reports;
}

Check run_probe(Sandbox& sandbox, const Probe& probe) {
  const double seconds = std::string(probe.outcome) == "timeout" ? 0.5 : 10;
  const Json program = {{"source", probe.source},
                        {"seconds", 10},
                        {"calls", {{{"call", "f"}, {"seconds", seconds}}}}};
  const Json payload = {{"programs", {program}}};
  SandboxLimits limits;
  limits.wall_ms = 30'000;
  limits.cpu_ms = 20'000;
  limits.memory_bytes = std::size_t{256} << 20;
  const Json report = reports_of(sandbox.run(PythonJob{"self_test", payload.dump(), limits})).at(0);
  if (report["outcome"] != "loaded") return {probe.name, false, report.dump()};
  const Json& answer = report["answers"].at(0);
  const std::string outcome = answer["outcome"], value = answer.value("value", "");
  return {probe.name, outcome == probe.outcome && value == probe.answer,
          value.empty() ? outcome : value};
}

std::string advice(const std::vector<Isolation>& found) {
  if (found[0].objection.empty()) return "";
  const std::string lead = found[1].objection.empty()
                               ? "Programs run, but cannot write files or start others. "
                               : "Untrusted programs cannot be run. ";
  return lead +
         "For full isolation allow user namespaces: `sysctl user.max_user_namespaces=10000`; on "
         "Debian also kernel.unprivileged_userns_clone=1, on Ubuntu "
         "kernel.apparmor_restrict_unprivileged_userns=0; in Docker run with "
         "--security-opt seccomp=unconfined --security-opt apparmor=unconfined.";
}

struct Diagnosis {
  std::vector<Isolation> isolations;
  std::string used;  // the name of one of them, or ""
  std::vector<Enforcement> protections, limits;
  Json modules = Json::array();
  std::vector<Check> checks;
  std::string problem;  // why there is no sandbox

  bool sound() const {
    bool all = problem.empty();
    for (const Check& check : checks) all = all && check.passed;
    return all;
  }
};

Diagnosis examine() {
  Diagnosis diagnosis{.isolations = isolations()};
  for (const Isolation& one : diagnosis.isolations) {
    if (diagnosis.used.empty() && one.objection.empty()) diagnosis.used = one.name;
  }
  try {
    const auto sandbox = make_sandbox({.workers = 1});
    const Walls walls = diagnosis.used == "namespaces" ? Walls::kNamespaces : Walls::kLandlock;
    diagnosis.protections = protections(walls);
    diagnosis.limits = enforced_limits(walls);
    for (Json& module : reports_of(sandbox->run(PythonJob{"versions", "{}"})))
      diagnosis.modules.push_back(std::move(module));
    for (const Probe& probe : kProbes) diagnosis.checks.push_back(run_probe(*sandbox, probe));
  } catch (const Error& problem) {
    diagnosis.problem = problem.what();
  }
  return diagnosis;
}

void print_as_json(const Diagnosis& diagnosis) {
  Json ways = Json::array(), checks = Json::array();
  Json protections = Json::object(), limits = Json::object();
  for (const Isolation& one : diagnosis.isolations) {
    ways.push_back({{"name", one.name},
                    {"summary", one.summary},
                    {"available", one.objection.empty()},
                    {"used", one.name == diagnosis.used},
                    {"objection", one.objection}});
  }
  for (const Enforcement& one : diagnosis.protections) protections[one.what] = one.how;
  for (const Enforcement& one : diagnosis.limits) limits[one.what] = one.how;
  for (const Check& check : diagnosis.checks)
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"found", check.found}});
  print_json({{"sound", diagnosis.sound()},
              {"isolations", ways},
              {"protections", protections},
              {"limits", limits},
              {"python", {{"program", kPython}, {"modules", diagnosis.modules}}},
              {"self_test", checks},
              {"problem", diagnosis.problem},
              {"advice", advice(diagnosis.isolations)}});
}

void print_list(const char* title, const std::vector<Enforcement>& list) {
  if (!list.empty()) fmt::print("{}\n", title);
  for (const Enforcement& one : list) fmt::print("    {:<11} {}\n", one.what, one.how);
}

void print_for_people(const Diagnosis& diagnosis) {
  fmt::print("Isolation of untrusted programs (* is used)\n");
  for (const Isolation& one : diagnosis.isolations) {
    fmt::print("  {} {:<11} {}\n", one.name == diagnosis.used ? "*" : " ", one.name,
               one.objection.empty() ? one.summary : "absent: " + one.objection);
  }
  print_list("Protections", diagnosis.protections);
  print_list("Limits", diagnosis.limits);
  if (!diagnosis.modules.empty()) fmt::print("Python ({})\n", kPython);
  for (const Json& module : diagnosis.modules) {
    fmt::print("    {:<11} {}\n", module["name"].get<std::string>(),
               module["version"].is_null()
                   ? "absent: install python3-" + module["name"].get<std::string>()
                   : module["version"].get<std::string>());
  }
  if (!diagnosis.checks.empty()) fmt::print("Self-test\n");
  for (const Check& check : diagnosis.checks) {
    fmt::print("    {}  {}{}\n", check.passed ? "ok    " : "FAILED", check.name,
               check.passed ? "" : ": " + check.found);
  }
  if (!diagnosis.problem.empty()) fmt::print("PROBLEM: {}\n", diagnosis.problem);
  const std::string hint = advice(diagnosis.isolations);
  if (!hint.empty()) fmt::print("{}\n", hint);
  fmt::print("What models can run on, and its memory: umf backends\n");
}

}  // namespace

Command doctor_command() {
  return {"doctor", "check that untrusted programs can be run safely on this machine",
          [](OptionSet& options) {
            auto json = std::make_shared<bool>(false);
            options.flag("json", *json, "print one JSON object");
            return [json] {
              const Diagnosis diagnosis = examine();
              if (*json)
                print_as_json(diagnosis);
              else
                print_for_people(diagnosis);
              return diagnosis.sound() ? 0 : 1;
            };
          }};
}

}  // namespace umf
