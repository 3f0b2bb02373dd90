#include "backend/cuda/view.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(View, RowsOfNarrowMatricesKeepTheirFactors) {
  // Eight rows of 128 bytes, then their factors.
  const Memory memory(new float[8 * 32 + 8], [](void* p) { delete[] static_cast<float*>(p); });
  float* const numbers = static_cast<float*>(memory.get());
  const Matrix all{memory, 0, 8, 100, 128, DType::kF8, 8 * 32};
  EXPECT_EQ(view_of(all).scales, numbers + 8 * 32);
  const View part = view_of(all.row_range(2, 5).row_range(1, 3).columns(16, 32));
  EXPECT_EQ(part.scales, numbers + 8 * 32 + 3);
  EXPECT_EQ(part.data, reinterpret_cast<std::byte*>(numbers) + 3 * 128 + 16);
  EXPECT_EQ(part.rows, 3);
}

TEST(View, OtherMatricesHaveNoFactors) {
  const Memory memory(new float[64], [](void* p) { delete[] static_cast<float*>(p); });
  const Matrix matrix{memory, 0, 2, 32, 32, DType::kBF16};
  EXPECT_EQ(view_of(matrix.row_range(1, 1)).scales, nullptr);
}

}  // namespace
}  // namespace umf
