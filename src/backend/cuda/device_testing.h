// Helpers of the tests that need a GPU: seeded numbers that bf16 holds exactly, on the device and
// on the plain loops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "backend/cuda/cuda_backend.h"
#include "backend/reference/reference_backend.h"

namespace umf {

inline std::vector<float> bf16_numbers(std::size_t count, std::uint32_t seed, float scale = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) {
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(normal(engine)) & 0xFFFF0000u);
  }
  return values;
}

inline std::vector<int> iota(int count, int first = 0) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// A backend and the host memory of what it was given, which are the weights of one model.
class Bench {
 public:
  explicit Bench(std::unique_ptr<Backend> made, const ModelShape& shape = kLarge,
                 std::uint64_t experts_on_host = 0)
      : backend(std::move(made)), residence_(backend->begin_model(shape, experts_on_host)) {
    any_ = linear(std::vector<float>(8), 1, 8);
  }
  static constexpr ModelShape kLarge{.hidden = 4096, .mlp = 12288, .vocabulary = 126464};
  static constexpr ModelShape kSmall{.hidden = 256, .mlp = 704, .vocabulary = 733};

  std::shared_ptr<const Linear> linear(const std::vector<float>& values, int rows, int cols,
                                       const std::vector<float>& bias = {}) {
    return load(values, rows, cols, bias, &Backend::load_linear);
  }
  std::shared_ptr<const Linear> layer_linear(const std::vector<float>& values, int rows, int cols,
                                             const std::vector<float>& bias = {}) {
    return load(values, rows, cols, bias, &Backend::load_layer_linear);
  }
  std::shared_ptr<const Gains> gains(const std::vector<float>& values) {
    return backend->load_gains(host(values, 1, static_cast<int>(values.size())));
  }
  Matrix allocate(int rows, int cols) { return backend->allocate_for(*any_, rows, cols); }
  Matrix matrix(const std::vector<float>& values, int rows, int cols) {
    const Matrix m = allocate(rows, cols);
    backend->embed(*keep(linear(values, rows, cols)), iota(rows), m);
    return m;
  }
  // (rows, vocabulary) as f32: unit vectors times the transposed logits.
  Matrix logits(const std::vector<float>& values, int rows, int vocabulary) {
    std::vector<float> units(static_cast<std::size_t>(rows) * rows), turned(values.size());
    for (int i = 0; i < rows; ++i) units[i * rows + i] = 1;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < vocabulary; ++j) {
        turned[static_cast<std::size_t>(j) * rows + i] =
            values[static_cast<std::size_t>(i) * vocabulary + j];
      }
    }
    const Matrix m = backend->allocate_logits(rows, vocabulary);
    backend->project(matrix(units, rows, rows), *keep(linear(turned, vocabulary, rows)), 0, m);
    return m;
  }
  std::vector<float> read(const Matrix& m) {
    std::vector<float> values(static_cast<std::size_t>(m.rows) * m.cols);
    backend->read(m, values);
    return values;
  }

  std::unique_ptr<Backend> backend;

 private:
  using Load = std::shared_ptr<const Linear> (Backend::*)(std::span<const HostTensor>,
                                                          std::span<const HostTensor>);
  std::shared_ptr<const Linear> load(const std::vector<float>& values, int rows, int cols,
                                     const std::vector<float>& bias, Load how) {
    const HostTensor weight = host(values, rows, cols);
    if (bias.empty()) return (*backend.*how)({&weight, 1}, {});
    const HostTensor added = host(bias, 1, rows);
    return (*backend.*how)({&weight, 1}, {&added, 1});
  }
  HostTensor host(const std::vector<float>& values, int rows, int cols) {
    const auto& kept = kept_.emplace_back(values);
    return {reinterpret_cast<const std::byte*>(kept.data()), DType::kF32, rows, cols};
  }
  std::shared_ptr<const Linear> keep(std::shared_ptr<const Linear> linear) {
    return linears_.emplace_back(std::move(linear));
  }
  std::shared_ptr<Residence> residence_;
  std::shared_ptr<const Linear> any_;
  std::deque<std::vector<float>> kept_;
  std::deque<std::shared_ptr<const Linear>> linears_;
};

