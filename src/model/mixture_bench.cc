// A pass of a mixture of experts against its products alone: what routing, gathering and adding up
// cost. Prints Markdown; every figure is a ratio inside one run, medians of interleaved rounds.
#include <fmt/core.h>

#include <numeric>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "model/language_model.h"
#include "model/layer_tensors.h"
#include "support/bench_timing.h"
#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {
namespace {

constexpr int kLayers = 2;

// The widths of LLaDA-MoE-7B-A1B: 8 of 64 experts.
TinySpec spec() {
  TinySpec spec = custom_spec(TinyFamily::kLladaMoe);
  spec.name = "bench";
  spec.layers = kLayers;
  spec.hidden = 2048;
  spec.heads = spec.kv_heads = 16;
  spec.experts = 64;
  spec.chosen = 8;
  spec.expert_width = 1024;
  spec.vocab = 8192;
  return spec;
}

std::vector<Token> some_tokens(int length) {
  std::vector<Token> tokens(length);
  for (int i = 0; i < length; ++i) tokens[i] = static_cast<Token>(i * 2654435761u % 8000);
  return tokens;
}

// The matrix products of one pass and nothing else, one call per product: every expert with as many
// rows as are sent to it when its router is asked about the tokens' embeddings.
class Products {
 public:
  Products(Backend& backend, const Checkpoint& checkpoint, int length)
      : backend_(backend), a_(checkpoint.architecture), d_(a_.attention.head_dim) {
    const std::string& head = checkpoint.head_name();
    const HostTransformer host = find_tensors(a_, checkpoint.names, checkpoint.weights, {&head, 1});
    x_ = backend_.allocate(length, a_.hidden);
    backend_.embed(*load({host.embedding}), some_tokens(length), x_);
    backend_.rms_norm(x_, *backend_.load_gains(host.final_norm), a_.norm_eps, x_);
    for (const HostLayer& layer : host.layers) load_layer(layer);
    head_ = load({checkpoint.weights.matrix(head, a_.vocabulary, a_.hidden)});
    key_values_.assign(static_cast<std::size_t>(length) * d_, 0.01f);
    const auto* bytes = reinterpret_cast<const std::byte*>(key_values_.data());
    keys_ = load({HostTensor{bytes, DType::kF32, length, d_}});
    values_ = load({HostTensor{bytes, DType::kF32, d_, length}});
    const int q = a_.query_cols(), kv = a_.kv_cols(), width = a_.mixture->width;
    qkv_ = backend_.allocate(length, q + 2 * kv);
    backend_.project(x_, *layers_.front().qkv, 0, qkv_);
    out_ = backend_.allocate(length, a_.hidden);
    scores_ = backend_.allocate(length, std::max(length, a_.mixture->routing.experts));
    wide_ = backend_.allocate(length, 2 * width);
    logits_ = backend_.allocate(length, a_.vocabulary);
  }

  void run() {
    const int length = x_.rows, width = a_.mixture->width;
    for (const Layer& layer : layers_) {
      backend_.project(x_, *layer.qkv, 0, qkv_);
      for (int head = 0; head < a_.attention.heads; ++head) {
        backend_.project(qkv_.columns(head * d_, d_), *keys_, 0, scores_.columns(0, length));
        backend_.project(scores_.columns(0, length), *values_, 0, qkv_.columns(head * d_, d_));
      }
      backend_.project(qkv_.columns(0, a_.query_cols()), *layer.out, 0, out_);
      backend_.project(x_, *layer.router, 0, scores_.columns(0, layer.router->outputs));
      for (const Expert& expert : layer.experts) {
        const Matrix wide = wide_.row_range(0, expert.rows);
        backend_.project(x_.row_range(0, expert.rows), *expert.gate_up, 0, wide);
        backend_.project(wide.columns(0, width), *expert.down, 0, out_.row_range(0, expert.rows));
      }
    }
    backend_.project(x_, *head_, 0, logits_);
  }

 private:
  struct Expert {
    int rows = 0;
    std::shared_ptr<const Linear> gate_up, down;
  };
  struct Layer {
    std::shared_ptr<const Linear> qkv, out, router;
    std::vector<Expert> experts;
  };

  std::shared_ptr<const Linear> load(const std::vector<HostTensor>& parts) {
    return backend_.load_linear(parts, {});
  }

  void load_layer(const HostLayer& host) {
    const int experts = a_.mixture->routing.experts;
    Layer layer{load(host.qkv), load({host.attention_out}), load({host.router}), {}};
    for (int e = 0; e < experts; ++e)
      layer.experts.push_back({0, load(host.experts_gate_up[e]), load(host.experts_down[e])});
    Mixtures& mixtures = backend_.mixtures();
    const auto routes = mixtures.allocate_routes();
    mixtures.route(x_, *mixtures.load_router(host.router, nullptr, a_.mixture->routing), *routes);
    std::vector<ExpertShare> shares(routes->places());
    mixtures.read(*routes, shares);
    for (const ExpertShare& share : shares) ++layer.experts[share.expert].rows;
    std::erase_if(layer.experts, [](const Expert& expert) { return expert.rows == 0; });
    layers_.push_back(std::move(layer));
  }

  Backend& backend_;
  Architecture a_;
  int d_;
  std::vector<Layer> layers_;
  std::shared_ptr<const Linear> head_, keys_, values_;
  std::vector<float> key_values_;
  Matrix x_, qkv_, out_, scores_, wide_, logits_;
};

void measure(const std::filesystem::path& directory, std::unique_ptr<Backend> backend, int threads,
             int length, int rounds) {
  LanguageModel model("bench", open_checkpoint({directory, ""}), *backend);
  Products products(*backend, model.checkpoint(), length);
  const std::vector<Token> tokens = some_tokens(length);
  std::vector<int> positions(length);
  std::iota(positions.begin(), positions.end(), 0);
  const Query query{tokens, positions, {}};
  std::vector<double> passes, alone, ratios;
  for (int round = -1; round < rounds; ++round) {
    const double pass = seconds_of([&] { model.predict({&query, 1}); });
    const double product = seconds_of([&] { products.run(); });
    if (round < 0) continue;
    passes.push_back(pass);
    alone.push_back(product);
    ratios.push_back(pass / product);
  }
  fmt::print("| {} | {} | {} | {:.0f} ms | {:.0f} ms | {:.2f} |\n", backend->name(), threads,
             length, median(passes) * 1e3, median(alone) * 1e3, median(ratios));
  std::fflush(stdout);
}

void run(int rounds) {
  const TemporaryDirectory directory;
  write_random_model(spec(), directory.path(), {.dtype = "BF16"});
  fmt::print(
      "| backend | threads | positions | pass, {} layers, 8 of 64 experts | its products | ratio "
      "|\n|---|---|---|---|---|---|\n",
      kLayers);
  for (const int threads : {1, 2}) {
    for (const int length : {32, 256}) {
      measure(directory.path(), make_cpu_backend(threads, ""), threads, length, rounds);
      measure(directory.path(), make_cpu_bf16_backend(threads, ""), threads, length, rounds);
    }
  }
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  umf::run(argc > 1 && std::string(argv[1]) == "--quick" ? 3 : 11);
  return 0;
}
