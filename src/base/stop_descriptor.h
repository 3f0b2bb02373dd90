// A stop request for those who wait with poll().
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <stop_token>

namespace umf {

// Readable once the stop is asked for. A token that cannot be asked costs nothing: then get() is
// -1, which poll() passes over.
class StopDescriptor {
 public:
  explicit StopDescriptor(std::stop_token stop) {
    if (!stop.stop_possible()) return;
    number_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    callback_.emplace(std::move(stop), Wake{number_});
  }
  ~StopDescriptor() {
    callback_.reset();  // first: it writes
    if (number_ >= 0) ::close(number_);
  }
  StopDescriptor(const StopDescriptor&) = delete;
  StopDescriptor& operator=(const StopDescriptor&) = delete;

  int get() const { return number_; }

 private:
  struct Wake {
    int number;
    void operator()() const {
      const std::uint64_t one = 1;
      static_cast<void>(!::write(number, &one, sizeof one));
    }
  };
  int number_ = -1;
  std::optional<std::stop_callback<Wake>> callback_;
};

}  // namespace umf
