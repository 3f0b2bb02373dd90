// A decoding step of the published shapes beside the matrix products and the attention it consists
// of, alone and in the same run. Random weights; every figure is a median of interleaved rounds.
//   engine_bench [--backend NAME] [--weights TYPE] [--positions N,N] [--rounds N]
//                [--logit-rows N,N] [--quick]
// --weights: BF16, or a quantised type such as Q8_0 or Q4_K.
// --logit-rows: steps also with logits of so many positions at a time.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "backend/backends.h"
#include "backend/cuda/cuda_backend.h"
#include "base/error.h"
#include "model/transformer.h"
#include "support/bench_timing.h"
#include "support/random_weights.h"

namespace umf {
namespace {

struct Shape {
  const char* name;
  const Family& family;
  Architecture architecture;
};

std::vector<Shape> shapes(bool quick) {
  Architecture llada = llada_8b(), dream = dream_7b();
  if (quick) llada.layers = dream.layers = 2, llada.vocabulary = dream.vocabulary = 4096;
  return {{"LLaDA-8B", kLlada, llada}, {"Dream-7B", kDream, dream}};
}

// How Dream draws, as its authors recommend it.
const Sampling kDrawn{.temperature = 0.2f, .top_p = 0.95f, .tempered_scores = true};

// The parts of a step, each over all layers with the step's own shapes.
class Parts {
 public:
  Parts(Backend& backend, const Shape& shape, const Weights& w)
      : backend_(backend), a_(shape.architecture) {
    const TensorNames& n = shape.family.names;
    const auto load = [&](std::vector<HostTensor> parts) {
      return backend_.load_layer_linear(parts, {});
    };
    const auto load_table = [&](const HostTensor& table) {
      return backend_.load_linear({&table, 1}, {});
    };
    for (int i = 0; i < a_.layers; ++i) {
      const std::string p = n.layer + std::to_string(i) + ".";
      const int h = a_.hidden;
      layers_.push_back({load({w.matrix(p + n.query + ".weight", a_.query_cols(), h),
                               w.matrix(p + n.key + ".weight", a_.kv_cols(), h),
                               w.matrix(p + n.value + ".weight", a_.kv_cols(), h)}),
                         load({w.matrix(p + n.attention_out, h, a_.query_cols())}),
                         load({w.matrix(p + n.gate, a_.mlp, h), w.matrix(p + n.up, a_.mlp, h)}),
                         load({w.matrix(p + n.down, h, a_.mlp)})});
    }
    head_ = load_table(w.matrix(n.head, a_.vocabulary, a_.hidden));
    table_ = load_table(w.matrix(n.embedding, a_.vocabulary, a_.hidden));
    gains_ = backend_.load_gains(w.vector(n.final_norm, a_.hidden));
  }

  // Activations like those of a step with this many positions.
  void prepare(int length, int wanted) {
    length_ = length;
    wanted_ = wanted;
    const int q = a_.query_cols(), kv = a_.kv_cols();
    rotation_ = backend_.make_rotation(length, a_.rotation());
    x_ = backend_.allocate(length, a_.hidden);
    h_ = backend_.layer_input(backend_.allocate(length, a_.hidden));
    final_ = backend_.allocate(wanted, a_.hidden);
    qkv_ = backend_.allocate(length, q + 2 * kv);
    attended_ = backend_.allocate(length, q);
    wide_ = backend_.allocate(length, 2 * a_.mlp);
    gated_ = backend_.layer_input(wide_.columns(0, a_.mlp));
    logits_ = backend_.allocate_logits(wanted, a_.vocabulary);
    std::vector<Token> tokens(length);
    for (int i = 0; i < length; ++i) tokens[i] = i * 37 % a_.vocabulary;
    backend_.embed(*table_, tokens, x_);
    backend_.embed(*table_, std::span(tokens).first(wanted), final_);
    backend_.rms_norm(x_, *gains_, a_.norm_eps, h_);
    backend_.project(h_, *layers_[0].qkv, 0, qkv_);
    backend_.attend(qkv_.columns(0, q), qkv_.columns(q, kv), qkv_.columns(q + kv, kv), all(),
                    a_.attention, attended_);
    backend_.project(h_, *layers_[0].gate_up, 0, wide_);
    backend_.gated_silu(wide_, gated_);
    products();
  }

