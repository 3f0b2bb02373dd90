// Many stacks on one thread of the machine, and the way from one to another and back.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace umf::emulated {

class Stacks {
 public:
  explicit Stacks(int most);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // Each of the first `count` begins with `work` when it is entered.
  void prepare(int count, std::function<void()> work);
  // Until it leaves or its work is over.
  void enter(int stack);
  // Back to where the current stack was entered.
  void leave();

 private:
  [[noreturn]] static void begin();
  std::byte* bottom(int stack) const;

  const int most_;
  std::byte* memory_ = nullptr;
  std::vector<void*> tops_;  // where each goes on
  void* home_ = nullptr;
  int current_ = 0;
  std::function<void()> work_;
};

}  // namespace umf::emulated
