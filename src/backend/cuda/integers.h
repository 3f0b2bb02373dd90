// The integers of a pass (tokens, rows, positions) on their way to the device. They stand at places
// that depend on their order and lengths alone, so that a recorded pass finds new ones where the
// old ones were.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace umf {

class IntegerStage {
 public:
  // `host` is page-locked and as large as the memory on the device.
  explicit IntegerStage(std::span<int> host) : host_(host) {}

  // Where the numbers stand; equal lists stand in one place. Throws Error when there is no room.
  std::size_t place(std::span<const int> numbers);

  // What has come since the last call and has to be copied.
  struct Fresh {
    std::size_t first, count;
  };
  Fresh take_fresh();
  // After the device has read everything.
  void clear();

 private:
  std::span<int> host_;
  struct List {
    std::size_t first, count;
  };
  std::vector<List> lists_;
  std::size_t used_ = 0, taken_ = 0;
};

}  // namespace umf
