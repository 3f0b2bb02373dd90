// Places for jobs: as many run at a time, and each place has what jobs must not share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "sandbox/cgroup.h"

namespace umf {

// May be used from several threads.
class JobSlots {
 public:
  explicit JobSlots(int count);

  // A place for the length of one job.
  class Lease {
   public:
    Lease(JobSlots& slots, int place) : slots_(&slots), place_(place) {}
    ~Lease() {
      if (slots_ != nullptr) slots_->give_back(place_);
    }
    Lease(Lease&& other) noexcept : slots_(other.slots_), place_(other.place_) {
      other.slots_ = nullptr;
    }
    Lease& operator=(Lease&&) = delete;

    int place() const { return place_; }
    // Null where this machine has none.
    Cgroup* group() const { return slots_->groups_[static_cast<std::size_t>(place_)].get(); }

   private:
    JobSlots* slots_;
    int place_;
  };

  // Waits for the lowest free place; nothing once the stop is asked for.
  std::optional<Lease> take(const std::stop_token& stop);

 private:
  void give_back(int place);

  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::vector<bool> busy_;
  // Made when first needed, and used again: the kernel takes long to forget one that held memory.
  std::vector<std::unique_ptr<Cgroup>> groups_;
  CgroupPlaces places_;
};

}  // namespace umf
