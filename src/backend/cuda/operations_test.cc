// Every operation against plain loops, and its rows against their neighbours.
#include <fmt/core.h>

#include "backend/cuda/device_testing.h"

namespace umf {
namespace {

struct AttentionCase {
  int heads, kv_heads, dim, queries, keys;
  AttentionKind kind;
  int block;
};

constexpr AttentionCase kAttention[] = {
    {4, 4, 16, 9, 9, AttentionKind::kFull, 1},
    {7, 1, 8, 33, 33, AttentionKind::kFull, 1},
    {8, 2, 8, 21, 21, AttentionKind::kBlockCausal, 4},
    {7, 1, 8, 40, 40, AttentionKind::kCausal, 1},
    {4, 2, 64, 70, 70, AttentionKind::kFull, 1},
    {4, 4, 64, 160, 160, AttentionKind::kBlockCausal, 4},
    {4, 1, 64, 33, 200, AttentionKind::kCausal, 1},
    {20, 4, 64, 70, 70, AttentionKind::kFull, 1},
    {4, 4, 128, 200, 200, AttentionKind::kFull, 1},
    {7, 1, 128, 129, 129, AttentionKind::kFull, 1},
    {8, 2, 128, 150, 150, AttentionKind::kBlockCausal, 4},
    {4, 1, 128, 193, 193, AttentionKind::kCausal, 1},
    {4, 2, 128, 5, 260, AttentionKind::kFull, 1},
};

class Operations : public OnDevice {
 protected:
  // Where activations are f32: numbers that bf16 cannot hold, the same on every backend.
  void use_all_bits(Bench& on, const Matrix& m) const {
    if (rounds()) return;
    on.backend->rms_norm(m, *on.gains(std::vector<float>(m.cols, 1.0f)), 1e-5f, m);
  }
  std::vector<float> attend(Bench& on, const AttentionCase& c,
                            const std::vector<int>& positions) const;
};

TEST_P(Operations, RowsAreCopiedNormalisedRotatedAndActivated) {
  for (const auto& [rows, cols, head] : {std::array{3, 56, 8}, {37, 1024, 128}, {5, 3584, 128}}) {
    SCOPED_TRACE(fmt::format("{} x {}", rows, cols));
    Bench gpu(make()), plain(make_reference_backend());
    const auto values = bf16_numbers(rows * cols, 1), gain = bf16_numbers(cols, 2);
    const auto run = [&, rows = rows, cols = cols, head = head](Bench& on) {
      const Matrix x = on.matrix(values, rows, cols), h = on.allocate(rows, cols);
      std::vector<std::vector<float>> results;
      on.backend->rms_norm(x, *on.gains(gain), 1e-5f, h);
      results.push_back(on.read(h));
      const Matrix heads = on.matrix(values, rows, cols);
      std::vector<float> head_gain(gain.begin(), gain.begin() + head);
      on.backend->norm_heads(heads.columns(head, cols - head), *on.gains(head_gain), 1e-5f);
      results.push_back(on.read(heads));
      const auto positions = iota(rows, 7);
      on.backend->rotate(x, positions, *on.backend->make_rotation(rows + 7, {head, 1e6}));
      results.push_back(on.read(x));
      on.backend->rotate(x, positions, *on.backend->make_rotation(rows + 7, {head, 1e6, head / 2}));
      results.push_back(on.read(x));
      const Matrix half = on.allocate(rows, cols / 2);
      on.backend->gated_silu(on.matrix(values, rows, cols), half);
      results.push_back(on.read(half));
      const Matrix same = on.matrix(values, rows, cols);
      on.backend->gated_silu(same, same.columns(0, cols / 2));
      results.push_back(on.read(same.columns(0, cols / 2)));
      on.backend->gather(x, std::vector<int>(rows, rows - 1), h);
      on.backend->relu(h);
      results.push_back(on.read(h));
      auto twice = iota(rows, 0);
      twice.back() = 0;  // the same row again
      const Matrix first = on.allocate(rows, cols), wide = on.allocate(2 * rows, 2 * cols);
      on.backend->gather(x, twice, first);
      for (const int begin : {0, rows})
        on.backend->scatter(on.matrix(values, rows, cols), iota(rows, begin),
                            wide.columns(cols, cols));
      on.backend->scatter(first, twice, wide.row_range(0, rows).columns(cols, cols));
      results.push_back(on.read(wide.columns(cols, cols)));
      return results;
    };
    const auto actual = run(gpu), wanted = run(plain);
    const char* const names[] = {"norm", "norm of heads", "rotation",        "rotation of a part",
                                 "silu", "silu in place", "gather and relu", "scatter"};
    for (std::size_t i = 0; i < wanted.size(); ++i) expect_near(actual[i], wanted[i], names[i]);
  }
}

TEST_P(Operations, ProductsAgree) {
  for (const auto& [rows, in, out] :
       {std::array{1, 56, 320}, {37, 64, 301}, {130, 176, 64}, {300, 512, 1024}, {37, 1536, 300}}) {
    SCOPED_TRACE(fmt::format("{} x {} -> {}", rows, in, out));
    const auto x = bf16_numbers(rows * in, 1), w = bf16_numbers(in * out, 2, 0.1f);
    const auto bias = bf16_numbers(out, 3), before = bf16_numbers(rows * out, 4);
    const auto run = [&, rows = rows, in = in, out = out](Bench on) {
      const Matrix input = on.matrix(x, rows, in);
      use_all_bits(on, input);
      const auto plain = on.linear(w, out, in), biased = on.linear(w, out, in, bias);
      auto results = products(on, input, *plain, *biased, out, before);
      const Matrix logits = on.backend->allocate_logits(rows, out);
      on.backend->project(input, *plain, 0, logits);
      results.push_back(on.read(logits));
      on.backend->project(input, *biased, 0, logits);
      results.push_back(on.read(logits));
      return results;
    };
    const auto actual = run(make()), wanted = run(Bench(make_reference_backend()));
    const char* const names[] = {"plain", "biased", "part", "added", "logits", "biased logits"};
    for (std::size_t i = 0; i < wanted.size(); ++i) expect_near(actual[i], wanted[i], names[i]);
  }
}

TEST_P(Operations, ARowOfAProductDoesNotDependOnTheNumberOfRows) {
  constexpr int kMost = 1100;
  Bench gpu(make());
  // Small products have a kernel of their own.
  for (const auto& [in, out] : {std::pair{512, 64}, {512, 1536}, {1536, 64}, {1536, 4000}}) {
    const Matrix x = gpu.matrix(bf16_numbers(static_cast<std::size_t>(kMost) * in, 5), kMost, in);
    const auto weight = gpu.linear(bf16_numbers(static_cast<std::size_t>(in) * out, 6), out, in,
                                   bf16_numbers(out, 7));
    expect_rows_of_their_own(gpu, x, *weight, out);
  }
}

// One kernel or two: where they are one, the gates are never written.
TEST_P(Operations, AGatedProductHasTheBitsOfItsProductActivated) {
  constexpr int kIn = 1024, kColumns = 136;
  Bench gpu(make());
  const auto weight = gpu.linear(bf16_numbers(2 * kColumns * kIn, 6, 0.1f), 2 * kColumns, kIn);
  for (const int rows : {3, 300, 1000}) {
    const Matrix x = gpu.matrix(bf16_numbers(static_cast<std::size_t>(rows) * kIn, 5), rows, kIn);
    const Matrix room = gpu.allocate(rows, 2 * kColumns), out = gpu.allocate(rows, kColumns);
    gpu.backend->project(x, *weight, 0, room);
    gpu.backend->gated_silu(room, out);
    const auto wanted = gpu.read(out);
    gpu.backend->project_gated(x, *weight, room, room.columns(0, kColumns));
    EXPECT_EQ(gpu.read(room.columns(0, kColumns)), wanted) << rows << " rows";
  }
}

// Queries of these rows among all positions.
std::vector<float> Operations::attend(Bench& on, const AttentionCase& c,
                                      const std::vector<int>& positions) const {
  const int q = c.heads * c.dim, kv = c.kv_heads * c.dim;
  const auto values = bf16_numbers(static_cast<std::size_t>(c.keys) * (q + 2 * kv), 8);
  const Matrix all = on.matrix(values, c.keys, q + 2 * kv);
  use_all_bits(on, all);
  const Matrix queries = on.allocate(static_cast<int>(positions.size()), q + 2 * kv);
  const Matrix out = on.allocate(queries.rows, q);
  on.backend->gather(all, positions, queries);
  on.backend->attend(queries.columns(0, q), all.columns(q, kv), all.columns(q + kv, kv), positions,
                     {c.heads, c.kv_heads, c.dim, c.kind, c.block}, out);
  return on.read(out);
}

TEST_P(Operations, AttentionAgrees) {
  for (const AttentionCase& c : kAttention) {
    Bench gpu(make()), plain(make_reference_backend());
    const auto positions = iota(c.queries, c.keys - c.queries);
    expect_near(attend(gpu, c, positions), attend(plain, c, positions),
                fmt::format("{} heads of {}, kind {}", c.heads, c.dim, static_cast<int>(c.kind)));
  }
}

TEST_P(Operations, AQueryDoesNotDependOnItsNeighbours) {
  for (const AttentionCase& c : kAttention) {
    Bench gpu(make());
    const int q = c.heads * c.dim;
    const auto all = attend(gpu, c, iota(c.keys));
    const std::vector<int> few = {c.keys - 1, 0, c.keys / 2};
    const auto some = attend(gpu, c, few);
    for (std::size_t i = 0; i < few.size(); ++i) {
      EXPECT_TRUE(std::equal(some.begin() + i * q, some.begin() + (i + 1) * q,
                             all.begin() + static_cast<std::ptrdiff_t>(few[i]) * q))
          << "query " << few[i] << " of " << c.heads << " heads of " << c.dim;
    }
  }
}

// A layer of a small model. `pause` asks for a result after every operation.
std::vector<float> small_layer(Bench& on, int rows, bool pause) {
  constexpr int kHidden = 256, kMlp = 704;
  Backend& backend = *on.backend;
  const AttentionShape shape{4, 4, 64, AttentionKind::kFull, 1};
  const auto weight = [&](int out, int in, std::uint32_t seed) {
    return on.linear(bf16_numbers(static_cast<std::size_t>(out) * in, seed, 0.1f), out, in);
  };
  const auto table = weight(300, kHidden, 1), qkv = weight(3 * kHidden, kHidden, 2),
             wo = weight(kHidden, kHidden, 3), gate_up = weight(2 * kMlp, kHidden, 4),
             down = weight(kHidden, kMlp, 5), head = weight(301, kHidden, 6);
  const auto gains = on.gains(bf16_numbers(kHidden, 7)), of_heads = on.gains(bf16_numbers(64, 8));
  const auto rotation = backend.make_rotation(rows, {64, 1e6});
  const Matrix x = on.allocate(rows, kHidden), h = on.allocate(rows, kHidden),
               all = on.allocate(rows, 3 * kHidden), wide = on.allocate(rows, 2 * kMlp),
               attended = on.allocate(rows, kHidden), few = on.allocate(5, kHidden),
               logits = backend.allocate_logits(5, 301);
  const auto positions = iota(rows);
  const auto done = [&] {
    if (pause) on.read(x.row_range(0, 1));
  };
  std::vector<Token> tokens(rows);
  for (int i = 0; i < rows; ++i) tokens[i] = i * 7 % 300;
  backend.embed(*table, tokens, x), done();
  for (int layer = 0; layer < 2; ++layer) {
    backend.rms_norm(x, *gains, 1e-5f, h), done();
    backend.project(h, *qkv, 0, all), done();
    backend.norm_heads(all.columns(0, 2 * kHidden), *of_heads, 1e-5f), done();
    backend.rotate(all.columns(0, 2 * kHidden), positions, *rotation), done();
    backend.attend(all.columns(0, kHidden), all.columns(kHidden, kHidden),
                   all.columns(2 * kHidden, kHidden), positions, shape, attended);
    done();
    backend.project_add(attended, *wo, x), done();
    backend.rms_norm(x, *gains, 1e-5f, h), done();
    backend.project(h, *gate_up, 0, wide), done();
    backend.gated_silu(wide, wide.columns(0, kMlp)), done();
    backend.project_add(wide.columns(0, kMlp), *down, x), done();
  }
  backend.gather(x, iota(5, rows - 5), few), done();
  backend.project(few, *head, 0, logits);
  return on.read(logits);
}

TEST_P(Operations, ASmallPassIsTheSameInOneKernelInAGraphAndOperationByOperation) {
  for (const int rows : {5, 33, 160, 1100}) {
    Bench gpu(make());
    const auto apart = small_layer(gpu, rows, true);
    for (int time = 0; time < 3; ++time)
      EXPECT_EQ(small_layer(gpu, rows, false), apart) << rows << " rows, time " << time;
    Bench plain(make_reference_backend());
    const auto wanted = small_layer(plain, rows, false);
    umf::expect_near(apart, wanted,
                     f32()     ? 1e-4
                     : small() ? 5e-4
                               : 4e-2,
                     fmt::format("{} rows", rows));
  }
}

UMF_ON_DEVICE(Operations);

TEST(SmallModel, SharesABackendWithALargeOne) {
  if (const std::string objection = cuda_objection(); !objection.empty()) {
    GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  const auto backend = make_cuda_backend();
  const auto values = bf16_numbers(16 * 16, 1);
  const HostTensor host{reinterpret_cast<const std::byte*>(values.data()), DType::kF32, 16, 16};
  const auto large_model = backend->begin_model(Bench::kLarge, 0);
  const auto large = backend->load_linear({&host, 1}, {});
  const auto small_model = backend->begin_model(Bench::kSmall, 0);
  const auto small = backend->load_linear({&host, 1}, {});
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(backend->allocate_for(*large, 4, 16).type, DType::kBF16);
    EXPECT_EQ(backend->allocate_for(*small, 4, 16).type, DType::kF32);
  }
}

}  // namespace
}  // namespace umf