  void products() {
    const int q = a_.query_cols(), kv = a_.kv_cols();
    for (int n = 0; n < a_.layers; ++n) {
      const Layer& layer = layers_[n];
      const bool last = n + 1 == a_.layers;
      const int rows = last ? wanted_ : length_;
      if (last) {
        backend_.project(h_, *layer.qkv, q, qkv_.columns(q, 2 * kv));
        backend_.project(h_.row_range(0, rows), *layer.qkv, 0,
                         qkv_.row_range(0, rows).columns(0, q));
      } else {
        backend_.project(h_, *layer.qkv, 0, qkv_);
      }
      // In these shapes what attention gives is as wide as what it gets.
      backend_.project_add(h_.row_range(0, rows), *layer.out, x_.row_range(0, rows));
      backend_.project(h_.row_range(0, rows), *layer.gate_up, 0, wide_.row_range(0, rows));
      backend_.project_add(gated_.row_range(0, rows), *layer.down, x_.row_range(0, rows));
    }
    backend_.project(final_, *head_, 0, logits_);
    wait();
  }
  // Of a pass over few rows, all of which are wanted.
  void few_products(int rows) {
    for (const Layer& layer : layers_) {
      backend_.project(h_.row_range(0, rows), *layer.qkv, 0, qkv_.row_range(0, rows));
      backend_.project_add(h_.row_range(0, rows), *layer.out, x_.row_range(0, rows));
      backend_.project(h_.row_range(0, rows), *layer.gate_up, 0, wide_.row_range(0, rows));
      backend_.project_add(gated_.row_range(0, rows), *layer.down, x_.row_range(0, rows));
    }
    backend_.project(final_.row_range(0, rows), *head_, 0, logits_.row_range(0, rows));
    wait();
  }
  void few_attention(int rows) {
    const int q = a_.query_cols(), kv = a_.kv_cols();
    const std::vector<int> positions = all();
    for (int n = 0; n < a_.layers; ++n)
      backend_.attend(qkv_.columns(0, q).row_range(0, rows), qkv_.columns(q, kv),
                      qkv_.columns(q + kv, kv), std::span(positions).first(rows), a_.attention,
                      attended_.row_range(0, rows));
    wait();
  }
  void attention() {
    const int q = a_.query_cols(), kv = a_.kv_cols();
    const std::vector<int> positions = all();
    for (int n = 0; n < a_.layers; ++n) {
      const int rows = n + 1 == a_.layers ? wanted_ : length_;
      backend_.attend(qkv_.columns(0, q).row_range(0, rows), qkv_.columns(q, kv),
                      qkv_.columns(q + kv, kv), std::span(positions).first(rows), a_.attention,
                      attended_.row_range(0, rows));
    }
    wait();
  }
  void norms() {
    for (int n = 0; n < 2 * a_.layers; ++n) backend_.rms_norm(x_, *gains_, a_.norm_eps, h_);
    wait();
  }
  void rotations() {
    const std::vector<int> positions = all();
    for (int n = 0; n < a_.layers; ++n) {
      backend_.rotate(qkv_.columns(0, a_.query_cols() + a_.kv_cols()), positions, *rotation_);
    }
    wait();
  }
  void activations() {
    for (int n = 0; n < a_.layers; ++n) backend_.gated_silu(wide_, gated_);
    wait();
  }
  void predict() {
    std::vector<Prediction> out(wanted_);
    const std::vector<int> positions = all();
    backend_.predict(logits_, std::span(positions).first(wanted_), {}, out);
  }
  void predict_drawn() {
    std::vector<Prediction> out(wanted_);
    const std::vector<int> positions = all();
    backend_.predict(logits_, std::span(positions).first(wanted_), kDrawn, out);
  }

