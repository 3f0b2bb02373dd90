#include "decode/walk_memo.h"

#include <utility>

namespace umf {

std::shared_ptr<const Walk> WalkMemo::find(const std::string& key, int limit) const {
  const std::lock_guard lock(mutex_);
  const auto found = walks_.find(key);
  return found != walks_.end() && found->second->passes <= limit ? found->second : nullptr;
}

void WalkMemo::insert(const std::string& key, Walk walk) {
  const std::lock_guard lock(mutex_);
  walks_.try_emplace(key, std::make_shared<const Walk>(std::move(walk)));
}

}  // namespace umf
