#include <algorithm>

#include "backend/cpu/cpu_testing.h"

namespace umf {
namespace {

struct Shape {
  int n, k;
};

std::vector<float> first_rows(const std::vector<float>& values, int rows, int cols) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows) * cols};
}

TEST(Matmul, EveryTargetThreadCountAndTypeGivesTheOneChain) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const auto& [n, k] : {Shape{37, 56}, Shape{320, 112}, Shape{64, 152}, Shape{1, 8},
                               Shape{48, 1}, Shape{33, 1061}, Shape{16, 2048}}) {
      const int m = 29;
      const auto a = random_floats(m * k, 1);
      const RandomTensor w(n, k, type, 2);
      const auto bias = random_floats(n, 3);
      const auto expected = chain(a, w.values, bias, m, n, k);
      for (const auto& [target, threads] : machines()) {
        const auto backend = make_cpu_backend(threads, target);
        const HostTensor part = w.view(), part_bias = view_of(bias, 1, n);
        const auto weight = backend->load_linear({&part, 1}, {&part_bias, 1});
        const Matrix out = backend->allocate(m, n);
        backend->project(upload(*backend, a, m, k), *weight, 0, out);
        EXPECT_TRUE(same_bits(download(*backend, out), expected))
            << target << " " << threads << " threads, " << name_of(type) << " " << n << " x " << k;
      }
    }
  }
}

TEST(Matmul, AFewRowsGiveTheOneChainToo) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const auto& [n, k] : {Shape{37, 56}, Shape{64, 1500}, Shape{5, 9}, Shape{40, 32}}) {
      const RandomTensor w(n, k, type, 20);
      const HostTensor part = w.view();
      const auto bias = random_floats(n, 21);
      const HostTensor part_bias = view_of(bias, 1, n);
      for (int m = 1; m <= 13; ++m) {
        const auto a = random_floats(m * k, 22), old = random_floats(m * n, 23);
        const auto expected = chain(a, w.values, bias, m, n, k);
        auto added = chain(a, w.values, {}, m, n, k);
        for (std::size_t i = 0; i < added.size(); ++i) added[i] = old[i] + added[i];
        for (const std::string& target : cpu_targets()) {
          const auto backend = make_cpu_backend(2, target);
          const Matrix x = upload(*backend, a, m, k), out = upload(*backend, old, m, n);
          backend->project_add(x, *backend->load_linear({&part, 1}, {}), out);
          EXPECT_TRUE(same_bits(download(*backend, out), added)) << target << " " << m;
          backend->project(x, *backend->load_linear({&part, 1}, {&part_bias, 1}), 0, out);
          EXPECT_TRUE(same_bits(download(*backend, out), expected)) << target << " " << m;
        }
      }
    }
  }
}

TEST(Matmul, ARowIsTheSameForEveryNumberOfRowsAndPosition) {
  const int n = 96, k = 152, most = 70;
  const auto a = random_floats(most * k, 4);
  const RandomTensor w(n, k, DType::kBF16, 5);
  const HostTensor part = w.view();
  for (const std::string& target : cpu_targets()) {
    const auto backend = make_cpu_backend(3, target);
    const auto weight = backend->load_linear({&part, 1}, {});
    const Matrix x = upload(*backend, a, most, k);
    const Matrix full = backend->allocate(most, n);
    backend->project(x, *weight, 0, full);
    const auto expected = download(*backend, full);
    EXPECT_TRUE(same_bits(expected, chain(a, w.values, {}, most, n, k)));
    for (int m = 1; m < most; ++m) {
      const Matrix out = backend->allocate(m, n);
      backend->project(x.row_range(0, m), *weight, 0, out);
      EXPECT_TRUE(same_bits(download(*backend, out), first_rows(expected, m, n))) << target << m;
      backend->project(x.row_range(most - m, m), *weight, 0, out);
      const std::vector<float> last(expected.end() - static_cast<std::ptrdiff_t>(m) * n,
                                    expected.end());
      EXPECT_TRUE(same_bits(download(*backend, out), last)) << target << m;
    }
  }
}

