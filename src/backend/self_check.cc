// Every operation against plain loops, on inputs small enough to take milliseconds.
#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <numeric>
#include <vector>

#include "backend/backends.h"
#include "backend/reference/reference_backend.h"

namespace umf {
namespace {

// Numbers around 0 from a fixed stream.
std::vector<float> noise(int count, int stream) {
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i) {
    values[i] = open_unit(noise_word({7, 7}, stream, i)) * 2 - 1;
  }
  return values;
}

HostTensor host(const std::vector<float>& values, int rows, int cols) {
  return {reinterpret_cast<const std::byte*>(values.data()), DType::kF32, rows, cols};
}

std::vector<std::uint16_t> rounded_to_bf16(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t word;
    std::memcpy(&word, &values[i], sizeof word);
    bits[i] = static_cast<std::uint16_t>(word >> 16);
  }
  return bits;
}

// Blocks at random, but for their factors (half floats), which are between 2^-7 and 2^-6.
std::vector<std::byte> random_blocks(DType type, int count, int stream) {
  const std::size_t size = block_bytes(type);
  std::vector<std::byte> blocks(count * size);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t at = type == DType::kQ6_K ? (i + size - 208) % size : i % size;
    const bool exponent = at == 1 || (at == 3 && has_minimum(type));
    blocks[i] = static_cast<std::byte>(exponent ? 0x20 : noise_word({7, 7}, stream, i) & 255);
  }
  return blocks;
}

// One small attention layer and one MLP through every operation, the results after each stage.
class Exercise {
 public:
  explicit Exercise(Backend& backend) : backend_(backend) {}

  struct Stage {
    const char* name;
    std::vector<float> numbers;
    bool exact_input = false;  // the same on every backend, whatever its activations are made of
  };

  std::vector<Stage> run() {
    const auto table = load(1, kVocabulary, kHidden);
    const auto bias_values = noise(3 * kHidden, 3);
    const auto weight_values = noise(3 * kHidden * kHidden, 2);
    const HostTensor weight = host(weight_values, 3 * kHidden, kHidden);
    const HostTensor bias = host(bias_values, 1, 3 * kHidden);
    const auto biased = backend_.load_linear({&weight, 1}, {&bias, 1});
    const auto bits = rounded_to_bf16(noise(2 * kHidden * kHidden, 4));
    const HostTensor narrow{reinterpret_cast<const std::byte*>(bits.data()), DType::kBF16,
                            2 * kHidden, kHidden};
    const auto gate_up = backend_.load_linear({&narrow, 1}, {});
    const auto gain_values = noise(kHidden, 5);
    const auto gains = backend_.load_gains(host(gain_values, 1, kHidden));
    const auto rotation = backend_.make_rotation(kRows, {kHeadDim, 10000.0});
    const AttentionShape shape{kHidden / kHeadDim, kHidden / kHeadDim, kHeadDim,
                               AttentionKind::kBlockCausal, 4};
    std::vector<Token> tokens(kRows);
    std::vector<int> positions(kRows);
    std::iota(positions.begin(), positions.end(), 0);
    for (int i = 0; i < kRows; ++i) tokens[i] = (i * 7) % kVocabulary;

    // Every stage starts from numbers that all backends hold exactly: what it is off by is its own.
    const Matrix x = backend_.allocate(kRows, kHidden), h = backend_.allocate(kRows, kHidden);
    const Matrix wide = exact(7, 3 * kHidden);
    backend_.embed(*table, tokens, x);
    note("embed", x);
    backend_.rms_norm(exact(8, kHidden), *gains, 1e-6f, h);
    note("rms_norm", h);
    const Matrix heads = exact(15, 3 * kHidden);
    const auto head_gain_values = noise(kHeadDim, 16);
    backend_.norm_heads(heads.columns(kHidden, kHidden),
                        *backend_.load_gains(host(head_gain_values, 1, kHeadDim)), 1e-6f);
    note("norm_heads", heads);
    const Matrix projected = backend_.allocate(kRows, 3 * kHidden);
    backend_.project(exact(9, kHidden), *biased, 0, projected);
    note("project (f32)", projected);
    backend_.attend(wide.columns(0, kHidden), wide.columns(kHidden, kHidden),
                    wide.columns(2 * kHidden, kHidden), positions, shape, h);
    note("attend", h);
    backend_.rotate(wide.columns(0, 2 * kHidden), positions, *rotation);
    note("rotate", wide);
    const Matrix partly = exact(17, 2 * kHidden);
    backend_.rotate(partly, positions, *backend_.make_rotation(kRows, {kHeadDim, 10000.0, 8}));
    note("rotate (part of a head)", partly);
    backend_.project(exact(10, kHidden), *gate_up, 0, projected.columns(0, 2 * kHidden));
    note("project (bf16)", projected.columns(0, 2 * kHidden));
    for (int type = static_cast<int>(DType::kQ4_0); type < static_cast<int>(std::size(kDTypes));
         ++type)
      quantised(static_cast<DType>(type));
    backend_.gated_silu(exact(11, 2 * kHidden), h);
    note("gated_silu", h);
    const Matrix input = backend_.layer_input(backend_.allocate(kRows, kHidden));
    backend_.rms_norm(exact(14, kHidden), *gains, 1e-6f, input);
    backend_.project(input, *backend_.load_layer_linear({&weight, 1}, {&bias, 1}), 0, projected);
    note("a layer's product", projected);
    const HostTensor square = host(weight_values, kHidden, kHidden);
    const Matrix sum = exact(12, kHidden);
    backend_.project_add(exact(13, kHidden), *backend_.load_linear({&square, 1}, {}), sum);
    note("project_add", sum);
    const std::vector<int> reversed(positions.rbegin(), positions.rend());
    backend_.gather(x, reversed, h);
    backend_.relu(h);
    note("gather and relu", h);
    backend_.scatter(x, reversed, h);
    note("scatter", h);
    predict(exact_logits(positions), positions);
    mixture({.experts = 8, .chosen = 3, .normalised = true});
    mixture({.experts = 8,
             .chosen = 2,
             .sigmoid = true,
             .normalised = true,
             .scale = 2.5f,
             .groups = 4,
             .kept_groups = 2});
    return std::move(stages_);
  }

