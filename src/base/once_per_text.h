// Values that take long to make and depend on a text alone.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace umf {

// On any number of threads: who asks for a text that another thread is at waits for it.
template <class Value>
class OncePerText {
  static constexpr auto kAll = [](const Value&) { return true; };

 public:
  // Made where it is not known. What `make` throws, and what `keep` says no to, is not remembered:
  // whoever asks next makes it again.
  template <class Make, class Keep = decltype(kAll)>
  Value get(const std::string& text, const Make& make, const Keep& keep = kAll) {
    std::unique_lock lock(mutex_);
    made_.wait(lock, [&] { return !being_made_.contains(text); });
    if (const auto known = values_.find(text); known != values_.end()) return known->second;
    being_made_.insert(text);
    lock.unlock();
    std::optional<Value> value;
    std::exception_ptr failure;
    try {
      value = make();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    being_made_.erase(text);
    if (value && keep(*value)) values_.emplace(text, *value);
    made_.notify_all();
    if (failure) std::rethrow_exception(failure);
    return *std::move(value);
  }

 private:
  std::mutex mutex_;
  std::condition_variable made_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<std::string> being_made_;
};

}  // namespace umf