  double flops() const {
    const double h = a_.hidden, q = a_.query_cols(), kv = a_.kv_cols(), mlp = a_.mlp;
    const double most = 2.0 * length_ * (a_.layers - 1) + 2.0 * wanted_;
    const double products = most * (h * q + q * h + 3 * h * mlp) +
                            2.0 * length_ * a_.layers * h * 2 * kv +
                            2.0 * wanted_ * h * a_.vocabulary;
    return products + most * 2 * length_ * q;
  }

 private:
  struct Layer {
    std::shared_ptr<const Linear> qkv, out, gate_up, down;
  };
  std::vector<int> all() const {
    std::vector<int> positions(length_);
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  void wait() {
    float number = 0;
    backend_.read(x_.row_range(0, 1).columns(0, 1), {&number, 1});
  }

  Backend& backend_;
  Architecture a_;
  int length_ = 0, wanted_ = 0;
  std::vector<Layer> layers_;
  std::shared_ptr<const Linear> head_, table_;
  std::shared_ptr<const Gains> gains_;
  std::shared_ptr<const Rotation> rotation_;
  Matrix x_, h_, qkv_, attended_, wide_, gated_, final_, logits_;
};

// A whole step: tokens in, one more token committed.
class Step {
 public:
  Step(Backend& backend, const Shape& shape, const Weights& weights)
      : backend_(backend),
        transformer_(backend, shape.architecture, shape.family.names, weights,
                     {&shape.family.names.head, 1}) {
    const HostTensor head = weights.matrix(shape.family.names.head, shape.architecture.vocabulary,
                                           shape.architecture.hidden);
    head_ = backend.load_linear({&head, 1}, {});
  }
  // Of `logit_rows` positions logits exist at a time; 0: as many as the backend likes.
  void run(int length, int wanted, const Sampling& sampling, int logit_rows = 0,
           KeyValues* kept = nullptr) {
    if (static_cast<int>(tokens_.size()) != length) {
      tokens_.resize(length);
      for (int i = 0; i < length; ++i) tokens_[i] = (i * 37 + 11) % head_->outputs;
    }
    std::vector<int> rows(wanted);
    std::iota(rows.begin(), rows.end(), length - wanted);
    finish(transformer_.forward(tokens_, rows, kept), rows, sampling, logit_rows);
  }
  // The same over the last `active` rows alone, after a whole one that was kept.
  void run_active(int active, KeyValues& kept) {
    std::vector<int> rows(active);
    std::iota(rows.begin(), rows.end(), static_cast<int>(tokens_.size()) - active);
    finish(transformer_.forward_active(tokens_, rows, rows, kept), rows, {}, 0);
  }

 private:
  void finish(const Matrix& hidden, const std::vector<int>& rows, const Sampling& sampling,
              int logit_rows) {
    const int wanted = static_cast<int>(rows.size());
    const int part = logit_rows > 0 ? std::min(logit_rows, wanted)
                                    : backend_.logit_rows_at_once(wanted, head_->outputs);
    if (logits_.rows < part) logits_ = backend_.allocate_logits(part, head_->outputs);
    std::vector<Prediction> out(wanted);
    backend_.predict_through(*head_, hidden, logits_.row_range(0, part), rows, {&sampling, 1}, out);
    const auto surest = std::max_element(
        out.begin(), out.end(),
        [](const Prediction& a, const Prediction& b) { return a.confidence < b.confidence; });
    tokens_[rows[surest - out.begin()]] = surest->token;
  }

