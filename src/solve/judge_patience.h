// A judge that fails again and again will not work for the next answer, either.
#pragma once

#include <fmt/core.h>

#include <cmath>

#include "base/verdict.h"
#include "solve/attempt.h"

namespace umf {

class JudgePatience {
 public:
  // So many failures in a row are the last straw; 0: never.
  explicit JudgePatience(int most) : most_(most) {}

  // Throws Failure at the last straw.
  void count(const Verdict& verdict) {
    in_a_row_ = std::isnan(verdict.reward) ? in_a_row_ + 1 : 0;
    if (most_ == 0 || in_a_row_ < most_) return;
    throw Failure{
        fmt::format("the judge failed {} times in a row, which says nothing about the answers: {}",
                    in_a_row_, verdict.why)};
  }

 private:
  const int most_;
  int in_a_row_ = 0;
};

}  // namespace umf
