#include "backend/blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace umf {
namespace {

constexpr int kColumns[] = {0, 1, 15, 16, 31, 32, 100, 128, 200, 255};

// Where a block's halves are; -1: it has no second.
struct Golden {
  DType type;
  int first_half, second_half;
  double sum;
  std::vector<float> at_columns;
};

const std::vector<Golden>& goldens() {
  static const std::vector<Golden> kGoldens = {
      {DType::kQ8_0, 0, -1, -11, {5.3125, 7.625, -8, -5.6875, -3}},
      {DType::kQ4_0, 0, -1, -1.3125, {-0.1875, 0.125, -0.5, -0.1875, 0}},
      {DType::kQ4_1, 0, 2, 16.3125, {0.96875, 0.28125, 0.65625, 0.59375, 0.78125}},
      {DType::kQ5_0, 0, -1, 0.9375, {0.5625, -0.125, -0.75, 0.875, 0.0625}},
      {DType::kQ5_1, 0, 2, 32.5625, {1.21875, 1.53125, 1.90625, 1.21875, 0.34375}},
      {DType::kQ4_K,
       0,
       2,
       3402.5,
       {19.71875, -1.59375, 10.03125, 19.71875, 10.03125, 0.5, 5.9375, 26.4375, 8.65625, 3.03125}},
      {DType::kQ5_K,
       0,
       2,
       7263.5,
       {50.71875, -1.59375, 10.03125, 50.71875, 10.03125, 7, 14.6875, 65.4375, 8.65625, 6.78125}},
      {DType::kQ6_K,
       208,
       -1,
       288.25,
       {-89.4375, 106, -19.875, -27, -6, 14.4375, 157.6875, -21.9375, 68.0625, -3.75}},
  };
  return kGoldens;
}

void set_half(std::vector<std::byte>& block, int at, std::uint16_t bits) {
  if (at < 0) return;
  block[at] = static_cast<std::byte>(bits & 255);
  block[at + 1] = static_cast<std::byte>(bits >> 8);
}

// Byte k is 37 k + 11; the halves are given.
std::vector<std::byte> block_of(const Golden& golden, std::uint16_t first, std::uint16_t second) {
  std::vector<std::byte> block(block_bytes(golden.type));
  for (std::size_t k = 0; k < block.size(); ++k) block[k] = static_cast<std::byte>(37 * k + 11);
  set_half(block, golden.first_half, first);
  set_half(block, golden.second_half, second);
  return block;
}

std::vector<float> numbers_of(DType type, const std::vector<std::byte>& blocks) {
  std::vector<float> numbers(blocks.size() / block_bytes(type) * block_elements(type));
  dequantise(type, blocks.data(), numbers);
  return numbers;
}

TEST(Blocks, GiveTheNumbersOfTheFormat) {
  for (const Golden& golden : goldens()) {
    const auto numbers = numbers_of(golden.type, block_of(golden, 0x2C00, 0x2800));
    for (std::size_t i = 0; i < golden.at_columns.size(); ++i) {
      EXPECT_EQ(numbers[kColumns[i]], golden.at_columns[i])
          << name_of(golden.type) << " " << kColumns[i];
    }
    EXPECT_EQ(golden.at_columns.size(), block_elements(golden.type) == 32 ? 5 : 10);
    EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0.0), golden.sum)
        << name_of(golden.type);
  }
}

TEST(Blocks, OfARowStandOneAfterTheOther) {
  for (const Golden& golden : goldens()) {
    const auto first = block_of(golden, 0x2C00, 0x2800), second = block_of(golden, 0x3555, 0x2F01);
    auto row = first;
    row.insert(row.end(), second.begin(), second.end());
    auto expected = numbers_of(golden.type, first);
    const auto rest = numbers_of(golden.type, second);
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(numbers_of(golden.type, row), expected) << name_of(golden.type);
    EXPECT_EQ(row_bytes(golden.type, static_cast<int>(expected.size())), row.size());
  }
}

// 0.0625 is 2^20 times the smallest half, and all of these products are exact.
TEST(Blocks, HaveSubnormalFactors) {
  for (const Golden& golden : goldens()) {
    const auto usual = numbers_of(golden.type, block_of(golden, 0x2C00, 0));
    const auto small = numbers_of(golden.type, block_of(golden, 0x0001, 0));
    for (std::size_t i = 0; i < usual.size(); ++i) {
      EXPECT_EQ(small[i], usual[i] * 0x1p-20f) << name_of(golden.type) << " " << i;
    }
  }
}

TEST(Blocks, HaveNegativeFactors) {
  for (const Golden& golden : goldens()) {
    const auto positive = numbers_of(golden.type, block_of(golden, 0x2C00, 0x2800));
    const auto negative = numbers_of(golden.type, block_of(golden, 0xAC00, 0xA800));
    for (std::size_t i = 0; i < positive.size(); ++i) {
      EXPECT_EQ(negative[i], -positive[i]) << name_of(golden.type) << " " << i;
    }
  }
}

}  // namespace
}  // namespace umf
