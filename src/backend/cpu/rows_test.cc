#include <algorithm>

#include "backend/cpu/cpu_testing.h"
#include "backend/cpu/kernels.h"

namespace umf {
namespace {

double ulp(double x) { return std::ldexp(1.0, std::max(std::ilogb(x), -126) - 23); }

TEST(Exp, IsWithinTwoUlp) {
  std::vector<float> x;
  for (float v = -87.33f; v < 88.72f; v += 0.00371f) x.push_back(v);
  for (float v = -1e-3f; v < 1e-3f; v += 1.1e-6f) x.push_back(v);
  std::vector<float> y(x.size());
  for (const Kernels& kernels : cpu_kernels()) {
    kernels.exp(x.data(), x.size(), y.data());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp(static_cast<double>(x[i]));
      worst = std::max(worst, std::abs(y[i] - exact) / ulp(exact));
    }
    EXPECT_LT(worst, 2) << kernels.name;
  }
}

TEST(Exp, EndsCleanly) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x{-inf, -1e30f, -104, -88, 0, -0.0f, 89, 1e30f, inf};
  const std::vector<float> expected{0, 0, 0, 0, 1, 1, inf, inf, inf};
  std::vector<float> y(x.size());
  for (const Kernels& kernels : cpu_kernels()) {
    kernels.exp(x.data(), x.size(), y.data());
    EXPECT_TRUE(same_bits(y, expected)) << kernels.name;
  }
}

TEST(Log, IsWithinTwoUlp) {
  std::vector<float> x;
  for (float v = 1.2e-38f; v < 1e38f; v *= 1.00137f) x.push_back(v);
  for (int i = 0; i < 20000; ++i) x.push_back(1 + (i - 10000) * 1.19e-7f);
  std::vector<float> y(x.size());
  for (const Kernels& kernels : cpu_kernels()) {
    kernels.log(x.data(), x.size(), y.data());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::log(static_cast<double>(x[i]));
      worst = std::max(worst, std::abs(y[i] - exact) / ulp(exact));
    }
    EXPECT_LT(worst, 2) << kernels.name;
  }
}

TEST(ExpAndLog, GiveTheSameBitsOnEveryTarget) {
  std::vector<float> x;
  for (float v = -90; v < 90; v += 0.0037f) x.push_back(v);
  std::vector<float> expected(x.size()), y(x.size());
  cpu_kernels().back().exp(x.data(), x.size(), expected.data());
  for (const Kernels& kernels : cpu_kernels()) {
    kernels.exp(x.data(), x.size(), y.data());
    EXPECT_TRUE(same_bits(y, expected)) << kernels.name;
  }
  for (float& v : x) v = std::exp(v * 0.9f);
  cpu_kernels().back().log(x.data(), x.size(), expected.data());
  for (const Kernels& kernels : cpu_kernels()) {
    kernels.log(x.data(), x.size(), y.data());
    EXPECT_TRUE(same_bits(y, expected)) << kernels.name;
  }
}

constexpr int kWidths[] = {8, 24, 37, 56, 256, 320, 768};

TEST(RmsNorm, MatchesDoublePrecisionAndIsTheSameEverywhere) {
  for (const int width : kWidths) {
    const int rows = 90;
    const auto x = random_floats(rows * width, 1, 3);
    const RandomTensor gains(1, width, DType::kBF16, 2);
    std::vector<float> first;
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const Matrix m = upload(*backend, x, rows, width);
      backend->rms_norm(m, *backend->load_gains(gains.view()), 1e-5f, m);
      const auto result = download(*backend, m);
      if (first.empty()) first = result;
      EXPECT_TRUE(same_bits(result, first)) << target << " " << threads << ", width " << width;
    }
    for (int i = 0; i < rows; ++i) {
      double squares = 0;
      for (int j = 0; j < width; ++j) squares += std::pow(static_cast<double>(x[i * width + j]), 2);
      const double factor = 1 / std::sqrt(squares / width + 1e-5);
      for (int j = 0; j < width; ++j) {
        const double expected = x[i * width + j] * factor * gains.values[j];
        ASSERT_NEAR(first[i * width + j], expected, 1e-6 * std::abs(expected));
      }
    }
  }
}

TEST(NormHeads, NormalisesEveryHeadByItselfAndIsTheSameEverywhere) {
  for (const int dim : {8, 16, 24, 64, 128}) {
    const int rows = 50, heads = 5, width = heads * dim + 3;
    const auto x = random_floats(rows * width, 4, 3);
    const RandomTensor gains(1, dim, DType::kBF16, 5);
    std::vector<float> first;
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const Matrix m = upload(*backend, x, rows, width);
      backend->norm_heads(m.columns(0, heads * dim), *backend->load_gains(gains.view()), 1e-5f);
      const auto result = download(*backend, m);
      if (first.empty()) first = result;
      EXPECT_TRUE(same_bits(result, first)) << target << " " << threads << ", heads of " << dim;
    }
    for (int i = 0; i < rows; ++i) {
      const float* in = &x[i * width];
      const float* out = &first[i * width];
      for (int head = 0; head < heads * dim; head += dim) {
        double squares = 0;
        for (int j = 0; j < dim; ++j) squares += std::pow(static_cast<double>(in[head + j]), 2);
        const double factor = 1 / std::sqrt(squares / dim + 1e-5);
        for (int j = 0; j < dim; ++j) {
          const double expected = in[head + j] * factor * gains.values[j];
          ASSERT_NEAR(out[head + j], expected, 1e-6 * std::abs(expected));
        }
      }
      for (int j = heads * dim; j < width; ++j) ASSERT_EQ(out[j], in[j]) << "behind the heads";
    }
  }
}