  Backend& backend_;
  Transformer transformer_;
  std::shared_ptr<const Linear> head_;
  std::vector<Token> tokens_;
  Matrix logits_;
};

double milliseconds(const std::function<void()>& work) { return 1000 * seconds_of(work); }

// TFLOP/s of one large product: what the machine gives at best.
double peak(Backend& backend, bool quick) {
  const int n = quick ? 512 : 8192;
  std::vector<std::uint16_t> numbers(static_cast<std::size_t>(n) * n);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint16_t>(0x3C00 | (i * 2654435761u >> 16 & 0x80FF));
  }
  const HostTensor host{reinterpret_cast<const std::byte*>(numbers.data()), DType::kBF16, n, n};
  const std::vector<float> ones(n, 1.0f);
  const HostTensor gains{reinterpret_cast<const std::byte*>(ones.data()), DType::kF32, 1, n};
  const auto table = backend.load_linear({&host, 1}, {});
  const auto weight = backend.load_layer_linear({&host, 1}, {});
  const Matrix y = backend.allocate(n, n), x = backend.layer_input(backend.allocate(n, n));
  std::vector<Token> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  backend.embed(*table, rows, y);
  backend.rms_norm(y, *backend.load_gains(gains), 1e-6f, x);
  std::vector<double> times;
  constexpr int kTogether = 8;
  for (int round = 0; round < 6; ++round) {
    times.push_back(milliseconds([&] {
      for (int i = 0; i < kTogether; ++i) backend.project(x, *weight, 0, y);
      float number = 0;
      backend.read(y.row_range(0, 1).columns(0, 1), {&number, 1});
    }));
  }
  return kTogether * 2.0 * n * n * n / median({times.begin() + 2, times.end()}) / 1e9;
}

struct Plan {
  std::vector<int> lengths = {768, 1024, 1280, 2048};
  std::vector<int> logit_rows;
  int rounds = 15;
  DType weights = DType::kBF16;
};

// Passes over few of `length` rows, behind a whole one.
void measure_few(Step& step, Parts& parts, int length, const Plan& plan, double gigabytes) {
  fmt::print(
      "\n| positions | active | pass ms | products | attention | pass / products | weights, TB/s "
      "|\n"
      "|---|---|---|---|---|---|---|\n");
  KeyValues kept;
  for (const int active : {8, 32, 64, 128, 192, 256}) {
    if (active > length - 1) break;
    parts.prepare(length, active);
    step.run(length, active, {}, 0, &kept);
    std::vector<std::vector<double>> times(3);
    for (int round = -3; round < 2 * plan.rounds; ++round) {
      const double t[] = {milliseconds([&] { step.run_active(active, kept); }),
                          milliseconds([&] { parts.few_products(active); }),
                          milliseconds([&] { parts.few_attention(active); })};
      for (int i = 0; round >= 0 && i < 3; ++i) times[i].push_back(t[i]);
    }
    const double pass = median(times[0]), products = median(times[1]);
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.3f} | {:.2f} |\n", length, active, pass,
               products, median(times[2]), pass / products, gigabytes / products);
    std::fflush(stdout);
  }
}

