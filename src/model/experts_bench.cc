// Passes of a mixture of experts with LLaDA2-mini's shape beside what they consist of at least: the
// products (dense ones, and the same grouped ones with rows that were sent to their experts before)
// and the attention, alone and in the same run. Random weights; every figure is a median of
// interleaved rounds.
//   experts_bench [--backend NAME] [--rounds N] [--quick]
// --quick: three layers.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "backend/backends.h"
#include "base/error.h"
#include "model/transformer.h"
#include "support/bench_timing.h"
#include "support/random_weights.h"

namespace umf {
namespace {

std::vector<int> numbers(int first, int count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// What a pass over `rows` rows behind `before` others multiplies, over all layers.
class Parts {
 public:
  Parts(Backend& backend, const Architecture& a, const Weights& weights)
      : backend_(backend), a_(a), host_(find_tensors(a, kLlada2.names, weights, {&head_, 1})) {
    for (const HostLayer& layer : host_.layers) load(layer);
    table_ = backend_.load_linear({&host_.embedding, 1}, {});
    gains_ = backend_.load_gains(host_.final_norm);
  }

  void prepare(int before, int rows) {
    const MixtureShape& mixture = *a_.mixture;
    const int q = a_.query_cols(), kv = a_.kv_cols(), places = rows * mixture.routing.chosen;
    const int width = std::max(a_.mlp, mixture.shared_width);
    positions_ = numbers(before, rows);
    x_ = backend_.allocate(rows, a_.hidden);
    routed_ = backend_.allocate(rows, a_.hidden);
    h_ = backend_.layer_input(backend_.allocate(rows, a_.hidden));
    qkv_ = backend_.allocate(rows, q + 2 * kv);
    keys_values_ = backend_.allocate(before + rows, 2 * kv);
    attended_ = backend_.allocate(rows, q);
    wide_ = backend_.allocate(rows, 2 * width);
    gated_ = backend_.layer_input(wide_.columns(0, width));
    expert_wide_ = backend_.allocate(places, 2 * mixture.width);
    expert_out_ = backend_.allocate(places, a_.hidden);
    std::vector<Token> tokens(before + rows);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = i * 37 % a_.vocabulary;
    const Matrix all = backend_.allocate(before + rows, a_.hidden);
    backend_.embed(*table_, tokens, all);
    backend_.rms_norm(all, *gains_, a_.norm_eps, all);
    backend_.project(all, *layers_.front().qkv, q, keys_values_);
    backend_.embed(*table_, std::span(tokens).first(rows), x_);
    backend_.rms_norm(x_, *gains_, a_.norm_eps, routed_);
    backend_.rms_norm(x_, *gains_, a_.norm_eps, h_);
    backend_.project(h_, *layers_.front().qkv, 0, qkv_);
    attention();
    route();
    products();
    backend_.gated_silu(wide_.columns(0, 2 * width), gated_);
    wait();
  }
  // Experts that rows go to, all layers together.
  int experts_in_use() {
    int count = 0;
    for (const Layer& layer : layers_) {
      if (!layer.router) continue;
      std::vector<ExpertShare> shares(layer.routes->places());
      backend_.mixtures().read(*layer.routes, shares);
      std::set<int> experts;
      for (const ExpertShare& share : shares) experts.insert(share.expert);
      count += static_cast<int>(experts.size());
    }
    return count;
  }

  void products() {
    for (const Layer& layer : layers_) {
      const int width = layer.down ? layer.down->inputs : 0;
      backend_.project(h_, *layer.qkv, 0, qkv_);
      backend_.project_add(attended_, *layer.out, x_);
      if (layer.down) {
        backend_.project(h_, *layer.gate_up, 0, wide_.columns(0, 2 * width));
        backend_.project_add(gated_.columns(0, width), *layer.down, x_);
      }
      if (layer.router) experts(layer);
    }
    wait();
  }
  void experts() {
    for (const Layer& layer : layers_)
      if (layer.router) experts(layer);
    wait();
  }
  void route() {
    for (const Layer& layer : layers_)
      if (layer.router) backend_.mixtures().route(routed_, *layer.router, *layer.routes);
    wait();
  }
  void attention() {
    const int q = a_.query_cols(), kv = a_.kv_cols();
    for (int n = 0; n < a_.layers; ++n)
      backend_.attend(qkv_.columns(0, q), keys_values_.columns(0, kv), keys_values_.columns(kv, kv),
                      positions_, a_.attention, attended_);
    wait();
  }

 private:
  struct Layer {
    std::shared_ptr<const Linear> qkv, out, gate_up, down;
    std::shared_ptr<const Router> router;
    std::shared_ptr<const Experts> experts_gate_up, experts_down;
    std::shared_ptr<Routes> routes;
  };

  void load(const HostLayer& host) {
    const auto linear = [&](const std::vector<HostTensor>& parts) {
      return backend_.load_layer_linear(parts, {});
    };
    Layer layer{.qkv = linear(host.qkv), .out = linear({host.attention_out})};
    if (!host.gate_up.empty()) {
      layer.gate_up = linear(host.gate_up);
      layer.down = linear({host.down});
    }
    if (!host.experts_down.empty()) {
      Mixtures& mixtures = backend_.mixtures();
      layer.router = mixtures.load_router(host.router, nullptr, a_.mixture->routing);
      layer.experts_gate_up = mixtures.load_experts(host.experts_gate_up);
      layer.experts_down = mixtures.load_experts(host.experts_down);
      layer.routes = mixtures.allocate_routes();
    }
    layers_.push_back(std::move(layer));
  }
  void experts(const Layer& layer) {
    Mixtures& mixtures = backend_.mixtures();
    mixtures.project(routed_, *layer.experts_gate_up, *layer.routes, expert_wide_);
    mixtures.project_add(expert_wide_.columns(0, a_.mixture->width), *layer.experts_down,
                         *layer.routes, expert_out_, x_);
  }
  void wait() {
    float number = 0;
    backend_.read(x_.row_range(0, 1).columns(0, 1), {&number, 1});
  }

  Backend& backend_;
  Architecture a_;
  std::string head_ = kLlada2.names.head;
  HostTransformer host_;
  std::vector<Layer> layers_;
  std::shared_ptr<const Linear> table_;
  std::shared_ptr<const Gains> gains_;
  std::vector<int> positions_;
  Matrix x_, routed_, h_, qkv_, keys_values_, attended_, wide_, gated_, expert_wide_, expert_out_;
};

// A pass over the last `rows` of the tokens, behind what is remembered of those before.
class Pass {
 public:
  Pass(Backend& backend, const Architecture& a, const Weights& weights)
      : backend_(backend),
        transformer_(backend, a, kLlada2.names, weights, {&kLlada2.names.head, 1}) {}

  void run(int before, int rows) {
    if (std::cmp_not_equal(tokens_.size(), before + rows)) {
      tokens_.resize(before + rows);
      for (std::size_t i = 0; i < tokens_.size(); ++i) tokens_[i] = i * 37 % 150'000;
      kept_ = {};
    }
    tokens_[before] = (tokens_[before] + 1) % 150'000;  // the first row that is not remembered
    const Matrix out = transformer_.forward(tokens_, numbers(before, rows), &kept_);
    float number = 0;
    backend_.read(out.row_range(0, 1).columns(0, 1), {&number, 1});
  }

 private:
  Backend& backend_;
  Transformer transformer_;
  std::vector<Token> tokens_;
  KeyValues kept_;
};

void measure(Backend& backend, Architecture a, int rounds) {
  const RandomWeights random(a, kLlada2.names);
  const Weights weights = random.weights();
  const auto residence = backend.begin_model(a.shape(), 0);
  Pass pass(backend, a, weights);
  Parts parts(backend, a, weights);
  fmt::print("{}: {} layers, 8 of 256 experts, {:.1f} GB of weights; the head is left out\n\n",
             backend.description(), a.layers, static_cast<double>(weights.bytes()) / 1e9);
  fmt::print(
      "| rows | behind | pass ms | products and sums | attention | pass / (both) | routers | "
      "experts "
      "alone | experts in use, a layer | their weights, TB/s |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [rows, before] : {std::pair{32, 1024}, {64, 1024}, {256, 1024}, {1024, 0}}) {
    parts.prepare(before, rows);
    std::vector<std::vector<double>> times(5);
    for (int round = -3; round < rounds; ++round) {
      const double t[] = {seconds_of([&, rows = rows, before = before] { pass.run(before, rows); }),
                          seconds_of([&] { parts.products(); }),
                          seconds_of([&] { parts.attention(); }),
                          seconds_of([&] { parts.route(); }), seconds_of([&] { parts.experts(); })};
      for (int i = 0; round >= 0 && i < 5; ++i) times[i].push_back(1e3 * t[i]);
    }
    std::vector<double> t;
    for (const auto& one : times) t.push_back(median(one));
    const int in_use = parts.experts_in_use();
    const double bytes = 2.0 * in_use * 3 * a.mixture->width * a.hidden;
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.3f} | {:.2f} | {:.2f} | {} | {:.2f} |\n",
               rows, before, t[0], t[1], t[2], t[0] / (t[1] + t[2]), t[3], t[4],
               in_use / (a.layers - 1), bytes / t[4] / 1e9);
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  std::string name = "cuda";
  int rounds = 15;
  Architecture a = llada2_mini();
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick")
      a.layers = 3, a.mixture->layers.resize(3), rounds = 3;
    else if (option == "--backend" && i + 1 < argc)
      name = argv[++i];
    else if (option == "--rounds" && i + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++i]));
    else
      throw Error("experts_bench takes --backend NAME, --rounds N and --quick, not " + option);
  }
  measure(*make_backend(name, {}), a, rounds);
  return 0;
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  try {
    return umf::run(argc, argv);
  } catch (const umf::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
