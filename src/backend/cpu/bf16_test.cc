// cpu-bf16: the chains of cpu over rounded numbers, with the machine's dot products and without.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "backend/cpu/cpu_testing.h"

namespace umf {
namespace {

// To nearest even, by the definition: of the two bf16 numbers around x, the nearer one.
float rounded(float x) {
  if (std::isnan(x)) return x;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), low = bits & 0xFFFF0000u;
  const std::uint32_t past = bits - low;
  const bool up = past > 0x8000u || (past == 0x8000u && (low & 0x10000u) != 0);
  const float y = std::bit_cast<float>(up ? low + 0x10000u : low);
  return std::abs(y) < 0x1p-56f ? 0 : y;
}

std::vector<float> rounded(std::vector<float> values) {
  for (float& value : values) value = rounded(value);
  return values;
}

// Bits, but every NaN is as good as another.
bool same_numbers(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return (std::isnan(x) && std::isnan(y)) ||
           std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

std::vector<float> plus(std::vector<float> a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + a[i];
  return a;
}

struct Shape {
  int n, k;
};

// Rows of every number that tiles and few rows are made of; depths that are odd, shorter than a
// vector and longer than a block.
TEST(CpuBf16, EveryTargetAndThreadCountGivesTheOneChainOfRoundedNumbers) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const auto& [n, k] : {Shape{37, 56}, Shape{320, 112}, Shape{64, 153}, Shape{1, 8},
                               Shape{48, 1}, Shape{33, 1061}, Shape{40, 2048}, Shape{5, 33}}) {
      const RandomTensor w(n, k, type, 2);
      const auto weights = rounded(w.values), bias = random_floats(n, 3);
      const HostTensor part = w.view(), part_bias = view_of(bias, 1, n);
      for (const int m : {29, 13, 12, 8, 5, 1}) {
        const auto a = random_floats(m * k, m);
        const auto old = random_floats(m * n, 4);
        const auto expected = chain(rounded(a), weights, bias, m, n, k);
        const auto added = plus(chain(rounded(a), weights, {}, m, n, k), old);
        for (const auto& [target, threads] : machines(cpu_bf16_targets())) {
          const auto backend = make_cpu_bf16_backend(threads, target);
          const Matrix x = upload(*backend, a, m, k), out = upload(*backend, old, m, n);
          backend->project_add(x, *backend->load_linear({&part, 1}, {}), out);
          EXPECT_TRUE(same_bits(download(*backend, out), added))
              << target << " " << threads << " " << name_of(type) << " " << m << " " << n << " "
              << k;
          backend->project(x, *backend->load_linear({&part, 1}, {&part_bias, 1}), 0, out);
          EXPECT_TRUE(same_bits(download(*backend, out), expected))
              << target << " " << threads << " " << name_of(type) << " " << m << " " << n << " "
              << k;
        }
      }
    }
  }
}

// Numbers of every size, with their borders: subnormal ones, those around the smallest that counts,
// ties, the largest, infinities, NaN, both zeros.
std::vector<float> special_floats(std::size_t count, std::uint32_t seed, int unusual) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float borders[] = {0.0f,       -0.0f,        0x1p-149f,       -0x1p-127f,   0x1p-126f,
                           0x1p-56f,   -0x1.ffp-57f, 0x1.fep-57f,     0x1.fdp-57f,  0x1.01p0f,
                           -0x1.03p0f, 0x1.fep127f,  0x1.fffffep127f, -0x1.ffp127f, kInfinity,
                           -kInfinity, std::nanf("")};
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    const std::uint32_t word = engine();
    const std::uint32_t exponent = 40 + engine() % 100;  // products from far below 2^-126 on
    value = std::bit_cast<float>((word & 0x807FFFFFu) | exponent << 23);
    if (unusual > 0 && engine() % unusual == 0) value = borders[engine() % std::size(borders)];
  }
  return values;
}

TEST(CpuBf16, NumbersOfEverySizeGiveTheSameOnEveryTarget) {
  const int n = 40, k = 96;
  for (const int unusual : {0, 10, 200, 2000}) {  // one in so many: one NaN in a row is enough
    for (const int m : {31, 3}) {
      const auto a = special_floats(m * k, 1, unusual), w = special_floats(n * k, 2, unusual);
      // With weights that are too small to count, and with zeros in their place.
      const auto without_small = rounded(w);
      const auto expected = chain(rounded(a), without_small, {}, m, n, k);
      for (const std::string& target : cpu_bf16_targets()) {
        for (const auto* weights : {&w, &without_small}) {
          const auto backend = make_cpu_bf16_backend(2, target);
          const HostTensor part = view_of(*weights, n, k);
          const Matrix out = backend->allocate(m, n);
          backend->project(upload(*backend, a, m, k), *backend->load_linear({&part, 1}, {}), 0,
                           out);
          EXPECT_TRUE(same_numbers(download(*backend, out), expected)) << target << " " << unusual;
        }
      }
    }
  }
}

