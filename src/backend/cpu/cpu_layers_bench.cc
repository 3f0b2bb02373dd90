// Speed of a transformer's layers on the cpu backend, with plain and with quantised weights:
// cpu_layers_bench [--quick] [--target NAME] [--threads N] [--only PART]. Prints Markdown.
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "support/cpu_rounds.h"

namespace umf {
namespace {

// A transformer's layers over the backend, and its weight products alone.
struct Forward {
  Forward(Backend& backend, int rows, int hidden, int head_dim, int mlp, int layers,
          DType type = DType::kF32)
      : backend(backend),
        rows(rows),
        hidden(hidden),
        mlp(mlp),
        layers(layers),
        shape{hidden / head_dim, hidden / head_dim, head_dim},
        ones(hidden, 1.0f) {
    for (const auto& [n, k] :
         {std::pair{3 * hidden, hidden}, {hidden, hidden}, {2 * mlp, hidden}, {hidden, mlp}}) {
      stored.emplace_back(n, k, type);
      weights.push_back(stored.back().load(backend));
    }
    gains = backend.load_gains(
        {reinterpret_cast<const std::byte*>(ones.data()), DType::kF32, 1, hidden});
    rotation = backend.make_rotation(rows, {head_dim, 10000});
    positions.resize(rows);
    std::iota(positions.begin(), positions.end(), 0);
    x = filled(backend, rows, hidden);
    normed = filled(backend, rows, hidden);
    qkv = filled(backend, rows, 3 * hidden);
    mixed = filled(backend, rows, hidden);
    gate_up = filled(backend, rows, 2 * mlp);
    act = filled(backend, rows, mlp);
  }
  void run(bool all) {
    for (int layer = 0; layer < layers; ++layer) {
      if (all) backend.rms_norm(x, *gains, 1e-5f, normed);
      backend.project(normed, *weights[0], 0, qkv);
      if (all) {
        backend.rotate(qkv.columns(0, 2 * hidden), positions, *rotation);
        backend.attend(qkv.columns(0, hidden), qkv.columns(hidden, hidden),
                       qkv.columns(2 * hidden, hidden), positions, shape, mixed);
      }
      backend.project(mixed, *weights[1], 0, x);
      if (all) backend.rms_norm(x, *gains, 1e-5f, normed);
      backend.project(normed, *weights[2], 0, gate_up);
      if (all) backend.gated_silu(gate_up, act);
      backend.project(act, *weights[3], 0, x);
    }
  }
  double weight_work() const { return 2.0 * layers * rows * hidden * (4.0 * hidden + 3.0 * mlp); }
  double attention_work() const { return 4.0 * layers * rows * rows * hidden; }

  Backend& backend;
  int rows, hidden, mlp, layers;
  AttentionShape shape;
  std::vector<float> ones;
  std::vector<StoredWeights> stored;
  std::vector<std::shared_ptr<const Linear>> weights;
  std::shared_ptr<const Gains> gains;
  std::shared_ptr<const Rotation> rotation;
  std::vector<int> positions;
  Matrix x, normed, qkv, mixed, gate_up, act;
};

void bench_forward(const CpuBenchOptions& options) {
  for (const int threads : options.threads) {
    const auto backend = make_cpu_backend(threads, options.target);
    std::printf(
        "\n## Whole pass over its products, %s\n\nThe two products of attention count at the speed "
        "of the others.\n\n"
        "| rows | hidden | MLP | layers | pass ms | weight products ms | pass / all products "
        "|\n|---|---|---|---|---|---|---|\n",
        backend->description().c_str());
    for (const auto& [rows, hidden, head_dim, mlp, layers] :
         std::vector<std::array<int, 5>>{{160, 256, 64, 768, 8},
                                         {128, 768, 64, 2048, 12},
                                         {512, 768, 64, 2048, 12},
                                         {1024, 768, 64, 2048, 12}}) {
      Forward forward(*backend, rows, hidden, head_dim, mlp, layers);
      const auto time =
          interleaved(options, threads, {[&] { forward.run(true); }, [&] { forward.run(false); }});
      const double products = time[1] * (1 + forward.attention_work() / forward.weight_work());
      std::printf("| %d | %d | %d | %d | %.2f | %.2f | %.2f |\n", rows, hidden, mlp, layers,
                  time[0] * 1e3, time[1] * 1e3, time[0] / products);
      std::fflush(stdout);
    }
  }
}

// Quantised weights beside the same ones in bf16: with a few rows, where their bytes count, and in
// a whole pass, where taking them apart is what they cost.
void bench_quantised(const CpuBenchOptions& options) {
  constexpr DType kTypes[] = {DType::kBF16, DType::kQ8_0, DType::kQ4_K};
  const int n = options.quick ? 4096 : 8192, k = 4096;
  for (const int threads : options.threads) {
    const auto backend = make_cpu_backend(threads, options.target);
    std::vector<StoredWeights> weights;
    for (const DType type : kTypes) weights.emplace_back(n, k, type);
    std::printf(
        "\n## Quantised weights, %d x %d, %s\n\nGB/s of weights as stored; time with bf16 weights "
        "over time with these (wanted with one row: 1.3 and 1.5).\n\n"
        "| M | bf16 | Q8_0 | Q4_K | bf16 / Q8_0 | bf16 / Q4_K |\n|---|---|---|---|---|---|\n",
        n, k, backend->description().c_str());
    for (const int m : {1, 2, 4, 8, 16, 64}) {
      const Matrix x = filled(*backend, m, k), out = backend->allocate(m, n);
      std::vector<std::function<void()>> works;
      for (const StoredWeights& w : weights)
        works.push_back([&, weight = w.load(*backend)] { backend->project(x, *weight, 0, out); });
      const auto time = interleaved(options, threads, works);
      std::printf("| %d |", m);
      for (std::size_t i = 0; i < time.size(); ++i)
        std::printf(" %.1f |", static_cast<double>(weights[i].bytes.size()) / time[i] / 1e9);
      std::printf(" %.2f | %.2f |\n", time[0] / time[1], time[0] / time[2]);
      std::fflush(stdout);
    }
    const int rows = 512, hidden = 768, mlp = 2048, layers = 12;
    std::vector<std::unique_ptr<Forward>> passes;
    std::vector<std::function<void()>> works;
    for (const DType type : kTypes) {
      passes.push_back(std::make_unique<Forward>(*backend, rows, hidden, 64, mlp, layers, type));
      works.push_back([pass = passes.back().get()] { pass->run(true); });
    }
    const auto time = interleaved(options, threads, works);
    std::printf(
        "\nA pass of %d layers over %d positions, hidden %d, MLP %d: bf16 %.1f ms, Q8_0 %.1f ms "
        "(%.3f of it), Q4_K %.1f ms (%.3f; wanted: 1.10 at most)\n",
        layers, rows, hidden, mlp, time[0] * 1e3, time[1] * 1e3, time[1] / time[0], time[2] * 1e3,
        time[2] / time[0]);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  const auto options = umf::cpu_bench_options(argc, argv, "forward|quantised");
  if (options.wants("forward")) umf::bench_forward(options);
  if (options.wants("quantised")) umf::bench_quantised(options);
}
