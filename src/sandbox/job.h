// One job from start to end: what it is given, what comes back, and the limits in between.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "sandbox/cgroup.h"
#include "sandbox/channel.h"
#include "sandbox/kept_waiting.h"
#include "sandbox/sandbox.h"
#include "sandbox/zygote.h"

namespace umf {

// What python/warden.py tells at the end of a job.
struct JobEnd {
  Ending ending = Ending::kSandboxError;
  std::string reason;
  int status = 0;            // of a command, as wait() gives it
  bool never_began = false;  // the sandbox failed before any of the job ran: worth another try
  bool machine = false;      // as in PythonResult
  bool killed = false;       // a program was ended by a signal that may have come from outside
  SandboxUse use;
};

class JobRun {
 public:
  // `group` may be null: then watching alone keeps the limits.
  JobRun(const Zygote& zygote, const std::string& module, const SandboxLimits& limits,
         Cgroup* group);

  // A pipe whose bytes are collected, up to the limit of a stream; gives the end for the job.
  int collect(std::string& into);
  void give(int descriptor) { given_.push_back(descriptor); }

  // Starts the job, sends it the frames, collects reports and streams until nothing of it is left.
  // A stop that is asked for ends it.
  JobEnd run(const std::vector<std::string>& frames, std::string& reports, std::stop_token stop);

 private:
  struct Stream {
    Descriptor ours, theirs;
    std::string* bytes;
  };
  enum class Stop { kNo, kAsked, kTime, kCpu, kTester, kMemory, kProcesses, kOutput, kOverload };

  bool begin(const std::vector<std::string>& frames);
  void watch(std::stop_token stop);
  void look();
  void look_again();
  void look_at_time();
  void tell_waits(const std::string& since);
  void look_at_tester(double cpu_seconds);
  void read_frames();
  void read_stream(Stream& stream);
  void handle(const Frame& frame);
  void read_last_word(const std::string& body);
  void stop(Stop why);
  JobEnd conclude();
  double elapsed_seconds() const;

  const Zygote& zygote_;
  std::string module_;
  SandboxLimits limits_;
  Cgroup* group_;
  DescriptorPair socket_;
  std::vector<int> given_;
  std::vector<Stream> streams_;
  std::string* reports_ = nullptr;
  std::size_t reported_ = 0;       // bytes, when the tester was last seen to get on
  double tester_cpu_seconds_ = 0;  // its own, at that time
  FrameReader reader_;
  int warden_ = 0;
  std::size_t inherited_bytes_ = 0;  // of the interpreter, which forks share
  Descriptor warden_handle_;
  double started_ = 0, looked_ = 0;
  KeptWaiting waits_;
  bool ready_ = false, done_ = false, out_of_memory_ = false;
  double stood_still_seconds_ =
      0;  // the longest that this process did not run, though it wanted to
  Stop stopped_ = Stop::kNo;
  JobEnd end_;
};

}  // namespace umf