// Sums down to the smallest there can be, where dot products and fma would part below.
TEST(CpuBf16, SumsOfTheSmallestNumbersThatCountAreExact) {
  std::mt19937 engine(5);
  const int n = 33, k = 64;
  const auto smallest = [&](int count) {
    std::vector<float> values(count);
    for (float& value : values) {
      value = std::ldexp(static_cast<float>(128 + engine() % 128), -63);
      if (engine() % 2 == 0) value = -value;
    }
    return values;
  };
  const auto w = smallest(n * k);
  const HostTensor part = view_of(w, n, k);
  for (const int m : {40, 5}) {
    const auto a = smallest(m * k), expected = chain(a, w, {}, m, n, k);
    EXPECT_TRUE(
        std::ranges::all_of(expected, [](float x) { return x == 0 || std::abs(x) >= 0x1p-126f; }));
    for (const std::string& target : cpu_bf16_targets()) {
      const auto backend = make_cpu_bf16_backend(2, target);
      const Matrix out = backend->allocate(m, n);
      backend->project(upload(*backend, a, m, k), *backend->load_linear({&part, 1}, {}), 0, out);
      EXPECT_TRUE(same_bits(download(*backend, out), expected)) << target;
    }
  }
}

struct Attention {
  AttentionShape shape;
  int keys;
};

std::vector<float> attend(Backend& backend, const Attention& c, bool round_inputs = false) {
  const int dims = c.shape.head_dim, queries = c.shape.heads * dims, kv = c.shape.kv_heads * dims;
  auto numbers = random_floats(c.keys * (queries + 2 * kv), 1, 2);
  if (round_inputs) numbers = rounded(numbers);
  const Matrix qkv = upload(backend, numbers, c.keys, queries + 2 * kv);
  std::vector<int> positions(c.keys);
  std::iota(positions.begin(), positions.end(), 0);
  const Matrix out = backend.allocate(c.keys, queries);
  backend.attend(qkv.columns(0, queries), qkv.columns(queries, kv), qkv.columns(queries + kv, kv),
                 positions, c.shape, out);
  return download(backend, out);
}

TEST(CpuBf16, AttentionIsTheSameOnEveryTargetAndThreadCount) {
  for (const AttentionKind kind :
       {AttentionKind::kFull, AttentionKind::kCausal, AttentionKind::kBlockCausal}) {
    for (const Attention& c :
         {Attention{{4, 4, 8, kind, 4}, 37}, Attention{{6, 2, 16, kind, 4}, 70},
          Attention{{7, 1, 24, kind, 5}, 13}, Attention{{2, 1, 64, kind, 4}, 101},
          Attention{{2, 2, 128, kind, 3}, 41}}) {
      const auto expected = attend(*make_cpu_bf16_backend(1, "scalar"), c);
      for (const auto& [target, threads] : machines(cpu_bf16_targets())) {
        EXPECT_TRUE(same_bits(attend(*make_cpu_bf16_backend(threads, target), c), expected))
            << target << " " << threads << " threads, head_dim " << c.shape.head_dim;
      }
      // Of inputs that are rounded already only the weights are not those of cpu.
      const auto near = attend(*make_cpu_bf16_backend(1, ""), c, true);
      const auto exact = attend(*make_cpu_backend(1, ""), c, true);
      for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(near[i], exact[i], 2e-2);
    }
  }
}

// Keys beyond those that a query sees, an odd number of them too, leave no trace.
TEST(CpuBf16, LaterKeysDoNotShowInACausalRow) {
  for (const std::string& target : cpu_bf16_targets()) {
    const auto backend = make_cpu_bf16_backend(2, target);
    const auto numbers = random_floats(64 * 48, 1, 2);
    const Matrix qkv = upload(*backend, numbers, 64, 48);
    std::vector<int> positions(64);
    std::iota(positions.begin(), positions.end(), 0);
    const AttentionShape shape{2, 2, 8, AttentionKind::kCausal, 1};
    const Matrix all = backend->allocate(64, 16);
    backend->attend(qkv.columns(0, 16), qkv.columns(16, 16), qkv.columns(32, 16), positions, shape,
                    all);
    const auto expected = download(*backend, all);
    for (const int rows : {1, 2, 17, 32, 33, 63}) {
      const Matrix some = qkv.row_range(0, rows), out = backend->allocate(rows, 16);
      backend->attend(some.columns(0, 16), some.columns(16, 16), some.columns(32, 16),
                      std::span(positions).first(rows), shape, out);
      EXPECT_TRUE(
          same_bits(download(*backend, out), {expected.begin(), expected.begin() + rows * 16}))
          << target << " " << rows;
    }
  }
}

TEST(CpuBf16, UnknownTargetIsAnErrorThatNamesTheOthers) {
  try {
    make_cpu_bf16_backend(1, "sse2");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("scalar"), std::string::npos);
  }
}

}  // namespace
}  // namespace umf
