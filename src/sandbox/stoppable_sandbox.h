// A sandbox for work that may be called off.
#pragma once

#include <stop_token>
#include <utility>

#include "sandbox/sandbox.h"

namespace umf {

// Runs its jobs in another sandbox, which must outlive it; once `stop` is asked for, they end at
// once, as kStopped. A stop that comes with a job is that job's own and goes before.
class StoppableSandbox final : public Sandbox {
 public:
  StoppableSandbox(Sandbox& inner, std::stop_token stop) : inner_(inner), stop_(std::move(stop)) {}

  CommandResult run(const CommandJob& job, std::stop_token own) override {
    return inner_.run(job, choose(own));
  }
  PythonResult run(const PythonJob& job, std::stop_token own) override {
    return inner_.run(job, choose(own));
  }

 private:
  const std::stop_token& choose(const std::stop_token& own) const {
    return own.stop_possible() ? own : stop_;
  }

  Sandbox& inner_;
  std::stop_token stop_;
};

}  // namespace umf
