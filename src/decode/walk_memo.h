// Walks that several searches have in common.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "decode/walk.h"
#include "decode/walk_setup.h"

namespace umf {

// By action: everything that its walks depend on, but for the draw and the window they start from.
// Equal where all of that is, whatever objects hold it.
std::vector<std::string> walk_keys(const WalkSetup& setup);

// A walk depends on its trial alone, so that configurations with an action in common need not make
// it twice. Holds walks that came to their end. May be shared by walkers on several threads.
class WalkMemo {
 public:
  // Nothing when there is none of at most `limit` passes.
  std::shared_ptr<const Walk> find(const std::string& key, int limit) const;
  void insert(const std::string& key, Walk walk);

  // Forward passes that were really made, by all that share this.
  long passes() const { return passes_; }
  void count_passes(long passes) { passes_ += passes; }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Walk>> walks_;
  std::atomic<long> passes_ = 0;
};

}  // namespace umf