 private:
  static constexpr int kRows = 37, kHidden = 48, kHeadDim = 16, kVocabulary = 301;

  std::shared_ptr<const Linear> load(int stream, int rows, int cols) {
    const auto& values = kept_.emplace_back(noise(rows * cols, stream));
    const HostTensor tensor = host(values, rows, cols);
    return backend_.load_linear({&tensor, 1}, {});
  }

  // Embedding and product with weights that are blocks, each of their types.
  void quantised(DType type) {
    constexpr int kInputs = 512, kOutputs = 24;
    const auto& blocks = kept_blocks_.emplace_back(
        random_blocks(type, kOutputs * kInputs / block_elements(type), 15));
    const HostTensor tensor{blocks.data(), type, kOutputs, kInputs};
    const auto weight = backend_.load_linear({&tensor, 1}, {});
    const Matrix rows = backend_.allocate(kOutputs, kInputs);
    std::vector<Token> tokens(kOutputs);
    std::iota(tokens.begin(), tokens.end(), 0);
    backend_.embed(*weight, tokens, rows);
    note(name_of(type).data(), rows);
    const Matrix out = backend_.allocate(kRows, kOutputs);
    backend_.project(exact(16, kInputs), *weight, 0, out);
    note(name_of(type).data(), out);
  }

  // Activations of seven bits and a sign, which bf16 holds.
  Matrix exact(int stream, int cols, int rows = kRows) {
    auto& values = kept_.emplace_back(noise(rows * cols, stream));
    for (float& value : values) value = std::round(value * 127) / 64;
    const HostTensor tensor = host(values, rows, cols);
    std::vector<Token> tokens(rows);
    std::iota(tokens.begin(), tokens.end(), 0);
    const Matrix matrix = backend_.allocate(rows, cols);
    backend_.embed(*backend_.load_linear({&tensor, 1}, {}), tokens, matrix);
    return matrix;
  }

