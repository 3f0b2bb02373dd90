// What umf solve shows and keeps while it searches.
#pragma once

#include <optional>
#include <string>

#include "cli/answer_report.h"
#include "cli/watch.h"
#include "session/search_observer.h"
#include "session/trace.h"
#include "setup/progress.h"

namespace umf {

class SolveObserver final : public SearchObserver {
 public:
  struct Wanted {
    bool progress = true, watch = false, trace = false, drawing = false;
  };

  // All must outlive it.
  SolveObserver(const Configuration& configuration, const ProblemSearch& search,
                const Wanted& wanted);

  bool passed(const Pass& pass) override;
  bool rolled_out(const RolloutEvent& event) override;
  void clear();  // removes what it shows

  const AnswerReport& report() const { return report_; }
  // One line per rollout, where they were wanted: of the trace, and of a page's drawing.
  const std::string& trace() const { return trace_; }
  std::string&& drawing() && { return std::move(drawing_); }

 private:
  const Configuration& configuration_;
  const Wanted wanted_;
  Progress progress_;
  std::optional<Watch> watch_;
  AnswerReport report_;
  TraceWriter tracer_;
  std::string trace_, drawing_, detail_ = "no answer yet";
  long nfe_ = 0;
};

}  // namespace umf
