// Running untrusted programs: contained, limited from outside, judged by what was captured.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace umf {

// Hold for everything a job starts, together. Enforced from outside.
struct SandboxLimits {
  int wall_ms = 10'000;
  int cpu_ms = 10'000;
  std::size_t memory_bytes = std::size_t{1} << 30;
  int processes = 32;
  std::size_t scratch_bytes = std::size_t{64} << 20;
  std::size_t output_bytes = std::size_t{1} << 20;  // of each stream; more ends the job
  // Of a PythonJob's tester itself from one report to the next, in CPU time: what programs send
  // must not keep it busy. 0: as long as the job may.
  int tester_cpu_ms = 0;
};

enum class Ending {
  kExited,        // by itself, with `exit_status`
  kTimeout,       // wall or CPU
  kMemory,        // went past its memory
  kOutput,        // wrote more than it may
  kCrash,         // ended by `signal`
  kStopped,       // by whoever asked for the job. Never scored.
  kSandboxError,  // ours, not the program's: says nothing about it. Never scored.
};
const char* name_of(Ending ending);

struct SandboxUse {
  double wall_seconds = 0, cpu_seconds = 0;
  std::size_t peak_memory_bytes = 0;
};

// Any program of the read-only root.
struct CommandJob {
  std::vector<std::string> argv;             // argv[0] as an absolute path
  std::string input;                         // its stdin
  std::map<std::string, std::string> files;  // put into the scratch folder, its working directory
  SandboxLimits limits;
};

struct CommandResult {
  Ending ending = Ending::kSandboxError;
  int exit_status = 0, signal = 0;
  std::string out, err;
  std::string reason;  // for people; empty when it exited with 0
  SandboxUse use;
};

// A Python job on the warm interpreter, in two processes (python/README.md tells the whole story):
// a tester, our own module, which holds the payload and reports; and, started by it as often as it
// likes, candidates: untrusted source in a process that sees neither the payload nor the reports.
struct PythonJob {
  std::string tester;    // an embedded module, by name
  std::string payload;   // JSON, handed to the tester unread
  SandboxLimits limits;  // of all processes together
};

struct PythonResult {
  Ending ending = Ending::kSandboxError;  // of the tester; candidates' ends are for it to report
  bool machine = false;  // of a sandbox error: it is overloaded, stood still or cannot begin a job
  std::string reports;   // JSON Lines, in order; whole lines only
  std::string reason;
  SandboxUse use;
};

// May be used from several threads; jobs do not see each other. Once `stop` is asked for, a job is
// killed, or does not begin.
class Sandbox {
 public:
  virtual ~Sandbox() = default;
  virtual CommandResult run(const CommandJob& job, std::stop_token stop = {}) = 0;
  virtual PythonResult run(const PythonJob& job, std::stop_token stop = {}) = 0;
};

struct SandboxOptions {
  int workers = 0;      // jobs at once; 0: one per core
  bool unsafe = false;  // run without isolation where there is none
};

// One way to isolate, best first; `objection` says why it cannot be had here, or is empty.
struct Isolation {
  std::string name, summary, objection;
};
std::vector<Isolation> isolations();

// The best isolation that this machine allows. Throws Error where there is none and `unsafe` is
// not set, or where Python is missing.
std::unique_ptr<Sandbox> make_sandbox(const SandboxOptions& options = {});

}  // namespace umf
