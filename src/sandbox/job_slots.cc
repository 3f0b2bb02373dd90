#include "sandbox/job_slots.h"

#include <algorithm>

namespace umf {

JobSlots::JobSlots(int count)
    : busy_(static_cast<std::size_t>(count)),
      groups_(static_cast<std::size_t>(count)),
      places_(find_cgroup_places()) {
  remove_stale_groups(places_);
}

std::optional<JobSlots::Lease> JobSlots::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto free = [this] { return std::ranges::find(busy_, false) != busy_.end(); };
  if (stop.stop_requested() || !freed_.wait(lock, stop, free)) return std::nullopt;
  const auto place = std::ranges::find(busy_, false) - busy_.begin();
  busy_[place] = true;
  if (!groups_[place] && places_.any())
    groups_[place] = std::make_unique<Cgroup>(places_, static_cast<int>(place));
  return Lease(*this, static_cast<int>(place));
}

void JobSlots::give_back(int place) {
  {
    const std::lock_guard lock(mutex_);
    busy_[static_cast<std::size_t>(place)] = false;
  }
  freed_.notify_one();
}

}  // namespace umf
