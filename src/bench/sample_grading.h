// Judging answers that exist already: samples matched with their problems, verdicts and counts.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/dataset.h"
#include "bench/samples.h"
#include "reward/reward.h"
#include "session/solution_json.h"

namespace umf {

struct GradeRequest {
  std::string dataset, samples;  // files; the samples may be "-"
  TestChoice tests = TestChoice::kAll;
  std::string tests_name = "all";  // as the user calls them, for the summary
  DatasetOptions choice;
  int workers = 0;  // samples judged at once; 0: one per core
  // Every test runs, also of programs that ran out of time in two of them; `details` tells of each.
  bool all_tests = false, details = false;
};

// Visible, hidden or all, or as users of EvalPlus and LiveCodeBench call them. Throws Error.
TestChoice parse_test_choice(const std::string& name);

// Who hears of it, never at the same time.
struct GradeListener {
  std::function<void(const OrderedJson& line)> line;  // {"id","passed","reward","why"}, in order
  std::function<void(int done, int samples, int right)> judged;
  std::function<bool()> stopped;  // true: no more are begun
};

// What came of all.
struct GradeSummary {
  OrderedJson json;
  double pass_at_1 = 0;
  int unjudged = 0;
};

class SampleGrading {
 public:
  // Reads both files. Throws Error for samples of problems that do not exist.
  explicit SampleGrading(GradeRequest request);

  int samples() const { return static_cast<int>(entries_.size()); }
  int workers() const;
  // Judges all on several threads; lines go out in order, as soon as their turn comes. Ends early
  // when the listener or the tools are stopped: then what was judged is told. Once.
  void run(JudgeTools tools, const GradeListener& listener);
  GradeSummary summary() const;  // of what was judged

 private:
  // One sample and the task it is for.
  struct Entry {
    Sample sample;
    std::size_t task;
    Verdict verdict;
    bool done = false;
  };
  class Rewards;
  class Run;
  void match(std::vector<Sample> samples);
  OrderedJson line_of(const Entry& entry) const;

  const GradeRequest request_;
  const Dataset dataset_;
  std::vector<Entry> entries_;
};

}  // namespace umf
