// What umf solve tells people beside the answer: who wrote it, which tests it passes, what the
// first model alone would have answered, and what it cost.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/verdict.h"
#include "session/problem_search.h"

namespace umf {

class AnswerReport {
 public:
  // Both must outlive the report.
  AnswerReport(const Configuration& configuration, const ProblemSearch& search)
      : configuration_(configuration), search_(search) {}

  // Called after every rollout of the search.
  void watch(const RolloutEvent& event);

  // The answer, in its authors' colours on a terminal; all else on stderr.
  void print(const Solution& solution, const Candidate& best, double seconds,
             std::FILE* answers = stdout) const;

 private:
  void print_authors(const Candidate& best, std::FILE* answers) const;
  void print_first_alone(const Candidate& best) const;
  void print_tests(const std::string& title, const Verdict& verdict,
                   const std::string& answer = "") const;
  void print_cost(const Solution& solution, const Candidate& best, double seconds) const;
  std::string pace(long passes) const;

  const Configuration& configuration_;
  const ProblemSearch& search_;
  struct FirstAlone {
    StateId end;
    Verdict verdict;
  };
  std::optional<FirstAlone> first_alone_;  // where the first action alone ended
  long cells_ = 0;                         // that models have committed
};

}  // namespace umf
