// Speed of the cpu backend: cpu_bench [--quick] [--target NAME] [--threads N]. Prints Markdown.
//
// Everything compared in one row of a table is measured in the same interleaved rounds, and the
// numbers are medians over the rounds: on a shared machine neighbours disturb all columns alike.
// With one thread the clock is that of the thread, which stands still while others have the core;
// with more it is the wall's, and a short sample starts when every thread has a core of its own.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "support/bench_peak.h"
#include "support/bench_timing.h"
#include "support/quantised_weights.h"

#ifdef UMF_ONEDNN
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace umf {
namespace {

struct Options {
  bool quick = false;
  std::string target;
  std::vector<int> threads{1, 2};
};

const Kernels& kernels_of(const std::string& target) {
  for (const Kernels& kernels : cpu_kernels()) {
    if (target.empty() || kernels.name == target) return kernels;
  }
  std::fprintf(stderr, "error: no such target: %s\n", target.c_str());
  std::exit(2);
}

double fma_peak(const Options& options, int threads) {
  ThreadPool pool(threads);
  double best = 0;
  for (int round = 0; round < 200; ++round) {
    best = std::max(best, fma_rate(kernels_of(options.target), pool, 20000));
  }
  return best;
}

// Returns when every thread has a core of its own: neighbours, or threads of another library that
// still spin from its turn, would be charged to whoever comes next. Gives up after a while.
class Quiet {
 public:
  Quiet(const Options& options, int threads)
      : kernels_(kernels_of(options.target)), pool_(threads), peak_(fma_peak(options, threads)) {}
  void wait() {
    if (pool_.threads() == 1) return;
    for (int tries = 0; tries < 100; ++tries) {
      fma_rate(kernels_, pool_, 2000);  // wakes the pool
      if (fma_rate(kernels_, pool_, 20000) > 0.85 * peak_) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

 private:
  const Kernels& kernels_;
  ThreadPool pool_;
  double peak_;
};

// Median seconds per call of each work, over interleaved rounds that take about `budget` seconds in
// all.
std::vector<double> interleaved(const Options& options, int threads,
                                const std::vector<std::function<void()>>& works) {
  const double budget = options.quick ? 0.1 : 1.0;
  const double sample = 1e-3;
  const int most = options.quick ? 15 : 101, least = options.quick ? 3 : 7;
  std::vector<int> repeats;
  double round_time = 0;
  for (const auto& work : works) {
    work();  // warm: pages, scratch, primitives
    const double once =
        std::max(std::min(seconds_on(threads, work), seconds_on(threads, work)), 1e-7);
    repeats.push_back(std::clamp(static_cast<int>(sample / once), 1, 10000));
    round_time += once * repeats.back();
  }
  const int rounds = std::clamp(static_cast<int>(budget / round_time), least, most);
  Quiet quiet(options, threads);
  std::vector<std::vector<double>> times(works.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      quiet.wait();
      works[i]();
      const double time = seconds_on(threads, [&] {
        for (int r = 0; r < repeats[i]; ++r) works[i]();
      });
      times[i].push_back(time / repeats[i]);
    }
  }
  std::vector<double> medians;
  for (auto& t : times) medians.push_back(median(t));
  return medians;
}

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 engine(1);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(engine() % 2001) / 1000.0f - 1;
  return values;
}

Matrix filled(Backend& backend, int rows, int cols) {
  const Matrix m = backend.allocate(rows, cols);
  const auto values = random_floats(static_cast<std::size_t>(rows) * m.stride);
  std::memcpy(m.memory.get(), values.data(), values.size() * sizeof(float));
  return m;
}

// Weights as a file holds them.
struct Weights {
  Weights(int rows, int cols, DType type) : rows(rows), cols(cols), type(type) {
    const auto values = random_floats(static_cast<std::size_t>(rows) * cols);
    if (is_quantised(type)) {
      bytes = quantised(values, type);
      return;
    }
    bytes.resize(values.size() * size_of(type));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t bits;
      std::memcpy(&bits, &values[i], 4);
      const std::uint16_t brain = static_cast<std::uint16_t>(bits >> 16);
      const std::uint16_t half =
          static_cast<std::uint16_t>((bits >> 16 & 0x8000) | 12 << 10 | (bits >> 8 & 1023));
      if (type == DType::kF32) std::memcpy(&bytes[4 * i], &bits, 4);
      if (type == DType::kBF16) std::memcpy(&bytes[2 * i], &brain, 2);
      if (type == DType::kF16) std::memcpy(&bytes[2 * i], &half, 2);
    }
  }
  std::shared_ptr<const Linear> load(Backend& backend) const {
    const HostTensor tensor{bytes.data(), type, rows, cols};
    return backend.load_linear({&tensor, 1}, {});
  }
  int rows, cols;
  DType type;
  std::vector<std::byte> bytes;
};

#ifdef UMF_ONEDNN
// oneDNN's f32 product with weights packed once, in the layout it likes best.
class OneDnn {
 public:
  OneDnn(int m, int n, int k) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using dnnl::memory;
    const auto f32 = memory::data_type::f32;
    const memory::desc a({m, k}, f32, memory::format_tag::ab),
        c({m, n}, f32, memory::format_tag::ab);
    const memory::desc any({k, n}, f32, memory::format_tag::any),
        plain({k, n}, f32, memory::format_tag::ba);
    const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(a, any, c), engine_);
    a_ = memory(a, engine_);
    c_ = memory(c, engine_);
    packed_ = memory(desc.weights_desc(), engine_);
    memory weights(plain, engine_);
    const auto values = random_floats(static_cast<std::size_t>(n) * k);
    std::memcpy(weights.get_data_handle(), values.data(), values.size() * sizeof(float));
    const auto rows = random_floats(static_cast<std::size_t>(m) * k);
    std::memcpy(a_.get_data_handle(), rows.data(), rows.size() * sizeof(float));
    dnnl::reorder(weights, packed_).execute(stream_, weights, packed_);
    stream_.wait();
    matmul_ = dnnl::matmul(desc);
  }
  void run() {
    matmul_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, packed_}, {DNNL_ARG_DST, c_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::memory a_, c_, packed_;
  dnnl::matmul matmul_;
};
#endif

