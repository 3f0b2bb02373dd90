#include "c_api/caller.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include "base/cancelled.h"
#include "tokenizer/tokenizer.h"

struct umf_verdict {
  umf::Verdict verdict;
};

void umf_judge(umf_verdict* verdict, double reward, const char* why) {
  verdict->verdict.reward = reward;
  verdict->verdict.why = why == nullptr ? "" : why;
}

namespace umf {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);

// As a string of C, which would end at a zero byte.
std::string without_zeros(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\0' ? "\uFFFD" : std::string(1, c);
  return result;
}

}  // namespace

Caller::Caller(const umf_callbacks* callbacks) {
  // A caller that was built with an older header has fewer fields.
  if (callbacks != nullptr)
    std::memcpy(&callbacks_, callbacks, std::min(callbacks->size, sizeof callbacks_));
}

void Caller::attend(const std::function<void()>& work) {
  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    to_caller_.notify_one();
  });
  {
    auto next_look = std::chrono::steady_clock::now() + kBetweenLooks;
    std::unique_lock lock(mutex_);
    while (!finished_) {
      to_caller_.wait_until(lock, next_look, [&] { return finished_ || !questions_.empty(); });
      if (!questions_.empty()) answer_next(lock);
      if (std::chrono::steady_clock::now() < next_look) continue;
      lock.unlock();
      show_progress();
      next_look = std::chrono::steady_clock::now() + kBetweenLooks;
      lock.lock();
    }
  }
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

void Caller::answer_next(std::unique_lock<std::mutex>& lock) {
  Question* const question = questions_.front();
  questions_.pop_front();
  if (!stopped()) {
    lock.unlock();
    if (question->ask() != 0) stop_.request_stop();
    lock.lock();
  }
  question->done = true;
  to_work_.notify_all();
}

void Caller::show_progress() {
  if (callbacks_.progress == nullptr || stopped()) return;
  const umf_progress progress{done_, total_};
  if (callbacks_.progress(callbacks_.context, &progress) != 0) stop_.request_stop();
}

bool Caller::ask(std::function<int()> callback) {
  Question question{std::move(callback)};
  {
    std::unique_lock lock(mutex_);
    questions_.push_back(&question);
    to_caller_.notify_one();
    to_work_.wait(lock, [&] { return question.done; });
  }
  return !stopped();
}

Verdict Caller::judge(const std::string& answer) {
  umf_verdict verdict;
  const std::string text = without_zeros(to_valid_utf8(answer));
  if (!ask([&] { return callbacks_.reward(callbacks_.context, text.c_str(), &verdict); }))
    throw Cancelled();
  return std::move(verdict.verdict);
}

bool Caller::tell(const std::string& json) {
  return ask([&] { return callbacks_.event(callbacks_.context, json.c_str()); });
}

}  // namespace umf
