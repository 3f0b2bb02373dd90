// The hidden tests' word on an answer. The search never gets here.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bench/result.h"
#include "reward/reward.h"

namespace umf {

// Grades the answers of one problem, and remembers texts. On any number of threads.
class Grading {
 public:
  explicit Grading(std::shared_ptr<Reward> hidden) : hidden_(std::move(hidden)) {}

  // Sets `passed`, `why`, the status and the seconds. A judge that fails, by itself or in one test,
  // has said nothing about the answer.
  void grade(Result& result);

 private:
  struct Grade {
    Verdict verdict;
    double seconds = 0;
  };
  Grade grade_of(const std::string& answer);

  const std::shared_ptr<Reward> hidden_;  // null: there are no hidden tests
  std::mutex mutex_;
  std::map<std::string, Grade> grades_;
};

}  // namespace umf