// The product of oneDNN beside ours: nothing to say in a program without it.
struct Yardstick {
  std::vector<double> f32, bf16, f16;

  void print(const std::vector<double>& time, double work) {
    if (time.size() < 4) {
      std::printf(" - | - | - | - |");
      return;
    }
    f32.push_back(time[3] / time[0]);
    bf16.push_back(time[3] / time[1]);
    f16.push_back(time[3] / time[2]);
    std::printf(" %.0f | %.2f | %.2f | %.2f |", work / time[3] / 1e9, f32.back(), bf16.back(),
                f16.back());
  }
  void print_medians() const {
    if (f32.empty())
      std::printf(" | | | |");
    else
      std::printf(" | **%.2f** | **%.2f** | **%.2f** |", median(f32), median(bf16), median(f16));
  }
};

void bench_matmul(const Options& options) {
  const std::vector<std::pair<int, int>> shapes{{256, 256}, {1024, 256}, {768, 256},
                                                {512, 512}, {2048, 512}, {4096, 4096}};
  std::vector<int> rows{64, 128, 224, 512, 1024};
  if (options.quick) rows = {64, 224, 1024};
  std::vector<std::vector<double>> f32_times(options.threads.size());
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    const int threads = options.threads[t];
    const double peak = fma_peak(options, threads);
    const auto backend = make_cpu_backend(threads, options.target);
    std::printf("\n## Matrix product, %s; FMA peak %.0f GFLOP/s\n\n",
                backend->description().c_str(), peak / 1e9);
    std::printf(
        "GFLOP/s; the last columns are ratios to oneDNN f32 packed and the share of the peak.\n\n"
        "| N x K | M | f32 | bf16 | f16 | oneDNN | f32 | bf16 | f16 | f32 of peak |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n");
    Yardstick yardstick;
    std::vector<double> share;
    for (const auto& [n, k] : shapes) {
      const Weights f32(n, k, DType::kF32), bf16(n, k, DType::kBF16), f16(n, k, DType::kF16);
      const auto w32 = f32.load(*backend), wb = bf16.load(*backend), wh = f16.load(*backend);
      for (const int m : rows) {
        const Matrix x = filled(*backend, m, k), out = backend->allocate(m, n);
        std::vector<std::function<void()>> works{[&] { backend->project(x, *w32, 0, out); },
                                                 [&] { backend->project(x, *wb, 0, out); },
                                                 [&] { backend->project(x, *wh, 0, out); }};
#ifdef UMF_ONEDNN
        omp_set_num_threads(threads);
        OneDnn theirs(m, n, k);
        works.push_back([&] { theirs.run(); });
#endif
        const auto time = interleaved(options, threads, works);
        f32_times[t].push_back(time[0]);
        const double work = 2.0 * m * n * k;
        std::printf("| %d x %d | %d | %.0f | %.0f | %.0f |", n, k, m, work / time[0] / 1e9,
                    work / time[1] / 1e9, work / time[2] / 1e9);
        yardstick.print(time, work);
        share.push_back(work / time[0] / peak);
        std::printf(" %.2f |\n", share.back());
        std::fflush(stdout);
      }
    }
    std::printf("| **median** | | | | |");
    yardstick.print_medians();
    std::printf(" **%.2f** |\n", median(share));
  }
  for (std::size_t t = 1; t < options.threads.size(); ++t) {
    std::vector<double> scaling;
    for (std::size_t i = 0; i < f32_times[t].size(); ++i)
      scaling.push_back(f32_times[0][i] / f32_times[t][i]);
    std::printf("\n%d to %d threads, f32: %.2f x (median)\n", options.threads[0],
                options.threads[t], median(scaling));
  }
}

