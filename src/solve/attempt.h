// Asking a world that may break down.
#pragma once

#include <exception>
#include <string>

#include "base/cancelled.h"
#include "solve/solution.h"

namespace umf {

// The world broke down, which is not the same as being called off (Cancelled): ends the search but
// keeps what it found.
struct Failure {
  std::string message;
};

// What is said of an answer whose judging was called off. It is kept where there is no other:
// whoever asks to stop before the first verdict is better served by it than by none.
inline constexpr const char* kNotJudged = "stopped before it was judged";

template <class Work>
auto attempt(Work&& work) {
  try {
    return work();
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& reason) {
    throw Failure{reason.what()};
  }
}

// Runs a search, however it ends. What an observer throws is not caught.
template <class Explore>
void run_to_end(Solution& solution, Explore&& explore) {
  try {
    solution.stopped = explore();
  } catch (const Cancelled&) {
    solution.stopped = Stop::kInterrupted;
  } catch (const Failure& failure) {
    solution.stopped = Stop::kError;
    solution.message = failure.message;
  }
}

}  // namespace umf