TEST(Rotate, TurnsHalfSplitPairsOfTheFirstNumbersByTheAngleOfThePosition) {
  const std::pair<int, int> shapes[] = {{8, 8}, {16, 16}, {64, 64}, {128, 128}, {16, 8}, {128, 64}};
  for (const auto& [head_dim, rotated] : shapes) {
    const int rows = 40, heads = 3, width = heads * head_dim;
    const auto x = random_floats(rows * width, 3);
    std::vector<int> positions(rows);
    for (int i = 0; i < rows; ++i) positions[i] = (i * 37) % 500;
    std::vector<float> first;
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const Matrix m = upload(*backend, x, rows, width);
      backend->rotate(m, positions, *backend->make_rotation(500, {head_dim, 10000.0, rotated}));
      const auto result = download(*backend, m);
      if (first.empty()) first = result;
      EXPECT_TRUE(same_bits(result, first)) << target << " " << threads;
    }
    for (int i = 0; i < rows; ++i) {
      for (int h = 0; h < heads; ++h) {
        for (int j = rotated; j < head_dim; ++j) {
          const int at = i * width + h * head_dim + j;
          ASSERT_EQ(first[at], x[at]) << "behind what is rotated";
        }
        for (int j = 0; j < rotated / 2; ++j) {
          const float angle = static_cast<float>(positions[i]) *
                              static_cast<float>(std::pow(10000.0, -2.0 * j / rotated));
          const double c = std::cos(static_cast<double>(angle)),
                       s = std::sin(static_cast<double>(angle));
          const int at = i * width + h * head_dim + j;
          const double a = x[at], b = x[at + rotated / 2];
          ASSERT_NEAR(first[at], a * c - b * s, 1e-6);
          ASSERT_NEAR(first[at + rotated / 2], b * c + a * s, 1e-6);
        }
      }
    }
  }
}

TEST(GatedSilu, MatchesDoublePrecisionAndIsTheSameEverywhere) {
  for (const int width : kWidths) {
    const int rows = 70;
    auto x = random_floats(rows * 2 * width, 4, 6);
    x[0] = -200;  // e^200 overflows
    x[1] = 200;
    std::vector<float> first;
    for (const auto& [target, threads] : machines()) {
      const auto backend = make_cpu_backend(threads, target);
      const Matrix out = backend->allocate(rows, width);
      backend->gated_silu(upload(*backend, x, rows, 2 * width), out);
      const auto result = download(*backend, out);
      if (first.empty()) first = result;
      EXPECT_TRUE(same_bits(result, first)) << target << " " << threads;
    }
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < width; ++j) {
        const double gate = x[i * 2 * width + j], up = x[i * 2 * width + width + j];
        const double expected = gate / (1 + std::exp(-gate)) * up;
        ASSERT_NEAR(first[i * width + j], expected, 1e-6 * std::abs(expected) + 1e-30);
      }
    }
  }
}

TEST(Relu, KeepsThePositive) {
  for (const std::string& target : cpu_targets()) {
    const auto backend = make_cpu_backend(2, target);
    const Matrix m = upload(*backend, {-1, 2, -0.0f, 0, 5, -3}, 2, 3);
    backend->relu(m);
    EXPECT_TRUE(same_bits(download(*backend, m), {0, 2, 0, 0, 5, 0})) << target;
  }
}

TEST(Embed, WidensRowsOfEveryType) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    const int vocabulary = 50, width = 56;
    const RandomTensor table(vocabulary, width, type, 5);
    const HostTensor part = table.view();
    const std::vector<Token> tokens{49, 0, 7, 7, 3};
    std::vector<float> expected;
    for (const Token token : tokens) {
      expected.insert(expected.end(), table.values.begin() + token * width,
                      table.values.begin() + (token + 1) * width);
    }
    for (const std::string& target : cpu_targets()) {
      const auto backend = make_cpu_backend(2, target);
      const Matrix out = backend->allocate(5, width);
      backend->embed(*backend->load_linear({&part, 1}, {}), tokens, out);
      EXPECT_TRUE(same_bits(download(*backend, out), expected)) << target << " " << name_of(type);
    }
  }
}

TEST(Gather, TakesRowsInOrderAndRepeated) {
  const auto backend = make_cpu_backend(2, "");
  const Matrix x = upload(*backend, {0, 1, 10, 11, 20, 21}, 3, 2);
  const Matrix out = backend->allocate(4, 2);
  backend->gather(x, std::vector<int>{2, 0, 2, 1}, out);
  EXPECT_EQ(download(*backend, out), (std::vector<float>{20, 21, 0, 1, 20, 21, 10, 11}));
}

TEST(Scatter, PutsRowsWhereTheyBelongAndLeavesOthers) {
  const auto backend = make_cpu_backend(2, "");
  const Matrix x = upload(*backend, {20, 21, 0, 1, 20, 21}, 3, 2);
  const Matrix out = upload(*backend, std::vector<float>(16, 7), 4, 4);
  backend->scatter(x, std::vector<int>{3, 0, 3}, out.columns(1, 2));
  EXPECT_EQ(download(*backend, out),
            (std::vector<float>{7, 0, 1, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 20, 21, 7}));
}

TEST(Allocate, ReusesMemoryThatWasGivenBack) {
  const auto backend = make_cpu_backend(1, "");
  void* first = nullptr;
  {
    const Matrix m = backend->allocate(100, 256);
    first = m.memory.get();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
  }
  EXPECT_EQ(backend->allocate(100, 256).memory.get(), first);
}

TEST(Allocate, OutlivesTheBackend) {
  Matrix m;
  {
    const auto backend = make_cpu_backend(1, "");
    m = backend->allocate(4, 4);
  }
  static_cast<float*>(m.memory.get())[15] = 1;
}

}  // namespace
}  // namespace umf