// A few rows against large weights: the weights' way from memory is the limit.
void bench_few_rows(const Options& options) {
  const int n = options.quick ? 4096 : 8192, k = 4096;
  for (const int threads : options.threads) {
    const auto backend = make_cpu_backend(threads, options.target);
    const Weights f32(n, k, DType::kF32), bf16(n, k, DType::kBF16);
    const auto w32 = f32.load(*backend), wb = bf16.load(*backend);
    // The same bytes, only added up.
    ThreadPool pool(threads);
    std::vector<float> sums(64 * 16);
    const auto read = [&](const Weights& w) {
      pool.parallel_for(64, [&](int task, int) {
        const auto* from =
            reinterpret_cast<const std::uint64_t*>(w.bytes.data()) + w.bytes.size() / 8 / 64 * task;
        std::uint64_t sum[8] = {};
        for (std::size_t i = 0; i + 8 <= w.bytes.size() / 8 / 64; i += 8) {
          for (int j = 0; j < 8; ++j) sum[j] ^= from[i + j];
        }
        for (int j = 0; j < 8; ++j) sums[task * 16] += static_cast<float>(sum[j] & 1);
      });
    };
    std::printf(
        "\n## Few rows, %d x %d, %s: GB/s of weights\n\n| M | f32 | bf16 | plain read f32 | plain "
        "read bf16 |\n|---|---|---|---|---|\n",
        n, k, backend->description().c_str());
    for (const int m : {1, 2, 4, 8, 16}) {
      const Matrix x = filled(*backend, m, k), out = backend->allocate(m, n);
      const auto time = interleaved(
          options, threads,
          {[&] { backend->project(x, *w32, 0, out); }, [&] { backend->project(x, *wb, 0, out); },
           [&] { read(f32); }, [&] { read(bf16); }});
      const double bytes = 4.0 * n * k;
      std::printf("| %d | %.1f | %.1f | %.1f | %.1f |\n", m, bytes / time[0] / 1e9,
                  bytes / 2 / time[1] / 1e9, bytes / time[2] / 1e9, bytes / 2 / time[3] / 1e9);
      std::fflush(stdout);
    }
  }
}

