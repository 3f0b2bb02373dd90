// The thread that made a call: its callbacks run there while the work goes on elsewhere.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/verdict.h"
#include "c_api/umf.h"
#include "reward/reward.h"

namespace umf {

class Caller {
 public:
  explicit Caller(const umf_callbacks* callbacks);

  // Runs `work` on a thread of its own and stays until it is done, answering what it asks. Throws
  // what it throws.
  void attend(const std::function<void()>& work);

  // The rest is for threads of the work.
  bool judges() const { return callbacks_.reward != nullptr; }
  bool wants_events() const { return callbacks_.event != nullptr; }
  // Both wait for the caller. Throws Cancelled once the caller wants to stop.
  Verdict judge(const std::string& answer);
  // False once the caller wants to stop. Only where it wants events.
  bool tell(const std::string& json);
  // For the next look at the progress; does not wait.
  void report(long done, long total) {
    done_ = done;
    total_ = total;
  }
  bool stopped() const { return stop_.stop_requested(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

 private:
  struct Question {
    std::function<int()> ask;  // 0: go on
    bool done = false;
  };
  bool ask(std::function<int()> callback);  // false: stop
  void answer_next(std::unique_lock<std::mutex>& lock);
  void show_progress();

  umf_callbacks callbacks_{};
  std::stop_source stop_;
  std::atomic<long> done_ = 0, total_ = 0;
  std::mutex mutex_;
  std::condition_variable to_caller_, to_work_;
  std::deque<Question*> questions_;
  bool finished_ = false;
};

// The reward of a caller's own.
class CallerReward final : public Reward {
 public:
  explicit CallerReward(Caller& caller) : caller_(caller) {}  // must outlive it

  Verdict judge(std::string_view answer) override { return caller_.judge(std::string(answer)); }

 private:
  Caller& caller_;
};

}  // namespace umf
