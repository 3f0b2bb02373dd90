// Speed of the cpu backend's operations: cpu_bench [--quick] [--target NAME] [--threads N] [--only
// PART]. Prints Markdown.
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/cpu_rounds.h"

#ifdef UMF_ONEDNN
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace umf {
namespace {

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

void bench_matmul(const CpuBenchOptions& options) {
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
      const StoredWeights f32(n, k, DType::kF32), bf16(n, k, DType::kBF16), f16(n, k, DType::kF16);
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
void bench_few_rows(const CpuBenchOptions& options) {
  const int n = options.quick ? 4096 : 8192, k = 4096;
  for (const int threads : options.threads) {
    const auto backend = make_cpu_backend(threads, options.target);
    const StoredWeights f32(n, k, DType::kF32), bf16(n, k, DType::kBF16);
    const auto w32 = f32.load(*backend), wb = bf16.load(*backend);
    // The same bytes, only added up.
    ThreadPool pool(threads);
    std::vector<float> sums(64 * 16);
    const auto read = [&](const StoredWeights& w) {
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
void bench_bf16(const CpuBenchOptions& options) {
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
      std::vector<StoredWeights> weights;
      for (const DType type : {DType::kF32, DType::kBF16, DType::kF16}) {
        weights.emplace_back(n, k, type);
      }
      for (const int m : {1, 2, 4, 8, 16, 32, 256, 1024}) {
        const Matrix x = filled(*exact, m, k), out = exact->allocate(m, n);
        std::vector<std::function<void()>> works;
        for (const StoredWeights& w : weights) {
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

void bench_attention(const CpuBenchOptions& options) {
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

void bench_rows(const CpuBenchOptions& options) {
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

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  const auto options = umf::cpu_bench_options(argc, argv, "matmul|few|bf16|attention|rows");
  if (options.wants("matmul")) umf::bench_matmul(options);
  if (options.wants("few")) umf::bench_few_rows(options);
  if (options.wants("bf16")) umf::bench_bf16(options);
  if (options.wants("attention")) umf::bench_attention(options);
  if (options.wants("rows")) umf::bench_rows(options);
}
