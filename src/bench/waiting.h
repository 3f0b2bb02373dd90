// How long to wait for others before the next look: the longer it has lasted, the longer, and no
// two at the same time.
#pragma once

#include <optional>
#include <random>

#include "bench/worker_watch.h"

namespace umf {

class Waiting {
 public:
  // Never less than `shortest` seconds.
  explicit Waiting(double shortest, SteadySeconds clock = steady_seconds);

  // In seconds; not less than `due`, but for the spread.
  double next_pause(double due);
  void over() { since_.reset(); }  // there was something to do

 private:
  double shortest_;
  SteadySeconds clock_;
  std::optional<double> since_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace umf