// cpu-bf16 beside cpu, for weights of every type: from a few rows, where the way of the weights
// from memory counts, to many.
void bench_bf16(const Options& options) {
  for (const int threads : options.threads) {
    const auto exact = make_cpu_backend(threads, ""), rounded = make_cpu_bf16_backend(threads, "");
    ThreadPool pool(threads);
    double peak = 0;
    for (int round = 0; round < 200; ++round) {
      peak = std::max(peak, fma_rate(cpu_bf16_kernels().front(), pool, 20000));
    }
    std::printf(
        "\n## cpu-bf16 beside cpu, %s; peak %.0f GFLOP/s of bf16, %.0f of f32\n\n"
        "Times of cpu over times of cpu-bf16, by the type of the weights; GFLOP/s and share of the "
        "peak with bf16 weights.\n\n"
        "| N x K | M | f32 | bf16 | f16 | GFLOP/s | of peak |\n|---|---|---|---|---|---|---|\n",
        rounded->description().c_str(), peak / 1e9, fma_peak(options, threads) / 1e9);
    for (const auto& [n, k] : {std::pair{768, 768}, {4096, 768}, {768, 2048}, {4096, 4096}}) {
      std::vector<Weights> weights;
      for (const DType type : {DType::kF32, DType::kBF16, DType::kF16}) {
        weights.emplace_back(n, k, type);
      }
      for (const int m : {1, 2, 4, 8, 16, 32, 256, 1024}) {
        const Matrix x = filled(*exact, m, k), out = exact->allocate(m, n);
        std::vector<std::function<void()>> works;
        for (const Weights& w : weights) {
          for (Backend* backend : {exact.get(), rounded.get()}) {
            works.push_back(
                [&, backend, weight = w.load(*backend)] { backend->project(x, *weight, 0, out); });
          }
        }
        const auto time = interleaved(options, threads, works);
        const double rate = 2.0 * m * n * k / time[3];
        std::printf("| %d x %d | %d | %.2f | %.2f | %.2f | %.0f | %.2f |\n", n, k, m,
                    time[0] / time[1], time[2] / time[3], time[4] / time[5], rate / 1e9,
                    rate / peak);
        std::fflush(stdout);
      }
    }
  }
}

void bench_attention(const Options& options) {
  for (const int threads : options.threads) {
    const double peak = fma_peak(options, threads);
    const auto backend = make_cpu_backend(threads, options.target);
    std::printf(
        "\n## Attention, %s\n\n| rows | heads / kv | head_dim | GFLOP/s | of peak "
        "|\n|---|---|---|---|---|\n",
        backend->description().c_str());
    for (const auto& [rows, heads, kv, dims] : std::vector<std::array<int, 4>>{{160, 4, 4, 64},
                                                                               {128, 12, 12, 64},
                                                                               {512, 12, 12, 64},
                                                                               {1024, 12, 12, 64},
                                                                               {512, 28, 4, 128},
                                                                               {160, 16, 16, 16}}) {
      const Matrix qkv = filled(*backend, rows, (heads + 2 * kv) * dims);
      const Matrix out = backend->allocate(rows, heads * dims);
      std::vector<int> positions(rows);
      std::iota(positions.begin(), positions.end(), 0);
      const auto time = interleaved(options, threads, {[&, heads = heads, kv = kv, dims = dims] {
                                      backend->attend(qkv.columns(0, heads * dims),
                                                      qkv.columns(heads * dims, kv * dims),
                                                      qkv.columns((heads + kv) * dims, kv * dims),
                                                      positions, {heads, kv, dims}, out);
                                    }});
      const double work = 4.0 * rows * rows * heads * dims;
      std::printf("| %d | %d / %d | %d | %.0f | %.2f |\n", rows, heads, kv, dims,
                  work / time[0] / 1e9, work / time[0] / peak);
    }
  }
}

