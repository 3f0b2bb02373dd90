#include "backend/quantise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "backend/blocks.h"
#include "base/random.h"

namespace umf {
namespace {

constexpr DType kQuantised[] = {DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
                                DType::kQ8_0, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};

// About normal, of this deviation, by the sum of four uniforms.
std::vector<float> random_numbers(int count, float deviation, int stream = 0) {
  std::vector<float> numbers(count);
  for (int i = 0; i < count; ++i) {
    double sum = -2;
    for (int part = 0; part < 4; ++part) sum += noise_word({5, 7}, stream, 4 * i + part) * 0x1p-32;
    numbers[i] = static_cast<float>(sum * 1.7320508 * deviation);
  }
  return numbers;
}

std::vector<std::byte> packed(DType type, const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(row_bytes(type, static_cast<int>(numbers.size())));
  write_row(type, numbers, bytes.data());
  return bytes;
}

std::vector<float> round_trip(DType type, const std::vector<float>& numbers) {
  const auto bytes = packed(type, numbers);
  std::vector<float> result(numbers.size());
  read_row({bytes.data(), type, 1, static_cast<int>(numbers.size())}, 0, result);
  return result;
}

// The root of the mean squared error, relative to that of the numbers.
double relative_error(const std::vector<float>& numbers, const std::vector<float>& others) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    errors += std::pow(numbers[i] - others[i], 2);
    squares += std::pow(numbers[i], 2);
  }
  return std::sqrt(errors / squares);
}

TEST(Quantise, KeepsWhatPlainTypesHold) {
  const std::vector<float> halves = {0, -0.0f, 1, -2.5f, 65504, 0x1p-24f, -0x1.8p-15f, 0x1.ffcp3f};
  EXPECT_EQ(round_trip(DType::kF16, halves), halves);
  const std::vector<float> brief = {0, -0.0f, 1, 0x1.fep127f, -0x1p-126f, 0x1p-133f};
  EXPECT_EQ(round_trip(DType::kBF16, brief), brief);
  const std::vector<float> any = random_numbers(64, 3);
  EXPECT_EQ(round_trip(DType::kF32, any), any);
}

TEST(Quantise, RoundsToTheNearestEvenHalf) {
  const std::vector<float> between = {1 + 0x1p-11f, 1 + 0x3p-11f, 0x1p-25f, 0x3p-25f,
                                      2047.0f + 0.5f};
  const std::vector<float> expected = {1, 1 + 0x1p-9f, 0, 0x1p-23f, 2048};
  EXPECT_EQ(round_trip(DType::kF16, between), expected);
  EXPECT_EQ(round_trip(DType::kBF16, {1 + 0x1p-8f, 1 + 0x3p-8f}),
            (std::vector<float>{1, 1 + 0x1p-6f}));
}

TEST(Quantise, ErrorsStayWithinTheBits) {
  const struct {
    DType type;
    double most;  // for normal numbers
  } kBounds[] = {{DType::kQ8_0, 0.006}, {DType::kQ6_K, 0.018}, {DType::kQ5_1, 0.04},
                 {DType::kQ5_K, 0.035}, {DType::kQ5_0, 0.05},  {DType::kQ4_1, 0.075},
                 {DType::kQ4_K, 0.07},  {DType::kQ4_0, 0.095}};
  for (const auto& [type, most] : kBounds) {
    for (const float deviation : {0.02f, 1.0f, 300.0f}) {
      const auto numbers = random_numbers(4096, deviation);
      const double error = relative_error(numbers, round_trip(type, numbers));
      EXPECT_LT(error, most) << name_of(type) << " " << deviation;
      EXPECT_GT(error, most / 8) << name_of(type) << ": the bound says nothing";
    }
  }
}

TEST(Quantise, EveryNumberIsNearALevel) {
  for (const DType type : {DType::kQ8_0, DType::kQ4_0, DType::kQ5_0, DType::kQ4_1, DType::kQ5_1}) {
    const int levels = type == DType::kQ8_0                           ? 254
                       : type == DType::kQ4_0 || type == DType::kQ4_1 ? 15
                                                                      : 31;
    const auto numbers = random_numbers(32, 1, 3);
    const auto others = round_trip(type, numbers);
    float far = 0;
    for (const float number : numbers) far = std::max(far, std::fabs(number));
    for (int i = 0; i < 32; ++i)
      EXPECT_NEAR(others[i], numbers[i], 2.2f * far / levels) << name_of(type) << " " << i;
  }
}

TEST(Quantise, ConstantsAndZerosAreKept) {
  for (const DType type : kQuantised) {
    for (const float value : {0.0f, 0.75f, -0.75f}) {
      const std::vector<float> same(256, value);
      for (const float number : round_trip(type, same))
        EXPECT_NEAR(number, value, 0.01f * std::fabs(value)) << name_of(type);
    }
  }
}

TEST(Quantise, TheLargestNumbersFit) {
  for (const DType type : kQuantised) {
    std::vector<float> numbers = random_numbers(256, 10);
    numbers[3] = 65504, numbers[77] = -65504;
    for (const float number : round_trip(type, numbers))
      EXPECT_LE(std::fabs(number), 70500) << name_of(type);
  }
}

TEST(Quantise, TinyNumbersBecomeZeroOrSmall) {
  for (const DType type : kQuantised) {
    for (const float number : round_trip(type, random_numbers(256, 1e-12f)))
      EXPECT_LE(std::fabs(number), 1e-6f) << name_of(type);
  }
}

TEST(Quantise, BlocksAreIndependent) {
  for (const DType type : kQuantised) {
    const auto numbers = random_numbers(512, 1, 4);
    const auto whole = packed(type, numbers);
    const auto second = packed(type, {numbers.begin() + 256, numbers.end()});
    EXPECT_EQ(std::memcmp(&whole[whole.size() / 2], second.data(), second.size()), 0)
        << name_of(type);
  }
}

// Levels that a block can hold exactly are found again.
TEST(Quantise, WhatWasQuantisedStaysNearlyAsItIs) {
  for (const DType type : kQuantised) {
    const auto once = round_trip(type, random_numbers(1024, 1, 5));
    EXPECT_LT(relative_error(once, round_trip(type, once)), 0.012) << name_of(type);
  }
}

}  // namespace
}  // namespace umf
