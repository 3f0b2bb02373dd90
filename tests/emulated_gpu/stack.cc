#include "stack.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace umf::emulated {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;  // touched as far as it is used

thread_local Stacks* entered = nullptr;

}  // namespace

// Keeps what a function must keep, x86-64.
extern "C" void umf_switch_stack(void** from, void* to);
asm(R"(
.pushsection .text
.globl umf_switch_stack
.type umf_switch_stack, @function
umf_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size umf_switch_stack, . - umf_switch_stack
.popsection
)");

#ifdef __SANITIZE_ADDRESS__
// The sanitizer wants to know where the stack lies.
namespace {
struct Home {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
};
thread_local Home home;
void going(void** fake, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake, bottom, bytes);
}
void arrived(void* fake, bool from_home) {
  __sanitizer_finish_switch_fiber(fake, from_home ? &home.bottom : nullptr,
                                  from_home ? &home.bytes : nullptr);
}
}  // namespace
#endif

Stacks::Stacks(int most) : most_(most), tops_(most) {
  void* const memory = ::mmap(nullptr, most_ * kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
}

Stacks::~Stacks() { ::munmap(memory_, most_ * kStackBytes); }

std::byte* Stacks::bottom(int stack) const { return memory_ + stack * kStackBytes; }

void Stacks::prepare(int count, std::function<void()> work) {
  work_ = std::move(work);
  for (int i = 0; i < count; ++i) {
    // Six saved registers, the address of the first function, and none to return to.
    auto* const top = reinterpret_cast<void**>(bottom(i) + kStackBytes) - 8;
    std::fill(top, top + 8, nullptr);
    top[6] = reinterpret_cast<void*>(&Stacks::begin);
    tops_[i] = top;
  }
}

void Stacks::enter(int stack) {
  entered = this;
  current_ = stack;
#ifdef __SANITIZE_ADDRESS__
  void* fake = nullptr;
  going(&fake, bottom(stack), kStackBytes);
#endif
  umf_switch_stack(&home_, tops_[stack]);
#ifdef __SANITIZE_ADDRESS__
  arrived(fake, false);
#endif
}

void Stacks::leave() {
#ifdef __SANITIZE_ADDRESS__
  void* fake = nullptr;
  going(&fake, home.bottom, home.bytes);
#endif
  umf_switch_stack(&tops_[current_], home_);
#ifdef __SANITIZE_ADDRESS__
  arrived(fake, true);
#endif
}

void Stacks::begin() {
#ifdef __SANITIZE_ADDRESS__
  arrived(nullptr, true);
#endif
  entered->work_();
#ifdef __SANITIZE_ADDRESS__
  going(nullptr, home.bottom, home.bytes);
#endif
  umf_switch_stack(&entered->tops_[entered->current_], entered->home_);
  __builtin_unreachable();
}

}  // namespace umf::emulated
