#include "backend/cuda/small.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

ModelShape shape(int hidden, int heads, int head_dim, int mlp, int vocabulary) {
  return {hidden, mlp, vocabulary, {.heads = heads, .kv_heads = heads, .head_dim = head_dim}};
}

TEST(SmallModel, IsSmallInEveryWidth) {
  EXPECT_TRUE(is_small(shape(256, 4, 64, 704, 733))) << "the embedded models";
  EXPECT_TRUE(is_small(shape(56, 7, 8, 152, 320))) << "the tiny models";
  EXPECT_FALSE(is_small(shape(3584, 28, 128, 18944, 152064))) << "Dream-7B";
  EXPECT_TRUE(is_small(shape(1024, 16, 64, 1024, 4096)));
  EXPECT_FALSE(is_small(shape(1032, 16, 64, 1024, 4096)));
  EXPECT_FALSE(is_small(shape(1024, 17, 64, 1024, 4096)));
  EXPECT_FALSE(is_small(shape(1024, 16, 64, 1032, 4096)));
  EXPECT_FALSE(is_small(shape(1024, 16, 64, 1024, 4097)));
}

TEST(SmallOperation, TakesF32ActivationsAndBf16Weights) {
  Operation op;
  op.kind = OperationKind::kProduct;
  op.in = {nullptr, DType::kF32, 5, 256, 256};
  op.out = {nullptr, DType::kF32, 5, 733, 768};
  op.weight_type = DType::kBF16;
  EXPECT_TRUE(is_small(op));
  op.weight_type = DType::kF32;
  EXPECT_FALSE(is_small(op));
  op.weight_type = DType::kBF16;
  op.in.type = DType::kBF16;
  EXPECT_FALSE(is_small(op));
}

TEST(SmallOperation, LeavesRowsOfBf16ToLargeModels) {
  Operation op;
  op.kind = OperationKind::kRotate;
  op.head_dim = op.rotated = 128;
  op.out = {nullptr, DType::kF32, 5, 1024, 1024};
  EXPECT_TRUE(is_small(op));
  op.out.type = DType::kBF16;
  EXPECT_FALSE(is_small(op));
  op.kind = OperationKind::kNormHeads;
  EXPECT_FALSE(is_small(op));
  op.out.type = DType::kF32;
  EXPECT_TRUE(is_small(op));
  op.head_dim = 12;
  EXPECT_FALSE(is_small(op)) << "no whole groups";
  op.kind = OperationKind::kCopyRows;
  op.in = {nullptr, DType::kBF16, 733, 256, 256};
  op.out = {nullptr, DType::kF32, 5, 256, 256};
  EXPECT_TRUE(is_small(op)) << "an embedding";
  op.out.type = DType::kBF16;
  EXPECT_FALSE(is_small(op));
}

}  // namespace
}  // namespace umf
