#include "backend/reference/reference_backend.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "backend/reference/plain_numbers.h"
#include "backend/reference/predict_row.h"
#include "backend/reference/reference_mixtures.h"
#include "backend/rotation.h"
#include "base/elementary.h"

namespace umf {
namespace {

struct ReferenceLinear : Linear {
  std::vector<HostTensor> parts, biases;

  // The weights of output column `column`, and its bias.
  struct Column {
    std::vector<float> weights;
    float bias = 0;
  };
  Column column(int column) const {
    int part = 0;
    while (column >= parts[part].rows) column -= parts[part++].rows;
    return {row_of(parts[part], column), biases.empty() ? 0 : element(biases[part], column)};
  }
};

struct ReferenceGains : Gains {
  std::vector<float> values;
};

struct ReferenceRotation : Rotation {
  std::vector<float> cosine, sine;  // (positions, rotated / 2)
};

class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }
  std::string description() const override { return "plain loops, double sums, 1 thread"; }

  std::shared_ptr<const Linear> load_linear(std::span<const HostTensor> parts,
                                            std::span<const HostTensor> biases) override {
    auto linear = std::make_shared<ReferenceLinear>();
    linear->parts.assign(parts.begin(), parts.end());
    linear->biases.assign(biases.begin(), biases.end());
    linear->inputs = parts.front().cols;
    for (const HostTensor& part : parts) linear->outputs += part.rows;
    return linear;
  }

  std::shared_ptr<const Gains> load_gains(const HostTensor& vector) override {
    auto gains = std::make_shared<ReferenceGains>();
    gains->size = vector.cols;
    for (int i = 0; i < vector.cols; ++i) gains->values.push_back(element(vector, i));
    return gains;
  }

  std::shared_ptr<const Rotation> make_rotation(int positions,
                                                const RotationShape& shape) override {
    auto rotation = std::make_shared<ReferenceRotation>();
    rotation->positions = positions;
    rotation->head_dim = shape.head_dim;
    rotation->rotated = shape.width();
    const std::vector<float> frequencies = rotation_frequencies(shape);
    for (int position = 0; position < positions; ++position) {
      const double size = rotation_size(shape, position);
      for (const float frequency : frequencies) {
        // Frequencies and angles are rounded to float32, as the references compute them.
        const float angle = static_cast<float>(position) * frequency;
        rotation->cosine.push_back(static_cast<float>(size * elementary::cos(angle)));
        rotation->sine.push_back(static_cast<float>(size * elementary::sin(angle)));
      }
    }
    return rotation;
  }

  Matrix allocate(int rows, int cols) override {
    const std::size_t count = static_cast<std::size_t>(rows) * cols;
    return {std::shared_ptr<float[]>(new float[std::max<std::size_t>(count, 1)]), 0, rows, cols,
            cols};
  }

  void embed(const Linear& table, std::span<const Token> tokens, const Matrix& out) override {
    const auto& linear = static_cast<const ReferenceLinear&>(table);
    for (int i = 0; i < out.rows; ++i) {
      std::ranges::copy(linear.column(tokens[i]).weights, row_of(out, i));
    }
  }

  void rms_norm(const Matrix& x, const Gains& gains, float eps, const Matrix& out) override {
    const auto& gain = static_cast<const ReferenceGains&>(gains).values;
    for (int i = 0; i < x.rows; ++i) {
      const float* in = row_of(x, i);
      double squares = 0;
      for (int j = 0; j < x.cols; ++j) squares += static_cast<double>(in[j]) * in[j];
      const double scale = 1.0 / std::sqrt(squares / x.cols + eps);
      for (int j = 0; j < x.cols; ++j) {
        row_of(out, i)[j] = static_cast<float>(in[j] * scale) * gain[j];
      }
    }
  }

  void norm_heads(const Matrix& x, const Gains& gains, float eps) override {
    for (int first = 0; first < x.cols; first += gains.size) {
      const Matrix head = x.columns(first, gains.size);
      rms_norm(head, gains, eps, head);
    }
  }

  void project(const Matrix& x, const Linear& weight, int first, const Matrix& out) override {
    const auto& linear = static_cast<const ReferenceLinear&>(weight);
    for (int j = 0; j < out.cols; ++j) {
      const auto column = linear.column(first + j);
      for (int i = 0; i < out.rows; ++i)
        row_of(out, i)[j] = dot(row_of(x, i), column.weights, column.bias);
    }
  }

