// The hidden tests' word on an answer. The search never gets here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/once_per_text.h"
#include "bench/result.h"
#include "reward/reward.h"

namespace umf {

// Grades the answers of one problem, and remembers texts. On any number of threads.
class Grading {
 public:
  // `program` takes from an answer what other tools are given to grade.
  Grading(std::unique_ptr<Reward> hidden, std::function<std::string(const std::string&)> program)
      : hidden_(std::move(hidden)), program_(std::move(program)) {}

  // Throws Error where no answer could ever be graded.
  void check() {
    if (hidden_ != nullptr) hidden_->check();
  }

  // Sets `passed`, `why`, `program`, the status and the seconds. A judge that fails, by itself or
  // in one test, has said nothing about the answer.
  void grade(Result& result);

 private:
  struct Grade {
    Verdict verdict;
    std::string program;
    double seconds = 0;
  };
  Grade grade_of(const std::string& answer) const;

  const std::unique_ptr<Reward> hidden_;  // null: there are no hidden tests
  const std::function<std::string(const std::string&)> program_;
  OncePerText<Grade> grades_;
};

}  // namespace umf