  // Rows to their experts and back.
  void mixture(const Routing& routing) {
    Mixtures& mixtures = backend_.mixtures();
    const auto tensor = [&](int stream, int rows, int cols) {
      return host(kept_.emplace_back(noise(rows * cols, stream)), rows, cols);
    };
    const HostTensor weight = tensor(18, routing.experts, kHidden),
                     bias = tensor(19, 1, routing.experts);
    std::vector<std::vector<HostTensor>> gate_up, down;
    for (int expert = 0; expert < routing.experts; ++expert) {
      gate_up.push_back({tensor(20 + expert, 24, kHidden), tensor(40 + expert, 24, kHidden)});
      down.push_back({tensor(60 + expert, kHidden, 24)});
    }
    const auto routes = mixtures.allocate_routes();
    mixtures.route(exact(80, kHidden),
                   *mixtures.load_router(weight, routing.sigmoid ? &bias : nullptr, routing),
                   *routes);
    std::vector<ExpertShare> shares(routes->places());
    mixtures.read(*routes, shares);
    std::vector<float> chosen, weights;
    for (const ExpertShare& share : shares) {
      chosen.push_back(static_cast<float>(share.expert));
      weights.push_back(share.weight);
    }
    stages_.push_back({"experts", std::move(chosen), true});
    stages_.push_back({"experts' weights", std::move(weights), true});
    const Matrix wide = backend_.allocate(routes->places(), 48), sum = exact(81, kHidden);
    mixtures.project(exact(82, kHidden), *mixtures.load_experts(gate_up), *routes, wide);
    note("experts' products", wide);
    mixtures.project_add(exact(83, 24, routes->places()), *mixtures.load_experts(down), *routes,
                         backend_.allocate(routes->places(), kHidden), sum);
    note("experts' sums", sum);
  }

  void note(const char* name, const Matrix& matrix) {
    std::vector<float> numbers(static_cast<std::size_t>(matrix.rows) * matrix.cols);
    backend_.read(matrix, numbers);
    stages_.push_back({name, std::move(numbers)});
  }

  // Unit vectors times weights of eight bits: logits that no rounding touches.
  Matrix exact_logits(std::span<const int> positions) {
    auto& units = kept_.emplace_back(kHidden * kHidden);
    for (int i = 0; i < kHidden; ++i) units[i * kHidden + i] = 1;
    auto& weights = kept_.emplace_back(noise(kVocabulary * kHidden, 6));
    for (float& weight : weights) weight = std::round(weight * 127) / 32;
    const HostTensor unit = host(units, kHidden, kHidden);
    const HostTensor head = host(weights, kVocabulary, kHidden);
    const Matrix x = backend_.allocate(kRows, kHidden);
    const Matrix logits = backend_.allocate_logits(kRows, kVocabulary);
    backend_.embed(*backend_.load_linear({&unit, 1}, {}), positions, x);
    backend_.project(x, *backend_.load_linear({&head, 1}, {}), 0, logits);
    return logits;
  }

  void predict(const Matrix& logits, std::span<const int> positions) {
    Sampling sampling;
    for (const float temperature : {0.0f, 0.7f}) {
      sampling.temperature = temperature;
      sampling.top_p = temperature > 0 ? 0.9f : 1.0f;
      sampling.tempered_scores = sampling.plain_probability = temperature > 0;
      std::vector<Prediction> predictions(logits.rows);
      backend_.predict(logits, positions, sampling, predictions);
      std::vector<float> tokens, scores;
      for (const Prediction& p : predictions) {
        tokens.push_back(static_cast<float>(p.token));
        scores.insert(scores.end(), {p.confidence, p.margin, p.entropy, p.probability});
      }
      const bool draws = temperature > 0;
      stages_.push_back({draws ? "drawn tokens" : "best tokens", std::move(tokens), true});
      stages_.push_back({draws ? "scores of draws" : "scores", std::move(scores), true});
    }
  }

  Backend& backend_;
  std::deque<std::vector<float>> kept_;  // weights stay where they are while the backend uses them
  std::deque<std::vector<std::byte>> kept_blocks_;
  std::vector<Stage> stages_;
};

}  // namespace

std::string self_check(Backend& backend) {
  const auto reference = make_reference_backend();
  const auto expected = Exercise(*reference).run();
  const auto actual = Exercise(backend).run();
  for (std::size_t stage = 0; stage < actual.size(); ++stage) {
    const float tolerance = expected[stage].exact_input ? 1e-4f : backend.tolerance();
    float largest = 1;
    for (const float value : expected[stage].numbers) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected[stage].numbers.size(); ++i) {
      const float want = expected[stage].numbers[i], got = actual[stage].numbers[i];
      if (!(std::abs(want - got) <= tolerance * largest)) {
        return fmt::format("{}: number {} is {}, expected {}", expected[stage].name, i, got, want);
      }
    }
  }
  return "";
}

}  // namespace umf
