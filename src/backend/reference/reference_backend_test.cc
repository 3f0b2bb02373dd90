#include "backend/reference/reference_backend.h"

#include <gtest/gtest.h>

#include <vector>

#include "backend/blocks.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

std::vector<float> read(Backend& backend, const Matrix& matrix) {
  std::vector<float> numbers(static_cast<std::size_t>(matrix.rows) * matrix.cols);
  backend.read(matrix, numbers);
  return numbers;
}

// Quantised weights give what their numbers would give.
TEST(ReferenceBackend, TakesBlocksForTheNumbersThatTheyAre) {
  constexpr int kInputs = 512, kOutputs = 9, kRows = 5;
  const auto backend = make_reference_backend();
  const std::vector<Token> tokens{8, 0, 3, 3, 1};
  for (const DType type : kQuantisedTypes) {
    const RandomBlocks blocks(type, kOutputs, kInputs, 1);
    const HostTensor stored = blocks.view(), plain = blocks.plain();
    const auto a = backend->load_linear(std::vector{stored, plain}, {});
    const auto b = backend->load_linear(std::vector{plain, plain}, {});
    const Matrix x = backend->allocate(kRows, kInputs), y = backend->allocate(kRows, kInputs);
    backend->embed(*a, tokens, x);
    backend->embed(*b, tokens, y);
    EXPECT_EQ(read(*backend, x), read(*backend, y)) << name_of(type);
    const Matrix from_a = backend->allocate(kRows, 12), from_b = backend->allocate(kRows, 12);
    backend->project(x, *a, 3, from_a);
    backend->project(x, *b, 3, from_b);
    EXPECT_EQ(read(*backend, from_a), read(*backend, from_b)) << name_of(type);
  }
}

}  // namespace
}  // namespace umf
