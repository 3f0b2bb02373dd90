#include "backend/cpu/cpu_testing.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

struct Shape {
  int n, k;
};

// Whole blocks of every length that a type can have, past the depth of a panel and a chunk too.
std::vector<Shape> shapes_of(DType type) {
  if (block_elements(type) == 256) return {{37, 256}, {64, 768}, {5, 512}, {33, 1280}};
  return {{37, 32}, {64, 96}, {5, 512}, {33, 1056}, {48, 288}};
}

// The bits that the numbers of the blocks, given as f32, give on the same backend: the contract.
template <class Make>
void expect_the_bits_of_plain_numbers(const Make& make, const std::vector<std::string>& targets) {
  for (const DType type : kQuantisedTypes) {
    for (const auto& [n, k] : shapes_of(type)) {
      const RandomBlocks blocks(type, n, k, 1);
      const HostTensor stored = blocks.view(), plain = blocks.plain();
      const auto bias = random_floats(n, 3);
      const HostTensor bias_view = view_of(bias, 1, n);
      for (const int m : {1, 2, 3, 4, 5, 7, 8, 9, 12, 29}) {
        const auto a = random_floats(m * k, 4), old = random_floats(m * n, 5);
        for (const std::string& target : targets) {
          const auto backend = make(m % 3 + 1, target);
          const Matrix x = upload(*backend, a, m, k);
          std::vector<float> results[2];
          for (const HostTensor* part : {&stored, &plain}) {
            const auto linear = backend->load_linear({part, 1}, {});
            const auto biased = backend->load_linear({part, 1}, {&bias_view, 1});
            const Matrix sum = upload(*backend, old, m, n), out = backend->allocate(m, n);
            backend->project_add(x, *linear, sum);
            backend->project(x, *biased, 0, out);
            auto& result = results[part == &plain];
            result = download(*backend, sum);
            const auto second = download(*backend, out);
            result.insert(result.end(), second.begin(), second.end());
          }
          EXPECT_TRUE(same_bits(results[0], results[1]))
              << target << " " << name_of(type) << " " << m << " x " << n << " x " << k;
        }
      }
    }
  }
}

TEST(Quantised, ProductsHaveTheBitsOfPlainNumbers) {
  expect_the_bits_of_plain_numbers(make_cpu_backend, cpu_targets());
}

TEST(Quantised, RoundedProductsHaveTheBitsOfPlainNumbers) {
  expect_the_bits_of_plain_numbers(make_cpu_bf16_backend, cpu_bf16_targets());
}

TEST(Quantised, EveryTargetAndThreadCountGivesTheOneChain) {
  const int m = 29, n = 37, k = 512;
  const auto a = random_floats(m * k, 1);
  for (const DType type : kQuantisedTypes) {
    const RandomBlocks blocks(type, n, k, 2);
    const HostTensor part = blocks.view();
    const auto expected = chain(a, blocks.numbers(), {}, m, n, k);
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const Matrix out = backend->allocate(m, n);
      backend->project(upload(*backend, a, m, k), *backend->load_linear({&part, 1}, {}), 0, out);
      EXPECT_TRUE(same_bits(download(*backend, out), expected))
          << target << " " << threads << " " << name_of(type);
    }
  }
}

TEST(Quantised, ARowIsTheSameForEveryNumberOfRows) {
  const int n = 70, k = 768, most = 30;
  const auto a = random_floats(most * k, 4);
  for (const DType type : {DType::kQ8_0, DType::kQ4_K, DType::kQ6_K}) {
    const RandomBlocks blocks(type, n, k, 5);
    const HostTensor part = blocks.view();
    const auto expected = chain(a, blocks.numbers(), {}, most, n, k);
    for (const std::string& target : cpu_targets()) {
      const auto backend = make_cpu_backend(2, target);
      const auto weight = backend->load_linear({&part, 1}, {});
      const Matrix x = upload(*backend, a, most, k);
      for (int m = 1; m <= most; ++m) {
        const Matrix out = backend->allocate(m, n);
        backend->project(x.row_range(most - m, m), *weight, 0, out);
        const std::vector<float> last(expected.end() - static_cast<std::ptrdiff_t>(m) * n,
                                      expected.end());
        EXPECT_TRUE(same_bits(download(*backend, out), last)) << target << " " << m;
      }
    }
  }
}

// As files mix them: queries and keys in one type, values in another.
TEST(Quantised, PartsOfSeveralTypesStandInOneWeight) {
  const int k = 512;
  const RandomBlocks q(DType::kQ4_K, 40, k, 6), v(DType::kQ6_K, 37, k, 7);
  const RandomTensor key(24, k, DType::kF16, 8);
  const std::vector<HostTensor> parts{key.view(), q.view(), v.view()};
  auto numbers = key.values;
  for (const auto* more : {&q.numbers(), &v.numbers()})
    numbers.insert(numbers.end(), more->begin(), more->end());
  const int n = 24 + 40 + 37;
  for (const int m : {3, 14}) {
    const auto a = random_floats(m * k, 12);
    const auto expected = chain(a, numbers, {}, m, n, k);
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const auto weight = backend->load_linear(parts, {});
      const Matrix x = upload(*backend, a, m, k), whole = backend->allocate(m, n);
      backend->project(x, *weight, 0, whole);
      EXPECT_TRUE(same_bits(download(*backend, whole), expected)) << target << " " << threads;
      for (const auto& [first, count] : {std::pair{24, 40}, {20, 50}, {64, 37}, {100, 1}}) {
        const Matrix out = backend->allocate(m, count);
        backend->project(x, *weight, first, out);
        EXPECT_TRUE(
            same_bits(download(*backend, out), download(*backend, whole.columns(first, count))))
            << target << " " << first << " + " << count;
      }
    }
  }
}

TEST(Quantised, EmbeddingsAreTheNumbersOfTheirRows) {
  const std::vector<Token> tokens{30, 0, 7, 7};
  for (const DType type : kQuantisedTypes) {
    const RandomBlocks blocks(type, 31, 768, 9);
    const HostTensor part = blocks.view();
    std::vector<float> expected;
    for (const Token token : tokens) {
      const auto row = blocks.numbers().begin() + token * 768;
      expected.insert(expected.end(), row, row + 768);
    }
    for (const std::string& target : cpu_targets()) {
      const auto backend = make_cpu_backend(2, target);
      const Matrix out = backend->allocate(4, 768);
      backend->embed(*backend->load_linear({&part, 1}, {}), tokens, out);
      EXPECT_TRUE(same_bits(download(*backend, out), expected)) << target << " " << name_of(type);
    }
  }
}

}  // namespace
}  // namespace umf
