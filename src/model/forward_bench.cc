// How much of a forward pass is matrix products, what it reaches of the machine, and what memory it
// takes. Prints Markdown; every figure is a ratio inside one run, medians of interleaved rounds.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "model/language_model.h"
#include "support/bench_peak.h"
#include "support/bench_timing.h"
#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {
namespace {

struct Shape {
  const char* name;
  int layers, hidden, heads, mlp, vocabulary;
  std::vector<int> lengths;
};

const Shape kShapes[] = {
    {"100 M: hidden 768, 12 layers", 12, 768, 12, 2048, 8192, {128, 512, 1024}},
    {"embedded: hidden 256, 8 layers", 8, 256, 4, 1024, 2048, {160}},
};

TinySpec spec_of(const Shape& shape) {
  TinySpec spec = custom_spec(TinyFamily::kLlada);
  spec.name = "bench";
  spec.layers = shape.layers;
  spec.hidden = shape.hidden;
  spec.heads = spec.kv_heads = shape.heads;
  spec.mlp = shape.mlp;
  spec.vocab = shape.vocabulary;
  return spec;
}

// The matrix products of one pass and nothing else: the same weights and shapes, one call per
// product.
class Products {
 public:
  Products(Backend& backend, const Checkpoint& checkpoint, int length)
      : backend_(backend), a_(checkpoint.architecture), length_(length), d_(a_.attention.head_dim) {
    const TensorNames& names = checkpoint.names;
    const Weights& w = checkpoint.weights;
    for (int n = 0; n < a_.layers; ++n) {
      const std::string p = names.layer + std::to_string(n) + ".";
      const auto load = [&](std::vector<HostTensor> parts) {
        return backend_.load_linear(parts, {});
      };
      layers_.push_back({load({w.matrix(p + names.query + ".weight", a_.hidden, a_.hidden),
                               w.matrix(p + names.key + ".weight", a_.hidden, a_.hidden),
                               w.matrix(p + names.value + ".weight", a_.hidden, a_.hidden)}),
                         load({w.matrix(p + names.attention_out, a_.hidden, a_.hidden)}),
                         load({w.matrix(p + names.gate, a_.mlp, a_.hidden),
                               w.matrix(p + names.up, a_.mlp, a_.hidden)}),
                         load({w.matrix(p + names.down, a_.hidden, a_.mlp)})});
    }
    head_ = backend_.load_linear(std::vector{w.matrix(names.head, a_.vocabulary, a_.hidden)}, {});
    key_values_.assign(static_cast<std::size_t>(length) * d_, 0.01f);
    const auto* bytes = reinterpret_cast<const std::byte*>(key_values_.data());
    keys_ = backend_.load_linear(std::vector{HostTensor{bytes, DType::kF32, length, d_}}, {});
    values_ = backend_.load_linear(std::vector{HostTensor{bytes, DType::kF32, d_, length}}, {});
    x_ = backend_.allocate(length, a_.hidden);
    qkv_ = backend_.allocate(length, 3 * a_.hidden);
    scores_ = backend_.allocate(length, length);
    wide_ = backend_.allocate(length, 2 * a_.mlp);
    logits_ = backend_.allocate(length, a_.vocabulary);
    const std::vector<Token> tokens(length, 5);
    const auto table =
        backend_.load_linear(std::vector{w.matrix(names.embedding, a_.vocabulary, a_.hidden)}, {});
    backend_.embed(*table, tokens, x_);
    for (int part = 0; part < 3; ++part)
      backend_.embed(*table, tokens, qkv_.columns(part * a_.hidden, a_.hidden));
  }

  void run() {
    for (const Layer& layer : layers_) {
      backend_.project(x_, *layer.qkv, 0, qkv_);
      for (int head = 0; head < a_.attention.heads; ++head) {
        backend_.project(qkv_.columns(head * d_, d_), *keys_, 0, scores_);
        backend_.project(scores_, *values_, 0, qkv_.columns(head * d_, d_));
      }
      backend_.project(qkv_.columns(0, a_.hidden), *layer.out, 0,
                       qkv_.columns(a_.hidden, a_.hidden));
      backend_.project(x_, *layer.gate_up, 0, wide_);
      backend_.project(wide_.columns(0, a_.mlp), *layer.down, 0,
                       qkv_.columns(a_.hidden, a_.hidden));
    }
    backend_.project(x_, *head_, 0, logits_);
  }

