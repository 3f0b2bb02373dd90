#include "sandbox/zygote_pool.h"

namespace umf {
namespace {

constexpr int kWorkersOfOne = 4;

}  // namespace

ZygotePool::ZygotePool(Walls walls, std::string readable, int workers)
    : walls_(walls),
      readable_(std::move(readable)),
      zygotes_(static_cast<std::size_t>((workers + kWorkersOfOne - 1) / kWorkersOfOne)) {
  at(0);
}

std::shared_ptr<Zygote> ZygotePool::at(int seat) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Zygote>& zygote = zygotes_[static_cast<std::size_t>(seat)];
  if (!zygote) zygote = std::make_shared<Zygote>(walls_, readable_);
  return zygote;
}

std::shared_ptr<Zygote> ZygotePool::replace(int seat, const std::shared_ptr<Zygote>& broken) {
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Zygote>& zygote = zygotes_[static_cast<std::size_t>(seat)];
    if (zygote == broken) zygote.reset();
  }
  return at(seat);
}

}  // namespace umf
