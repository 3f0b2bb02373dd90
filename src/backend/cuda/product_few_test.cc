// Every kernel for products of few rows, whether or not a product would choose it: against plain
// loops, and all of them the same bits.
#include "backend/cuda/product_few.h"

#include <fmt/core.h>

#include "backend/cuda/check.h"
#include "backend/cuda/device_testing.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/memory.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

std::vector<std::uint16_t> bf16_bits(const std::vector<float>& numbers) {
  std::vector<std::uint16_t> bits;
  for (const float x : numbers)
    bits.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16));
  return bits;
}

template <class T>
DeviceArray on_device(const std::vector<T>& values, std::size_t room = 0) {
  DeviceArray array(values.size() * sizeof(T) + room);
  check(cudaMemcpy(array.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "copying");
  return array;
}

// A product whose weights are numbers and the blocks or words that hold them.
class Case {
 public:
  Case(DType type, int rows, int in, int out)
      : rows_(rows), out_(out), x_(bf16_numbers(static_cast<std::size_t>(rows) * in, 1)) {
    std::vector<std::byte> stored(out * row_bytes(type, in));
    std::vector<float> numbers;
    if (type == DType::kBF16) {
      numbers = bf16_numbers(static_cast<std::size_t>(out) * in, 2);
      std::memcpy(stored.data(), bf16_bits(numbers).data(), stored.size());
    } else {
      const RandomBlocks blocks(type, out, in, 2);
      numbers = blocks.numbers();
      std::memcpy(stored.data(), blocks.view().data, stored.size());
    }
    bias_ = bf16_numbers(out, 3);
    before_ = bf16_numbers(static_cast<std::size_t>(rows) * out, 4);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < out; ++j) {
        double sum = bias_[j] + double{before_[i * out + j]};
        for (int k = 0; k < in; ++k) sum += double{x_[i * in + k]} * numbers[j * in + k];
        wanted_.push_back(static_cast<float>(sum));
      }
    }
    weight_ = on_device(stored, 256);
    input_ = on_device(bf16_bits(x_));
    added_ = on_device(bias_);
    output_ = on_device(before_);
    op_.kind = OperationKind::kProduct;
    op_.in = {input_.data(), DType::kBF16, rows, in, in};
    op_.out = {output_.data(), DType::kF32, rows, out, out};
    op_.weight = weight_.data();
    op_.weight_type = type;
    op_.bias = added_.data();
    op_.add = true;
  }
  const Operation& operation() const { return op_; }
  const std::vector<float>& wanted() const { return wanted_; }

  std::vector<float> run(int kernel) const {
    std::vector<float> result(before_);
    const std::size_t bytes = result.size() * sizeof(float);
    check(cudaMemcpy(output_.data(), before_.data(), bytes, cudaMemcpyHostToDevice), "copying");
    launch_few_rows_product(op_, kernel, nullptr);
    check(cudaMemcpy(result.data(), output_.data(), bytes, cudaMemcpyDeviceToHost), "copying");
    return result;
  }

 private:
  int rows_, out_;
  std::vector<float> x_, bias_, before_, wanted_;
  DeviceArray weight_, input_, added_, output_;
  Operation op_;
};

TEST(FewRowsProduct, AgreesWithPlainLoopsInEveryShape) {
  if (const std::string objection = cuda_objection(); !objection.empty()) {
    GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  int kernels = 0;
  for (const DType type : {DType::kBF16, DType::kQ8_0, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K}) {
    for (const int rows : {1, 16, 33, 64, 70, 128}) {
      for (const auto& [in, out] : {std::pair{2048, 301}, {4096, 64}}) {
        const Case product(type, rows, in, out);
        std::vector<float> first;
        for (const int kernel : few_rows_kernels(product.operation(), rows)) {
          const std::string what =
              fmt::format("{} {} x {} -> {}, kernel {}", name_of(type), rows, in, out, kernel);
          const std::vector<float> actual = product.run(kernel);
          // Blocks are rounded to bf16 where they are multiplied.
          expect_near(actual, product.wanted(), 1e-2, what);
          if (first.empty()) first = actual;
          EXPECT_EQ(actual, first) << what;
          ++kernels;
        }
      }
    }
  }
  if (kernels == 0) GTEST_SKIP() << "this GPU has no such kernels";
}

TEST(FewRowsProduct, IsForRowsOfWholeWordsAlone) {
  if (const std::string objection = cuda_objection(); !objection.empty()) {
    GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  const Case product(DType::kQ8_0, 16, 512, 64);
  Operation op = product.operation();
  if (few_rows_kernels(op, 16).empty()) GTEST_SKIP() << "this GPU has no such kernels";
  EXPECT_TRUE(few_rows_kernels(op, 1024).empty());
  op.weight = static_cast<const std::byte*>(op.weight) + 2;
  EXPECT_TRUE(few_rows_kernels(op, 16).empty());
  op = product.operation();
  op.in.type = DType::kF32;
  EXPECT_TRUE(few_rows_kernels(op, 16).empty());
  // 14 blocks of Q6_K are no multiple of 16 bytes.
  op = product.operation();
  op.weight_type = DType::kQ6_K;
  op.in.cols = op.in.stride = 14 * 256;
  EXPECT_TRUE(few_rows_kernels(op, 16).empty());
}

}  // namespace
}  // namespace umf
