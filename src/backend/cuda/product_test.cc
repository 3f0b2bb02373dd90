#include "backend/cuda/product.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(RowBucket, HoldsItsRowsAndFewMore) {
  for (int rows = 1; rows < 9000; ++rows) {
    const int bucket = row_bucket(rows);
    ASSERT_GE(bucket, rows);
    ASSERT_EQ(row_bucket(bucket), bucket);
    ASSERT_LT(bucket - rows, rows <= 4096 ? 128 : 1024);
  }
}

TEST(ProductShape, KnowsTheAlignmentOfEveryOperand) {
  alignas(16) static unsigned char memory[64];
  Operation op;
  op.in = {memory, DType::kBF16, 5, 64, 64};
  op.out = {memory, DType::kBF16, 5, 128, 128};
  op.weight = memory;
  EXPECT_EQ(shape_of(op).alignment, 16);
  EXPECT_EQ(shape_of(op).rows, 16);
  op.out.stride = 132;  // 264 bytes
  EXPECT_EQ(shape_of(op).alignment, 8);
  op.weight = memory + 2;
  EXPECT_EQ(shape_of(op).alignment, 2);
}

TEST(ProductShape, TellsProductsApartThatNeedDifferentAlgorithms) {
  Operation op;
  op.in = {nullptr, DType::kBF16, 5, 64, 64};
  op.out = {nullptr, DType::kBF16, 5, 128, 128};
  Operation logits = op, added = op;
  logits.out.type = DType::kF32;
  added.add = true;
  EXPECT_NE(shape_of(op), shape_of(logits));
  EXPECT_NE(shape_of(op), shape_of(added));
}

TEST(LibraryProduct, TakesEightBitsInWholeWordsAlone) {
  Operation op;
  op.in = {nullptr, DType::kF8, 5, 64, 128};
  op.out = {nullptr, DType::kBF16, 5, 96, 128};
  EXPECT_TRUE(is_library_product(op));
  op.out.cols = 72;
  EXPECT_FALSE(is_library_product(op));
  op.in.type = DType::kBF16;
  EXPECT_TRUE(is_library_product(op));
  op.in.type = DType::kF32;
  EXPECT_FALSE(is_library_product(op));
}

}  // namespace
}  // namespace umf