TEST(Matmul, AnyColumnRangeOfStackedPartsIsThatRangeOfTheWhole) {
  const int k = 56, m = 14;
  const RandomTensor q(40, k, DType::kBF16, 6), key(24, k, DType::kF16, 7),
      v(37, k, DType::kF32, 8);
  const std::vector<HostTensor> parts{q.view(), key.view(), v.view()};
  const int n = 40 + 24 + 37;
  const auto bias_q = random_floats(40, 9), bias_k = random_floats(24, 10),
             bias_v = random_floats(37, 11);
  const std::vector<HostTensor> biases{view_of(bias_q, 1, 40), view_of(bias_k, 1, 24),
                                       view_of(bias_v, 1, 37)};
  const auto a = random_floats(m * k, 12);
  for (const auto& [target, threads] : machines()) {
    const auto backend = make_cpu_backend(threads, target);
    const auto weight = backend->load_linear(parts, biases);
    EXPECT_EQ(weight->outputs, n);
    const Matrix x = upload(*backend, a, m, k);
    const Matrix whole = backend->allocate(m, n);
    backend->project(x, *weight, 0, whole);
    const auto expected = download(*backend, whole);
    for (const auto& [first, count] : {std::pair{0, 40},
                                       {40, 24},
                                       {64, 37},
                                       {0, 64},
                                       {40, 61},
                                       {3, 50},
                                       {39, 2},
                                       {100, 1},
                                       {0, n}}) {
      const Matrix out = backend->allocate(m, count);
      backend->project(x, *weight, first, out);
      EXPECT_TRUE(
          same_bits(download(*backend, out), download(*backend, whole.columns(first, count))))
          << target << " " << first << " + " << count;
      // Into a view of a wider matrix, whose other columns stay.
      const Matrix wide = upload(*backend, std::vector<float>(m * (n + 9), 7.0f), m, n + 9);
      backend->project(x, *weight, first, wide.columns(5, count));
      EXPECT_TRUE(same_bits(download(*backend, wide.columns(5, count)),
                            download(*backend, whole.columns(first, count))));
      EXPECT_TRUE(
          same_bits(download(*backend, wide.columns(0, 5)), std::vector<float>(m * 5, 7.0f)));
      EXPECT_TRUE(same_bits(download(*backend, wide.columns(5 + count, n + 4 - count)),
                            std::vector<float>(m * (n + 4 - count), 7.0f)));
    }
  }
}

TEST(Matmul, AddPutsTheChainOnTopOfTheOldValue) {
  for (const auto& [n, k] : {Shape{37, 56}, Shape{64, 1500}}) {
    const int m = 30;
    const auto a = random_floats(m * k, 13), old = random_floats(m * n, 14);
    const RandomTensor w(n, k, DType::kF32, 15);
    const HostTensor part = w.view();
    auto expected = chain(a, w.values, {}, m, n, k);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = old[i] + expected[i];
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const auto weight = backend->load_linear({&part, 1}, {});
      const Matrix out = upload(*backend, old, m, n);
      backend->project_add(upload(*backend, a, m, k), *weight, out);
      EXPECT_TRUE(same_bits(download(*backend, out), expected)) << target << " " << threads;
    }
  }
}

TEST(Matmul, ReadsInputRowsWithAnyStride) {
  const int m = 26, k = 56, n = 48;
  const auto a = random_floats(m * (k + 30), 16);
  const RandomTensor w(n, k, DType::kF32, 17);
  const HostTensor part = w.view();
  for (const std::string& target : cpu_targets()) {
    const auto backend = make_cpu_backend(2, target);
    const auto weight = backend->load_linear({&part, 1}, {});
    const Matrix x = upload(*backend, a, m, k + 30).columns(11, k);
    const Matrix out = backend->allocate(m, n);
    backend->project(x, *weight, 0, out);
    EXPECT_TRUE(
        same_bits(download(*backend, out), chain(download(*backend, x), w.values, {}, m, n, k)));
  }
}

TEST(Matmul, IsCloseToDoublePrecision) {
  const int m = 20, n = 64, k = 1024;
  const auto a = random_floats(m * k, 18);
  const RandomTensor w(n, k, DType::kF32, 19);
  const HostTensor part = w.view();
  const auto backend = make_cpu_backend(2, "");
  const Matrix out = backend->allocate(m, n);
  backend->project(upload(*backend, a, m, k), *backend->load_linear({&part, 1}, {}), 0, out);
  const auto result = download(*backend, out);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int x = 0; x < k; ++x) {
        const double product = static_cast<double>(a[i * k + x]) * w.values[j * k + x];
        sum += product;
        size += std::abs(product);
      }
      EXPECT_NEAR(result[i * n + j], sum, 1e-6 * size);
    }
  }
}

TEST(CpuBackend, UnknownTargetIsAnErrorThatNamesTheOthers) {
  try {
    make_cpu_backend(1, "sse2");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("scalar"), std::string::npos);
  }
}

}  // namespace
}  // namespace umf