void bench_rows(const Options& options) {
  for (const int threads : options.threads) {
    const auto backend = make_cpu_backend(threads, options.target);
    std::printf(
        "\n## Row operations, %s: microseconds\n\n| rows | hidden | MLP | rms_norm | rotate | "
        "gated_silu |\n|---|---|---|---|---|---|\n",
        backend->description().c_str());
    for (const auto& [rows, hidden, mlp] :
         std::vector<std::array<int, 3>>{{160, 256, 768}, {1024, 768, 2048}}) {
      const Matrix x = filled(*backend, rows, hidden), y = backend->allocate(rows, hidden);
      const Matrix gate_up = filled(*backend, rows, 2 * mlp), act = backend->allocate(rows, mlp);
      const auto ones = std::vector<float>(hidden, 1.0f);
      const auto gains = backend->load_gains(
          {reinterpret_cast<const std::byte*>(ones.data()), DType::kF32, 1, hidden});
      const auto rotation = backend->make_rotation(rows, {64, 10000});
      std::vector<int> positions(rows);
      std::iota(positions.begin(), positions.end(), 0);
      const auto time = interleaved(options, threads,
                                    {[&] { backend->rms_norm(x, *gains, 1e-5f, y); },
                                     [&] { backend->rotate(x, positions, *rotation); },
                                     [&] { backend->gated_silu(gate_up, act); }});
      std::printf("| %d | %d | %d | %.1f | %.1f | %.1f |\n", rows, hidden, mlp, time[0] * 1e6,
                  time[1] * 1e6, time[2] * 1e6);
    }
    const int rows = 16, vocabulary = 152064;
    Matrix logits = filled(*backend, rows, vocabulary);
    for (int i = 0; i < rows * logits.stride; ++i) static_cast<float*>(logits.memory.get())[i] *= 8;
    std::vector<int> positions(rows);
    std::iota(positions.begin(), positions.end(), 0);
    std::vector<Prediction> out(rows);
    Sampling greedy, drawn, nucleus, top_k;
    drawn.temperature = 1;
    nucleus.temperature = top_k.temperature = 0.2f;
    nucleus.top_p = 0.95f;
    top_k.top_k = 50;
    nucleus.tempered_scores = top_k.tempered_scores = true;
    const auto predict = [&](const Sampling& s) {
      return std::function<void()>([&] { backend->predict(logits, positions, s, out); });
    };
    const auto time = interleaved(
        options, threads, {predict(greedy), predict(drawn), predict(nucleus), predict(top_k)});
    std::printf(
        "\npredict, vocabulary %d, microseconds a row: greedy %.0f, T = 1 %.0f, T = 0.2 and top_p "
        "0.95 %.0f, "
        "T = 0.2 and top_k 50 %.0f\n",
        vocabulary, time[0] / rows * 1e6, time[1] / rows * 1e6, time[2] / rows * 1e6,
        time[3] / rows * 1e6);
  }
}

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
  std::vector<Weights> stored;
  std::vector<std::shared_ptr<const Linear>> weights;
  std::shared_ptr<const Gains> gains;
  std::shared_ptr<const Rotation> rotation;
  std::vector<int> positions;
  Matrix x, normed, qkv, mixed, gate_up, act;
};

void bench_forward(const Options& options) {
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
void bench_quantised(const Options& options) {
  constexpr DType kTypes[] = {DType::kBF16, DType::kQ8_0, DType::kQ4_K};
  const int n = options.quick ? 4096 : 8192, k = 4096;
  for (const int threads : options.threads) {
    const auto backend = make_cpu_backend(threads, options.target);
    std::vector<Weights> weights;
    for (const DType type : kTypes) weights.emplace_back(n, k, type);
    std::printf(
        "\n## Quantised weights, %d x %d, %s\n\nGB/s of weights as stored; time with bf16 weights "
        "over time with these (wanted with one row: 1.3 and 1.5).\n\n"
        "| M | bf16 | Q8_0 | Q4_K | bf16 / Q8_0 | bf16 / Q4_K |\n|---|---|---|---|---|---|\n",
        n, k, backend->description().c_str());
    for (const int m : {1, 2, 4, 8, 16, 64}) {
      const Matrix x = filled(*backend, m, k), out = backend->allocate(m, n);
      std::vector<std::function<void()>> works;
      for (const Weights& w : weights)
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
  umf::Options options;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick") {
      options.quick = true;
    } else if (option == "--target" && i + 1 < argc) {
      options.target = argv[++i];
    } else if (option == "--threads" && i + 1 < argc) {
      options.threads = {std::max(1, std::atoi(argv[++i]))};
    } else if (option == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      std::fprintf(stderr,
                   "usage: cpu_bench [--quick] [--target NAME] [--threads N] [--only "
                   "matmul|few|bf16|attention|rows|forward|quantised]\n");
      return 2;
    }
  }
  std::printf("# cpu backend, %u hardware threads\n", std::thread::hardware_concurrency());
  if (only.empty() || only == "matmul") umf::bench_matmul(options);
  if (only.empty() || only == "few") umf::bench_few_rows(options);
  if (only.empty() || only == "bf16") umf::bench_bf16(options);
  if (only.empty() || only == "attention") umf::bench_attention(options);
  if (only.empty() || only == "rows") umf::bench_rows(options);
  if (only.empty() || only == "forward") umf::bench_forward(options);
  if (only.empty() || only == "quantised") umf::bench_quantised(options);
}
