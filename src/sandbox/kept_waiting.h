// How long a job was kept from running by others, in the kernel's own words.
#pragma once

#include <unordered_map>
#include <vector>

#include "sandbox/tree.h"

namespace umf {

// Fed with looks at a job, adds up the time for which one of its threads wanted a processor and
// had none: a slow machine's fault. Whoever is judged would like to be kept waiting, so nothing
// counts that a program can bring about by itself:
// - what others of the job ran meanwhile: a thread may have waited for those;
// - while two processes of programs run: they come and go between looks;
// - a wait for each time that a thread went to sleep: whoever stays runnable gets its fair share of
//   a processor, and whoever leaves it, for however short a time, has to queue again. (Programs
//   cannot yield, lower their priority or choose processors: filter.cc.)
class KeptWaiting {
 public:
  explicit KeptWaiting(double begin = 0) : begin_(begin), last_(begin) {}

  // In the order of time.
  void look(double now, const std::vector<ProcessUse>& processes);
  // Seconds from `begin` to the last look. A stretch between two looks that began earlier does not
  // count.
  double since(double begin) const;

 private:
  struct Known {
    ThreadUse use;
    double waiting = 0;  // seconds of a wait that is not over, as far as looks have seen it
    double room = 0;     // before those: seconds that it may have waited, for all that was seen
    double owed = 0;     // seconds of its next waits that it may have brought about itself
  };
  // Between two looks.
  struct Stretch {
    double seconds = 0;
    double ran = 0;  // CPU seconds of the whole job
    bool crowded = false;
  };
  struct Wait {
    double begin, before;  // seconds that had come together by then
  };
  const Known& known(const ThreadUse& thread) const;
  double ran(const ProcessUse& process) const;
  Known after(const ThreadUse& now, const Stretch& stretch, double& waited) const;
  bool crowded(const std::vector<ProcessUse>& processes, const Stretch& stretch) const;

  double begin_, last_, total_ = 0;
  std::unordered_map<int, double> cpu_seconds_;  // by process
  std::unordered_map<int, Known> threads_;
  std::vector<Wait> waits_;
};

}  // namespace umf
