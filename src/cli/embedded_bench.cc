// What a forward pass of the embedded models reaches of the machine: the share of the rate of fused
// multiply-adds in registers, measured in the same interleaved rounds. Prints Markdown.
//   embedded_bench [--quick]
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "built_in.h"
#include "model/language_model.h"
#include "support/bench_peak.h"
#include "support/bench_timing.h"

namespace umf {
namespace {

constexpr int kPositions = 160, kWindow = 96;  // as in a search: a prompt of 64 tokens

// Long enough that the model's own threads, which wait awake for a while, have gone to sleep.
constexpr long kPeakRounds = 500000;

// Of the products of a pass: in the last layer and the head only the wanted rows.
double operations(const Architecture& a, double wanted) {
  const double h = a.hidden, q = a.query_cols(), kv = a.kv_cols(), length = kPositions;
  const double rows = length * (a.layers - 1) + wanted;
  return 2 * (rows * (2 * h * q + 3.0 * h * a.mlp + 2 * length * q) +
              length * a.layers * 2 * h * kv + wanted * h * a.vocabulary);
}

void measure(const BuiltInFolder& folder, int threads, int rounds) {
  const auto backend = make_cpu_backend(threads, "");
  LanguageModel model(std::string(folder.name), open_checkpoint({folder, ""}), *backend);
  ThreadPool pool(threads);
  std::vector<Token> tokens(kPositions, model.info().tokens.mask);
  std::vector<int> positions(kWindow);
  std::iota(positions.begin(), positions.end(), kPositions - kWindow);
  const Query query{.tokens = tokens, .positions = positions};
  // The first token changes, so that nothing can be reused from the pass before.
  const auto pass = [&] {
    tokens.front() ^= 1;
    model.predict({&query, 1});
  };
  pass();
  std::vector<double> passes;
  double peak = 0;
  for (int round = 0; round < rounds; ++round) {
    passes.push_back(seconds_on(threads, pass));
    peak = std::max(peak, fma_rate(cpu_kernels().front(), pool, kPeakRounds));
  }
  const double time = median(passes);
  const double rate = operations(model.checkpoint().architecture, kWindow) / time;
  fmt::print("| {} | {} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} % |\n", folder.name, threads,
             time * 1e3, 1 / time, rate / 1e9, peak / 1e9, 100 * rate / peak);
}

int run(bool quick) {
  fmt::print(
      "{} positions, {} of them masked and wanted\n\n"
      "| model | threads | ms a pass | passes a second | GFLOP/s | FMA peak | share of the peak |\n"
      "|---|---|---|---|---|---|---|\n",
      kPositions, kWindow);
  for (const BuiltInFolder& folder : built_in_models()) {
    for (const int threads : {1, 2}) measure(folder, threads, quick ? 20 : 200);
  }
  return 0;
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  return umf::run(argc > 1 && std::string_view(argv[1]) == "--quick");
}