  void project_add(const Matrix& x, const Linear& weight, const Matrix& out) override {
    const auto& linear = static_cast<const ReferenceLinear&>(weight);
    for (int j = 0; j < out.cols; ++j) {
      const auto column = linear.column(j);
      for (int i = 0; i < out.rows; ++i)
        row_of(out, i)[j] += dot(row_of(x, i), column.weights, column.bias);
    }
  }

  void rotate(const Matrix& x, std::span<const int> positions, const Rotation& rotation) override {
    const auto& tables = static_cast<const ReferenceRotation&>(rotation);
    const int half = rotation.rotated / 2;
    for (int i = 0; i < x.rows; ++i) {
      const float* cosine = &tables.cosine[static_cast<std::size_t>(positions[i]) * half];
      const float* sine = &tables.sine[static_cast<std::size_t>(positions[i]) * half];
      for (float* head = row_of(x, i); head < row_of(x, i) + x.cols; head += rotation.head_dim) {
        for (int j = 0; j < half; ++j) {
          const float a = head[j], b = head[j + half];
          head[j] = a * cosine[j] - b * sine[j];
          head[j + half] = b * cosine[j] + a * sine[j];
        }
      }
    }
  }

  void attend(const Matrix& queries, const Matrix& keys, const Matrix& values,
              std::span<const int> positions, const AttentionShape& shape,
              const Matrix& out) override {
    const double scale = 1.0 / std::sqrt(static_cast<double>(shape.head_dim));
    std::vector<double> p(keys.rows);
    for (int i = 0; i < queries.rows; ++i) {
      const int seen = shape.visible_keys(positions[i], keys.rows);
      for (int head = 0; head < shape.heads; ++head) {
        const int kv = head / (shape.heads / shape.kv_heads) * shape.head_dim;
        const float* query = row_of(queries, i) + head * shape.head_dim;
        for (int key = 0; key < seen; ++key) {
          p[key] = 0;
          for (int d = 0; d < shape.head_dim; ++d) {
            p[key] += static_cast<double>(query[d]) * row_of(keys, key)[kv + d];
          }
          p[key] *= scale;
        }
        const double largest = *std::max_element(p.begin(), p.begin() + seen);
        double sum = 0;
        for (int key = 0; key < seen; ++key) sum += p[key] = elementary::exp(p[key] - largest);
        for (int d = 0; d < shape.head_dim; ++d) {
          double mean = 0;
          for (int key = 0; key < seen; ++key) mean += p[key] * row_of(values, key)[kv + d];
          row_of(out, i)[head * shape.head_dim + d] = static_cast<float>(mean / sum);
        }
      }
    }
  }

  void gated_silu(const Matrix& gate_up, const Matrix& out) override {
    for (int i = 0; i < out.rows; ++i) {
      for (int j = 0; j < out.cols; ++j) {
        const double gate = row_of(gate_up, i)[j], up = row_of(gate_up, i)[out.cols + j];
        row_of(out, i)[j] = static_cast<float>(gate / (1.0 + elementary::exp(-gate)) * up);
      }
    }
  }

  void relu(const Matrix& x) override {
    for (int i = 0; i < x.rows; ++i) {
      for (int j = 0; j < x.cols; ++j) row_of(x, i)[j] = std::max(row_of(x, i)[j], 0.0f);
    }
  }

  void gather(const Matrix& x, std::span<const int> rows, const Matrix& out) override {
    for (int i = 0; i < out.rows; ++i) std::copy_n(row_of(x, rows[i]), x.cols, row_of(out, i));
  }

  void scatter(const Matrix& x, std::span<const int> rows, const Matrix& out) override {
    for (int i = 0; i < x.rows; ++i) std::copy_n(row_of(x, i), x.cols, row_of(out, rows[i]));
  }

  void predict(const Matrix& logits, std::span<const int> positions, const Sampling& sampling,
               std::span<Prediction> out) override {
    for (int i = 0; i < logits.rows; ++i) {
      const std::span<const float> row(row_of(logits, i), logits.cols);
      out[i] = predict_row(row, positions[i], sampling);
    }
  }

  void read(const Matrix& x, std::span<float> out) override {
    for (int i = 0; i < x.rows; ++i) {
      std::copy_n(row_of(x, i), x.cols, out.begin() + static_cast<std::ptrdiff_t>(i) * x.cols);
    }
  }

  Mixtures& mixtures() override { return *mixtures_; }

 private:
  const std::unique_ptr<Mixtures> mixtures_ = make_reference_mixtures();
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace umf
