// Eight-bit rows and products on the device against the plain loops.
#include <fmt/core.h>

#include <cmath>

#include "backend/cuda/device_testing.h"

namespace umf {
namespace {

class Narrow : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string objection = cuda_fp8_objection(); !objection.empty()) {
      GTEST_SKIP() << "no GPU to test on: " << objection;
    }
  }
  static Bench fp8() { return Bench(make_cuda_fp8_backend()); }
  static Bench plain() { return Bench(make_reference_backend()); }
};

// -7 .. 7, with 7 in every row: their factor is a power of two, and they fit. Rows differ by powers
// of two, which only the factors can hold.
std::vector<float> integers(int rows, int cols, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(static_cast<std::size_t>(rows) * cols);
  for (int i = 0; i < rows; ++i) {
    const float size = std::ldexp(1.0f, i % 5 - 2);
    for (int j = 0; j < cols; ++j) {
      const int number = j == i % cols ? 7 : static_cast<int>(engine() % 15) - 7;
      values[static_cast<std::size_t>(i) * cols + j] = static_cast<float>(number) * size;
    }
  }
  return values;
}

std::vector<std::vector<float>> layer_products(Bench on, const std::vector<float>& x,
                                               const std::vector<float>& w, int rows, int in,
                                               int out) {
  const auto plain = on.layer_linear(w, out, in),
             biased = on.layer_linear(w, out, in, bf16_numbers(out, 31, 4.0f));
  return products(on, on.matrix(x, rows, in), *plain, *biased, out,
                  bf16_numbers(static_cast<std::size_t>(rows) * out, 32, 4.0f));
}

constexpr int kShapes[][3] = {  // rows, inputs, outputs; the library takes multiples of 16
    {5, 64, 64}, {37, 128, 96}, {300, 256, 768}, {9, 72, 72}, {33, 48, 56}, {1, 20, 10}};

TEST_F(Narrow, ProductsOfSmallIntegersAreExact) {
  for (const auto& [rows, in, out] : kShapes) {
    const auto x = integers(rows, in, 1), w = integers(out, in, 2);
    const auto actual = layer_products(fp8(), x, w, rows, in, out);
    const auto wanted = layer_products(plain(), x, w, rows, in, out);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      // What remains is the rounding of results to bf16.
      expect_near(actual[i], wanted[i], 1.0 / 256,
                  fmt::format("{} x {} x {}: {}", rows, in, out, i));
    }
  }
}

TEST_F(Narrow, ProductsOfAnyNumbersAreNear) {
  for (const auto& [rows, in, out] : kShapes) {
    const auto x = bf16_numbers(rows * in, 3), w = bf16_numbers(out * in, 4);
    const auto actual = layer_products(fp8(), x, w, rows, in, out);
    const auto wanted = layer_products(plain(), x, w, rows, in, out);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expect_near(actual[i], wanted[i], 8e-2, fmt::format("{} x {} x {}: {}", rows, in, out, i));
  }
}

TEST_F(Narrow, ARowOfAProductDoesNotDependOnTheNumberOfRows) {
  constexpr int kMost = 1100, kIn = 512;
  Bench gpu = fp8();
  const Matrix x = gpu.matrix(bf16_numbers(kMost * kIn, 5), kMost, kIn);
  for (const int out : {64, 1536, 4000}) {
    const auto weight =
        gpu.layer_linear(bf16_numbers(kIn * out, 6), out, kIn, bf16_numbers(out, 7));
    expect_rows_of_their_own(gpu, x, *weight, out);
  }
}

// Three bits after the leading one: off by at most a sixteenth of the number.
TEST_F(Narrow, NormsActivationsAndGathersWriteRowsForProducts) {
  for (const int cols : {48, 100, 4096, 22000}) {  // the last more than a block's registers hold
    constexpr int kRows = 9;
    const std::vector<int> rows = {8, 0, 3, 3};
    const auto run = [&](Bench on) {
      std::vector<std::vector<float>> results;
      const Matrix x = on.matrix(bf16_numbers(kRows * cols, 8), kRows, cols);
      const Matrix wide = on.matrix(bf16_numbers(kRows * 2 * cols, 9), kRows, 2 * cols);
      const Matrix out = on.backend->layer_input(on.backend->allocate(kRows, cols));
      on.backend->rms_norm(x, *on.gains(bf16_numbers(cols, 10)), 1e-6f, out);
      results.push_back(on.read(out));
      const Matrix some = on.backend->layer_input(on.backend->allocate(4, cols));
      on.backend->gather(out, rows, some);
      results.push_back(on.read(some));
      on.backend->gated_silu(wide, out);
      results.push_back(on.read(out));
      return results;
    };
    const auto actual = run(fp8()), wanted = run(plain());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expect_near(actual[i], wanted[i], 1.0 / 15, fmt::format("{} columns: {}", cols, i));
  }
}

TEST_F(Narrow, RowsOfZerosStayZero) {
  Bench gpu = fp8();
  const Matrix x = gpu.matrix(std::vector<float>(4 * 64), 4, 64), y = gpu.backend->allocate(4, 64);
  gpu.backend->project(x, *gpu.layer_linear(std::vector<float>(64 * 64), 64, 64), 0, y);
  EXPECT_EQ(gpu.read(y), std::vector<float>(4 * 64));
}

TEST_F(Narrow, WhatIsNotInsideALayerStaysExact) {
  Bench gpu = fp8();
  const auto values = bf16_numbers(64 * 64, 11);
  const Matrix x = gpu.matrix(values, 64, 64);
  EXPECT_EQ(gpu.read(x), values);
  EXPECT_EQ(gpu.read(gpu.logits(values, 64, 64)), values);
}

}  // namespace
}  // namespace umf