  double flops() const {
    const double rows = length_, h = a_.hidden;
    const double layer = rows * (4 * h * h + 3 * h * a_.mlp) + 2 * rows * rows * h;
    return 2 * (layer * a_.layers + rows * h * a_.vocabulary);
  }

 private:
  struct Layer {
    std::shared_ptr<const Linear> qkv, out, gate_up, down;
  };
  Backend& backend_;
  Architecture a_;
  int length_, d_;
  std::vector<Layer> layers_;
  std::shared_ptr<const Linear> head_, keys_, values_;
  std::vector<float> key_values_;
  Matrix x_, qkv_, scores_, wide_, logits_;
};

struct Timing {
  double pass, products, flops;
};

Timing measure(const std::filesystem::path& directory, int length, int threads, int rounds) {
  const auto backend = make_cpu_backend(threads, "");
  LanguageModel model("bench", open_checkpoint({directory, ""}), *backend);
  Products products(*backend, model.checkpoint(), length);
  const std::vector<Token> tokens(length, model.info().tokens.mask);
  std::vector<int> positions(length);
  std::iota(positions.begin(), positions.end(), 0);
  const Query query{tokens, positions, {}};
  const auto pass = [&] { model.predict({&query, 1}); };
  pass();
  products.run();
  std::vector<double> a, b;
  for (int round = 0; round < rounds; ++round) {
    a.push_back(seconds_of(pass));
    b.push_back(seconds_of([&] { products.run(); }));
  }
  return {median(a), median(b), products.flops()};
}

void time_shapes(int rounds) {
  fmt::print(
      "| shape | positions | pass, 1 thread | pass / products, 1 thread | 2 threads | GFLOP/s of "
      "the pass, 1 thread "
      "| speed-up 1 to 2 threads |\n|---|---|---|---|---|---|---|\n");
  for (const Shape& shape : kShapes) {
    const TemporaryDirectory directory;
    write_random_model(spec_of(shape), directory.path(), {.dtype = "BF16"});
    for (const int length : shape.lengths) {
      const Timing one = measure(directory.path(), length, 1, rounds);
      const Timing two = measure(directory.path(), length, 2, rounds);
      fmt::print("| {} | {} | {:.1f} ms | {:.2f} | {:.2f} | {:.0f} | {:.2f} |\n", shape.name,
                 length, one.pass * 1e3, one.pass / one.products, two.pass / two.products,
                 one.flops / one.pass / 1e9, one.pass / two.pass);
      std::fflush(stdout);
    }
  }
}

// One forward pass of a model on a backend, all positions wanted.
class Pass {
 public:
  Pass(const std::filesystem::path& directory, int length, std::unique_ptr<Backend> backend)
      : backend_(std::move(backend)),
        model_("bench", open_checkpoint({directory, ""}), *backend_),
        tokens_(length, model_.info().tokens.mask),
        positions_(length) {
    std::iota(positions_.begin(), positions_.end(), 0);
  }
  double seconds(int threads) {
    const Query query{tokens_, positions_, {}};
    return seconds_on(threads, [&] { model_.predict({&query, 1}); });
  }