// Within a share of the largest number.
inline void expect_near(const std::vector<float>& actual, const std::vector<float>& wanted,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), wanted.size());
  double largest = 1e-30, worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max<double>(largest, std::abs(wanted[i]));
    const double difference = std::abs(double{actual[i]} - wanted[i]);
    ASSERT_FALSE(std::isnan(difference)) << what << ": number " << i << " is " << actual[i];
    if (difference > worst) worst = difference, where = i;
  }
  EXPECT_LE(worst, tolerance * largest)
      << what << ": number " << where << " is " << actual[where] << ", expected " << wanted[where];
}

// Plain, biased, of some outputs alone, and added to `before`.
inline std::vector<std::vector<float>> products(Bench& on, const Matrix& input, const Linear& plain,
                                                const Linear& biased, int outputs,
                                                const std::vector<float>& before) {
  std::vector<std::vector<float>> results;
  const Matrix y = on.allocate(input.rows, outputs);
  on.backend->project(input, plain, 0, y);
  results.push_back(on.read(y));
  on.backend->project(input, biased, 0, y);
  results.push_back(on.read(y));
  const int first = outputs / 2 / 16 * 16;
  on.backend->project(input, biased, first, y.columns(first, outputs - first));
  results.push_back(on.read(y.columns(first, outputs - first)));
  const Matrix sum = on.matrix(before, input.rows, outputs);
  on.backend->project_add(input, plain, sum);
  results.push_back(on.read(sum));
  return results;
}

// The heart of determinism: alone, among few or among many, a row of a product comes out the same.
inline void expect_rows_of_their_own(Bench& on, const Matrix& x, const Linear& weight,
                                     int outputs) {
  const Matrix all = on.allocate(x.rows, outputs);
  on.backend->project(x, weight, 0, all);
  const auto wanted = on.read(all);
  for (const int rows : {1, 3, 16, 17, 33, 100, 128, 129, 255, 500, 777, 1024}) {
    const int first = x.rows - rows;
    const Matrix some = on.allocate(rows, outputs);
    on.backend->project(x.row_range(first, rows), weight, 0, some);
    const auto actual = on.read(some);
    EXPECT_TRUE(std::equal(actual.begin(), actual.end(),
                           wanted.begin() + static_cast<std::ptrdiff_t>(first) * outputs))
        << rows << " rows, " << x.cols << " inputs, " << outputs << " outputs";
  }
}

// Both precisions, and the numbers that the first has for small models; a machine without a GPU
// skips.
class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string objection = cuda_objection(); !objection.empty()) {
      GTEST_SKIP() << "no GPU to test on: " << objection;
    }
  }
  Bench make(std::uint64_t experts_on_host = 0) const {
    return Bench(f32() ? make_cuda_f32_backend() : make_cuda_backend(),
                 small() ? Bench::kSmall : Bench::kLarge, experts_on_host);
  }
  bool f32() const { return std::string(GetParam()) == "cuda-f32"; }
  bool small() const { return std::string(GetParam()) == "cuda, small"; }
  bool rounds() const { return !f32() && !small(); }  // activations to bf16
  // What rounding of the result or of the tensor cores' input costs, and a little for the order of
  // sums.
  double tolerance() const { return f32() ? 2e-5 : small() ? 5e-5 : 6e-3; }

  void expect_near(const std::vector<float>& actual, const std::vector<float>& wanted,
                   const std::string& what) const {
    umf::expect_near(actual, wanted, tolerance(), what);
  }
};

#define UMF_ON_DEVICE(Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Precisions, Suite, testing::Values("cuda", "cuda, small", "cuda-f32"),   \
      [](const auto& info) {                                                   \
        const std::string name = info.param;                                   \
        return name == "cuda" ? "bf16" : name == "cuda-f32" ? "f32" : "small"; \
      })

}  // namespace umf
