// What benchmarks of the cpu backend share: works in interleaved rounds, and weights as a file
// holds them.
//
// Everything compared in one row of a table is measured in the same interleaved rounds, and the
// numbers are medians over the rounds: on a shared machine neighbours disturb all columns alike.
// With one thread the clock is that of the thread, which stands still while others have the core;
// with more it is the wall's, and a short sample starts when every thread has a core of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "support/bench_peak.h"
#include "support/bench_timing.h"
#include "support/quantised_weights.h"

namespace umf {

struct CpuBenchOptions {
  bool quick = false;
  std::string target, only;
  std::vector<int> threads{1, 2};

  bool wants(const char* part) const { return only.empty() || only == part; }
};

// Ends the program where it is called in another way.
inline CpuBenchOptions cpu_bench_options(int argc, char** argv, const char* parts) {
  CpuBenchOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick") {
      options.quick = true;
    } else if (option == "--target" && i + 1 < argc) {
      options.target = argv[++i];
    } else if (option == "--threads" && i + 1 < argc) {
      options.threads = {std::max(1, std::atoi(argv[++i]))};
    } else if (option == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--quick] [--target NAME] [--threads N] [--only %s]\n",
                   argv[0], parts);
      std::exit(2);
    }
  }
  std::printf("# cpu backend, %u hardware threads\n", std::thread::hardware_concurrency());
  return options;
}

inline const Kernels& kernels_of(const std::string& target) {
  for (const Kernels& kernels : cpu_kernels()) {
    if (target.empty() || kernels.name == target) return kernels;
  }
  std::fprintf(stderr, "error: no such target: %s\n", target.c_str());
  std::exit(2);
}

inline double fma_peak(const CpuBenchOptions& options, int threads) {
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
  Quiet(const CpuBenchOptions& options, int threads)
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
inline std::vector<double> interleaved(const CpuBenchOptions& options, int threads,
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

inline std::vector<float> random_floats(std::size_t count) {
  std::mt19937 engine(1);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(engine() % 2001) / 1000.0f - 1;
  return values;
}

inline Matrix filled(Backend& backend, int rows, int cols) {
  const Matrix m = backend.allocate(rows, cols);
  const auto values = random_floats(static_cast<std::size_t>(rows) * m.stride);
  std::memcpy(m.memory.get(), values.data(), values.size() * sizeof(float));
  return m;
}

// Weights as a file holds them.
struct StoredWeights {
  StoredWeights(int rows, int cols, DType type) : rows(rows), cols(cols), type(type) {
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

}  // namespace umf
