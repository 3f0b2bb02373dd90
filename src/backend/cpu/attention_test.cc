#include <algorithm>
#include <numeric>

#include "backend/cpu/cpu_testing.h"

namespace umf {
namespace {

struct Case {
  AttentionShape shape;
  int keys;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const AttentionKind kind :
       {AttentionKind::kFull, AttentionKind::kCausal, AttentionKind::kBlockCausal}) {
    all.push_back({{4, 4, 8, kind, 4}, 37});
    all.push_back({{6, 2, 16, kind, 4}, 70});
    all.push_back({{7, 1, 24, kind, 5}, 13});
    all.push_back({{2, 1, 64, kind, 4}, 100});
    all.push_back({{2, 2, 128, kind, 4}, 41});
  }
  return all;
}

std::vector<int> iota(int count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

struct Inputs {
  Inputs(Backend& backend, const Case& c)
      : q(upload(backend, random_floats(c.keys * width(c), 1, 2), c.keys, width(c))),
        queries(q.columns(0, c.shape.heads * c.shape.head_dim)),
        keys(q.columns(queries.cols, c.shape.kv_heads * c.shape.head_dim)),
        values(q.columns(queries.cols + keys.cols, keys.cols)) {}
  // q, k and v side by side in one matrix, as a stacked projection leaves them.
  static int width(const Case& c) {
    return (c.shape.heads + 2 * c.shape.kv_heads) * c.shape.head_dim;
  }
  Matrix q, queries, keys, values;
};

std::vector<float> attend_all(Backend& backend, const Case& c) {
  const Inputs in(backend, c);
  const Matrix out = backend.allocate(c.keys, in.queries.cols);
  backend.attend(in.queries, in.keys, in.values, iota(c.keys), c.shape, out);
  return download(backend, out);
}

TEST(Attention, MatchesDoublePrecision) {
  for (const Case& c : cases()) {
    const auto backend = make_cpu_backend(2, "");
    const Inputs in(*backend, c);
    const auto q = download(*backend, in.queries), k = download(*backend, in.keys),
               v = download(*backend, in.values);
    const auto result = attend_all(*backend, c);
    const int dims = c.shape.head_dim, group = c.shape.heads / c.shape.kv_heads;
    for (int i = 0; i < c.keys; ++i) {
      for (int h = 0; h < c.shape.heads; ++h) {
        const int seen = c.shape.visible_keys(i, c.keys);
        std::vector<double> p(seen);
        for (int j = 0; j < seen; ++j) {
          for (int x = 0; x < dims; ++x) {
            p[j] += static_cast<double>(q[i * in.queries.cols + h * dims + x]) *
                    k[j * in.keys.cols + h / group * dims + x];
          }
          p[j] /= std::sqrt(static_cast<double>(dims));
        }
        const double top = *std::max_element(p.begin(), p.end());
        double sum = 0;
        for (double& x : p) sum += x = std::exp(x - top);
        for (int x = 0; x < dims; ++x) {
          double expected = 0;
          for (int j = 0; j < seen; ++j)
            expected += p[j] / sum * v[j * in.keys.cols + h / group * dims + x];
          ASSERT_NEAR(result[i * in.queries.cols + h * dims + x], expected, 3e-5);
        }
      }
    }
  }
}

TEST(Attention, IsTheSameOnEveryTargetAndThreadCount) {
  for (const Case& c : cases()) {
    const auto expected = attend_all(*make_cpu_backend(1, "scalar"), c);
    for (const auto& [target, threads] : machines()) {
      EXPECT_TRUE(same_bits(attend_all(*make_cpu_backend(threads, target), c), expected))
          << target << " " << threads << " threads, head_dim " << c.shape.head_dim;
    }
  }
}

TEST(Attention, AQueryIsTheSameAloneAndAmongOthers) {
  for (const Case& c : cases()) {
    for (const std::string& target : cpu_targets()) {
      const auto backend = make_cpu_backend(2, target);
      const Inputs in(*backend, c);
      const auto expected = attend_all(*backend, c);
      // Single rows, a range, and rows out of order and repeated.
      for (const std::vector<int>& rows :
           {std::vector<int>{0}, {c.keys - 1}, {5, 6, 7, 8}, {9, 2, 2, 11, 0, 12, 4}}) {
        const Matrix some = backend->allocate(static_cast<int>(rows.size()), in.queries.cols);
        backend->gather(in.queries, rows, some);
        const Matrix out = backend->allocate(some.rows, some.cols);
        backend->attend(some, in.keys, in.values, rows, c.shape, out);
        const auto result = download(*backend, out);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          EXPECT_EQ(std::memcmp(&result[i * some.cols], &expected[rows[i] * some.cols],
                                some.cols * sizeof(float)),
                    0)
              << target << " row " << rows[i];
        }
      }
    }
  }
}

TEST(Attention, LaterKeysDoNotShowInACausalRow) {
  for (const AttentionKind kind : {AttentionKind::kCausal, AttentionKind::kBlockCausal}) {
    const Case c{{4, 2, 16, kind, 4}, 64};
    const auto backend = make_cpu_backend(2, "");
    const Inputs in(*backend, c);
    const auto expected = attend_all(*backend, c);
    const Matrix out = backend->allocate(24, in.queries.cols);
    backend->attend(in.queries.row_range(0, 24), in.keys.row_range(0, 24),
                    in.values.row_range(0, 24), iota(24), c.shape, out);
    EXPECT_TRUE(same_bits(download(*backend, out),
                          {expected.begin(), expected.begin() + 24 * in.queries.cols}));
  }
}

}  // namespace
}  // namespace umf
