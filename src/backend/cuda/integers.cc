#include "backend/cuda/integers.h"

#include <algorithm>

#include "base/error.h"

namespace umf {

std::size_t IntegerStage::place(std::span<const int> numbers) {
  for (const List& list : lists_) {
    if (list.count == numbers.size() &&
        std::equal(numbers.begin(), numbers.end(), host_.begin() + list.first)) {
      return list.first;
    }
  }
  if (numbers.size() > host_.size() - used_) {
    throw Error("cuda: the sequence is too long for one pass; shorten the prompt or the answer");
  }
  std::copy(numbers.begin(), numbers.end(), host_.begin() + used_);
  lists_.push_back({used_, numbers.size()});
  used_ += numbers.size();
  return lists_.back().first;
}

IntegerStage::Fresh IntegerStage::take_fresh() {
  const Fresh fresh{taken_, used_ - taken_};
  taken_ = used_;
  return fresh;
}

void IntegerStage::clear() {
  lists_.clear();
  used_ = taken_ = 0;
}

}  // namespace umf
