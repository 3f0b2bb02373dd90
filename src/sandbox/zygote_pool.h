// As many warm interpreters as the workers need: one forks about 300 jobs per second.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sandbox/zygote.h"

namespace umf {

// May be used from several threads.
class ZygotePool {
 public:
  // Starts the first one, so that what is wrong with all of them shows at once. `readable` as in
  // LaunchOrder.
  ZygotePool(Walls walls, std::string readable, int workers);

  // Jobs take seats in turn.
  int next_seat() { return static_cast<int>(turn_++ % zygotes_.size()); }
  // The interpreter of a seat, started if need be. Throws Error when it does not start.
  std::shared_ptr<Zygote> at(int seat);
  // A new one in the place of `broken`. Several jobs may find the same one broken: the first
  // replaces it.
  std::shared_ptr<Zygote> replace(int seat, const std::shared_ptr<Zygote>& broken);

 private:
  Walls walls_;
  std::string readable_;
  std::atomic<unsigned> turn_ = 0;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Zygote>> zygotes_;
};

}  // namespace umf
