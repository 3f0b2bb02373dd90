// GPUs by number, and which of them the calling thread speaks to. The driver keeps that per thread:
// whatever makes memory, events or handles, or starts a kernel, does so on the thread's device.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

namespace umf {

// The thread's device. Throws Error.
int current_device();
// Its compute capability's first number.
int current_capability();

// The first use of a device by this process: how threads wait for it is said before it starts.
// Throws Error.
void start_device(int device);

// For as long as it lives, `device` is the thread's. Stands at every entrance to the backend:
// nothing relies on the device that a thread had before. That one comes back afterwards where it
// was in use, since it may be the caller's own; one that was not would be started by that.
class DeviceScope {
 public:
  explicit DeviceScope(int device);                         // throws Error
  DeviceScope(int device, const std::nothrow_t&) noexcept;  // for destructors
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;  // to come back; -1: nothing to do
};

// Settings of kernels hold for one device. `set` is called when the thread's device comes by for
// the first time, perhaps by two threads at once: setting twice is setting once.
class OncePerDevice {
 public:
  template <class Set>
  void operator()(const Set& set) {
    const int device = current_device();
    const std::uint64_t bit = std::uint64_t{1} << (device % 64);
    const bool counted = device < 64;  // beyond, each time anew
    if (counted && (done_.load(std::memory_order_acquire) & bit) != 0) return;
    set();
    if (counted) done_.fetch_or(bit, std::memory_order_release);
  }

 private:
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace umf
