#include "backend/cuda/parallel_copy.h"

#include <gtest/gtest.h>

#include <numeric>

namespace umf {
namespace {

TEST(ParallelCopy, EveryByteArrivesOnceWhateverTheThreadsAndTheSize) {
  for (const int threads : {1, 2, 5}) {
    ParallelCopy crew(threads);
    for (const std::size_t size : {0u, 1u, 1000u, (1u << 20) - 1, (1u << 20) + 3, 5000001u}) {
      std::vector<unsigned char> from(size + 1, 7), to(size + 2, 9);
      std::iota(from.begin(), from.end(), static_cast<unsigned char>(size));
      crew.copy(to.data(), from.data(), size);
      EXPECT_TRUE(
          std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(size), to.begin()))
          << size << " bytes on " << threads << " threads";
      EXPECT_EQ(to[size], 9) << "nothing behind the end";
    }
  }
}

}  // namespace
}  // namespace umf