 private:
  std::unique_ptr<Backend> backend_;
  LanguageModel model_;
  std::vector<Token> tokens_;
  std::vector<int> positions_;
};

// cpu-bf16 beside cpu: a pass of each in every round, and the ratio of the two.
void compare_precisions(int rounds) {
  fmt::print(
      "\n| shape | positions | threads | cpu | cpu-bf16 | cpu / cpu-bf16: median | quartiles "
      "|\n|---|---|---|---|---|---|---|\n");
  const Shape& shape = kShapes[0];
  const TemporaryDirectory directory;
  write_random_model(spec_of(shape), directory.path(), {.dtype = "BF16"});
  for (const int length : {8, 32, 256, 1024}) {
    for (const int threads : {1, 2}) {
      Pass exact(directory.path(), length, make_cpu_backend(threads, ""));
      Pass rounded(directory.path(), length, make_cpu_bf16_backend(threads, ""));
      exact.seconds(threads);
      rounded.seconds(threads);
      std::vector<double> a, b, ratios;
      for (int round = 0; round < rounds; ++round) {
        a.push_back(exact.seconds(threads));
        b.push_back(rounded.seconds(threads));
        ratios.push_back(a.back() / b.back());
      }
      std::ranges::sort(ratios);
      fmt::print("| {} | {} | {} | {:.1f} ms | {:.1f} ms | {:.2f} | {:.2f} to {:.2f} |\n",
                 shape.name, length, threads, median(a) * 1e3, median(b) * 1e3, median(ratios),
                 ratios[ratios.size() / 4], ratios[ratios.size() * 3 / 4]);
      std::fflush(stdout);
    }
  }
}

// Passes over few rows behind a whole one (docs/algorithm.md#anchored-passes).
void time_few_rows(int rounds) {
  const Shape& shape = kShapes[0];
  constexpr int kLength = 1024;
  const TemporaryDirectory directory;
  write_random_model(spec_of(shape), directory.path(), {.dtype = "BF16"});
  fmt::print(
      "\n| backend | threads | active of {} | whole pass | pass over them | of a whole one | of "
      "its "
      "arithmetic |\n|---|---|---|---|---|---|---|\n",
      kLength);
  for (const auto& make : {make_cpu_backend, make_cpu_bf16_backend}) {
    for (const int threads : {1, 2}) {
      const auto backend = make(threads, "");
      LanguageModel model("bench", open_checkpoint({directory.path(), ""}), *backend);
      const std::vector<Token> tokens(kLength, model.info().tokens.mask);
      const auto anchor = model.make_anchor();
      for (const int active : {32, 64, 128}) {
        // Masks behind a prompt of a quarter, of which every so many is active.
        std::vector<int> wanted, few;
        for (int i = kLength / 4; i < kLength; ++i) {
          wanted.push_back(i);
          if (i % (kLength * 3 / 4 / active) == 0) few.push_back(i);
        }
        const Query whole{
            .tokens = tokens, .positions = wanted, .sampling = {}, .anchor = anchor.get()};
        const Query part{.tokens = tokens,
                         .positions = few,
                         .sampling = {},
                         .anchor = anchor.get(),
                         .active = few};
        std::vector<double> a, b;
        for (int round = -1; round < rounds; ++round) {
          const double t[] = {seconds_of([&] {
                                model.predict({&whole, 1});
                              }),
                              seconds_of([&] {
                                model.predict({&part, 1});
                              })};
          if (round >= 0) a.push_back(t[0]), b.push_back(t[1]);
        }
        fmt::print("| {} | {} | {} | {:.0f} ms | {:.1f} ms | {:.3f} | {:.3f} |\n", backend->name(),
                   threads, few.size(), median(a) * 1e3, median(b) * 1e3, median(b) / median(a),
                   model.share_of_pass(part));
        std::fflush(stdout);
      }
    }
  }
}

// Peak memory of a process that opens the model and makes one pass, in bytes.
double peak_of_child(const std::filesystem::path& directory, int length) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto backend = make_cpu_backend(1, "");
    LanguageModel model("bench", open_checkpoint({directory, ""}), *backend);
    const std::vector<Token> tokens(length, model.info().tokens.mask);
    const std::vector<int> positions = {0};
    const Query query{tokens, positions, {}};
    model.predict({&query, 1});
    ::_exit(0);
  }
  rusage usage{};
  int status = 0;
  ::wait4(child, &status, 0, &usage);
  return status == 0 ? usage.ru_maxrss * 1024.0 : 0;
}

void measure_memory() {
  const TemporaryDirectory directory;
  TinySpec spec = spec_of({"", 16, 2048, 16, 5632, 16384, {}});
  write_random_model(spec, directory.path(), {.dtype = "BF16", .shards = 2});
  const double bytes = static_cast<double>(Weights::open(directory.path()).bytes());
  constexpr int kLength = 64;
  // x, h, query, attended, wanted x and h; gate and up; keys and values: f32, rows in steps of 256.
  const double activations = 256.0 * 4 * (6 * spec.hidden + 2 * spec.mlp + 2 * spec.hidden);
  const double peak = peak_of_child(directory.path(), kLength);
  fmt::print(
      "\n{:.2f} GB of BF16 weights in 2 files: peak memory of load and one pass {:.2f} GB, without "
      "activations "
      "{:.3f} of the weights\n",
      bytes / 1e9, peak / 1e9, (peak - activations) / bytes);
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const bool quick = mode == "--quick";
  const int rounds = quick ? 3 : 15;
  if (mode != "--precisions" && mode != "--few-rows") umf::time_shapes(rounds);
  if (mode != "--few-rows") umf::compare_precisions(rounds);
  if (mode != "--precisions") umf::time_few_rows(quick ? 1 : 5);
  if (mode.empty()) umf::measure_memory();
  return 0;
}
