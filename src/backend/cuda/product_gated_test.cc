// The kernel for gate and up projections with their activation, whether or not a model would take
// it: against plain loops, and the same bits for any number of rows.
#include "backend/cuda/product_gated.h"

#include <fmt/core.h>

#include <cstring>

#include "backend/cuda/check.h"
#include "backend/cuda/device_testing.h"
#include "backend/cuda/memory.h"

namespace umf {
namespace {

using Words = std::vector<std::uint16_t>;

Words bf16_words(const std::vector<float>& numbers) {
  Words words;
  for (const float x : numbers)
    words.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16));
  return words;
}

DeviceArray on_device(const Words& words) {
  DeviceArray array(words.size() * 2);
  check(cudaMemcpy(array.data(), words.data(), words.size() * 2, cudaMemcpyHostToDevice),
        "copying");
  return array;
}

// The activated numbers stand where gates would stand, as in a model.
struct Case {
  int rows, in, columns;
  std::vector<float> x, w;
  DeviceArray input, weight, output;

  Case(int rows, int in, int columns)
      : rows(rows),
        in(in),
        columns(columns),
        x(bf16_numbers(static_cast<std::size_t>(rows) * in, 1)),
        w(bf16_numbers(static_cast<std::size_t>(2) * columns * in, 2, 0.05f)),
        input(on_device(bf16_words(x))),
        weight(on_device(bf16_words(w))),
        output(static_cast<std::size_t>(rows) * 2 * columns * 2) {}

  Operation operation() const {
    Operation op{.kind = OperationKind::kGatedProduct};
    op.in = {input.data(), DType::kBF16, rows, in, in};
    op.out = {output.data(), DType::kBF16, rows, columns, 2 * columns};
    op.room = {output.data(), DType::kBF16, rows, 2 * columns, 2 * columns};
    op.weight = weight.data();
    op.weight_type = DType::kBF16;
    return op;
  }
  // The whole room: what the kernel does not write keeps its poison.
  static constexpr std::uint16_t kPoison = 0xA5A5;
  Words run(const Operation& op) const {
    Words all(output.bytes() / 2, kPoison);
    check(cudaMemcpy(output.data(), all.data(), output.bytes(), cudaMemcpyHostToDevice), "copying");
    launch_gated_kernel(op, nullptr);
    check(cudaMemcpy(all.data(), output.data(), output.bytes(), cudaMemcpyDeviceToHost), "copying");
    return all;
  }
  float wanted(int row, int column) const {
    double gate = 0, up = 0;
    for (int k = 0; k < in; ++k) {
      gate += double{x[row * in + k]} * w[column * in + k];
      up += double{x[row * in + k]} * w[(column + columns) * in + k];
    }
    return static_cast<float>(gate / (1 + std::exp(-gate)) * up);
  }
};

class GatedKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string objection = cuda_objection(); !objection.empty())
      GTEST_SKIP() << "no GPU to test on: " << objection;
    if (!has_gated_kernel(Case(1, 1024, 64).operation()))
      GTEST_SKIP() << "this GPU has no such kernel";
  }
};

TEST_F(GatedKernel, AgreesWithPlainLoopsAndWritesNothingElse) {
  for (const auto& [rows, in, columns] :
       {std::array{1, 1024, 64}, {128, 1032, 128}, {257, 1536, 200}, {40, 4096, 136}}) {
    const Case product(rows, in, columns);
    const std::string what = fmt::format("{} x {} -> {}", rows, in, columns);
    const Words first = product.run(product.operation());
    std::vector<float> actual, wanted;
    for (int row = 0; row < rows; ++row) {
      const std::uint16_t* at = &first[static_cast<std::size_t>(row) * 2 * columns];
      for (int column = 0; column < columns; ++column) {
        actual.push_back(std::bit_cast<float>(std::uint32_t{at[column]} << 16));
        wanted.push_back(product.wanted(row, column));
      }
      for (int column = columns; column < 2 * columns; ++column)
        ASSERT_EQ(at[column], Case::kPoison) << what << ": row " << row << ", column " << column;
    }
    expect_near(actual, wanted, 1e-2, what);
    EXPECT_EQ(product.run(product.operation()), first) << what;
  }
}

TEST_F(GatedKernel, ARowIsTheSameWhateverTheOthers) {
  constexpr int kIn = 1024, kColumns = 640;
  const Case product(1100, kIn, kColumns);
  const Words all = product.run(product.operation());
  for (const int rows : {1, 64, 127, 129, 500, 768}) {
    const int first = 1100 - rows;
    Operation op = product.operation();
    const auto behind = [&](View& view) {
      view.data = static_cast<std::byte*>(view.data) + std::size_t{2} * first * view.stride;
      view.rows = rows;
    };
    behind(op.in), behind(op.out), behind(op.room);
    const Words some = product.run(op);
    EXPECT_TRUE(std::equal(some.begin() + std::ptrdiff_t{first} * 2 * kColumns, some.end(),
                           all.begin() + std::ptrdiff_t{first} * 2 * kColumns))
        << rows << " rows";
  }
}

TEST_F(GatedKernel, IsForRowsOfWholeWordsAlone) {
  const Case product(8, 1032, 64);
  Operation op = product.operation();
  op.in.cols = 1028;
  EXPECT_FALSE(has_gated_kernel(op));
  op.in.cols = 64;  // too few steps to activate a tile in
  EXPECT_FALSE(has_gated_kernel(op));
  op = product.operation();
  op.weight = static_cast<const std::byte*>(op.weight) + 2;
  EXPECT_FALSE(has_gated_kernel(op));
  op = product.operation();
  op.out.type = DType::kF8;
  EXPECT_FALSE(has_gated_kernel(op));
  op = product.operation();
  op.weight_type = DType::kQ8_0;
  EXPECT_FALSE(has_gated_kernel(op));
}

}  // namespace
}  // namespace umf