void measure(Backend& backend, const Shape& shape, const Plan& plan, double peak) {
  const auto start = BenchClock::now();
  const RandomWeights random(shape.architecture, shape.family.names, {}, plan.weights);
  const Weights weights = random.weights();
  Step step(backend, shape, weights);
  Parts parts(backend, shape, weights);
  fmt::print("\n{}: {:.1f} GB of {} weights ready after {:.1f} s, {:.1f} GiB of the GPU taken\n\n",
             shape.name, static_cast<double>(weights.bytes()) / 1e9, name_of(plan.weights),
             seconds_since(start), static_cast<double>(cuda_memory_in_use(0)) / (1 << 30));
  fmt::print(
      "| positions | wanted | step ms | step, top-p | products | attention | "
      "step / (products + attention) | norms | rotation | activation | predict | predict, top-p | "
      "TFLOP/s | of peak |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const int length : plan.lengths) {
    for (const int wanted : {std::max(length - 256, 1), 32}) {
      parts.prepare(length, wanted);
      using Work = std::function<void()>;
      std::vector<Work> works = {[&] { step.run(length, wanted, {}); },
                                 [&] { parts.products(); },
                                 [&] { parts.attention(); },
                                 [&] { parts.norms(); },
                                 [&] { parts.rotations(); },
                                 [&] { parts.activations(); },
                                 [&] { parts.predict(); },
                                 [&] { parts.predict_drawn(); },
                                 [&] { step.run(length, wanted, kDrawn); }};
      const std::size_t first_parted = works.size();
      for (const int rows : plan.logit_rows)
        works.emplace_back([&, rows] { step.run(length, wanted, {}, rows); });
      std::vector<std::vector<double>> times(works.size());
      for (int round = -3; round < plan.rounds; ++round) {
        for (std::size_t i = 0; i < works.size(); ++i) {
          const double time = milliseconds(works[i]);
          if (round >= 0) times[i].push_back(time);
        }
      }
      std::vector<double> t;
      for (const auto& one : times) t.push_back(median(one));
      const double rate = parts.flops() / t[0] / 1e9;
      fmt::print(
          "| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.3f} | {:.2f} | {:.2f} | {:.2f} | "
          "{:.2f} | {:.2f} | {:.0f} | {:.0f} % |\n",
          length, wanted, t[0], t[8], t[1], t[2], t[0] / (t[1] + t[2]), t[3], t[4], t[5], t[6],
          t[7], rate, 100 * rate / peak);
      for (std::size_t i = first_parted; i < works.size(); ++i) {
        fmt::print("  logits of {} positions at a time: {:.2f} ms\n",
                   std::min(plan.logit_rows[i - first_parted], wanted), t[i]);
      }
      std::fflush(stdout);
    }
  }
  const double embedding = 1e-9 * shape.architecture.vocabulary *
                           static_cast<double>(row_bytes(plan.weights, shape.architecture.hidden));
  measure_few(step, parts, plan.lengths.front(), plan,
              static_cast<double>(weights.bytes()) / 1e9 - embedding);
}

std::vector<int> numbers(const std::string& list) {
  std::vector<int> all;
  for (std::size_t at = 0; at < list.size(); at = std::min(list.find(',', at), list.size() - 1) + 1)
    all.push_back(std::max(33, std::atoi(list.c_str() + at)));
  return all;
}

DType weight_type(const std::string& name) {
  const auto* type = std::ranges::find(kDTypes, name, &DTypeFacts::name);
  const DType found = static_cast<DType>(type - kDTypes);
  if (type == std::end(kDTypes) || !(is_quantised(found) || found == DType::kBF16))
    throw Error("--weights is BF16 or a quantised type such as Q8_0 or Q4_K, not " + name);
  return found;
}

int run(int argc, char** argv) {
  std::string name = "cuda";
  Plan plan;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick")
      quick = true;
    else if (option == "--backend" && i + 1 < argc)
      name = argv[++i];
    else if (option == "--weights" && i + 1 < argc)
      plan.weights = weight_type(argv[++i]);
    else if (option == "--positions" && i + 1 < argc)
      plan.lengths = numbers(argv[++i]);
    else if (option == "--rounds" && i + 1 < argc)
      plan.rounds = std::max(1, std::atoi(argv[++i]));
    else if (option == "--logit-rows" && i + 1 < argc)
      plan.logit_rows = numbers(argv[++i]);
    else
      throw Error(
          "engine_bench takes --backend NAME, --weights TYPE, --positions N,N, --rounds N, "
          "--logit-rows N,N and --quick, not " +
          option);
  }
  if (quick) plan.lengths = {64}, plan.rounds = 3;
  const auto backend = make_backend(name, {});
  const double best = peak(*backend, quick);
  fmt::print("{}: {:.0f} TFLOP/s in one large product\n", backend->description(), best);
  for (const Shape& shape : shapes(quick)) measure(*backend, shape, plan, best);
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
