#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "backend/cpu/cpu_mixtures.h"
#include "backend/cpu/products.h"
#include "backend/rotation.h"
#include "base/elementary.h"
#include "base/error.h"

namespace umf {
namespace {

struct CpuGains : Gains {
  std::vector<float> values;
};

struct CpuRotation : Rotation {
  std::vector<float> cosines, sines;  // (positions, rotated / 2)
};

std::string name_of_target(const std::string& target) {
  if (target == "avx512bf16") return "AVX512_BF16";
  return target == "avx512" ? "AVX-512" : target == "avx2" ? "AVX2" : target;
}

// What the two backends of this folder differ in, beside their kernels.
struct Precision {
  const char* name;
  float tolerance;
};
constexpr Precision kF32{"cpu", 1e-4f}, kBf16{"cpu-bf16", 2e-2f};

class CpuBackend : public Backend {
 public:
  CpuBackend(int threads, const Precision& precision, const Kernels& kernels)
      : precision_(precision),
        kernels_(kernels),
        workspace_(threads),
        products_(kernels, workspace_),
        mixtures_(kernels, workspace_, products_),
        blocks_(std::make_shared<BlockPool>()),
        predict_scratch_(threads) {}

  std::string_view name() const override { return precision_.name; }
  std::string description() const override {
    const bool rounds_alone = kernels_.step_keys == 1;
    const int threads = workspace_.pool.threads();
    return name_of_target(kernels_.name) +
           (rounds_alone ? " without bf16 dot products, no faster than cpu" : "") + ", " +
           std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }
  float tolerance() const override { return precision_.tolerance; }

  std::shared_ptr<const Linear> load_linear(std::span<const HostTensor> parts,
                                            std::span<const HostTensor> biases) override {
    assert(biases.empty() || biases.size() == parts.size());
    auto linear = make_linear(parts);
    for (const HostTensor& bias : biases) append_widened(bias, linear->bias);
    assert(biases.empty() || static_cast<int>(linear->bias.size()) == linear->outputs);
    return linear;
  }

  std::shared_ptr<const Gains> load_gains(const HostTensor& vector) override {
    auto gains = std::make_shared<CpuGains>();
    append_widened(vector, gains->values);
    gains->size = static_cast<int>(gains->values.size());
    return gains;
  }

  // Frequencies and angles are rounded to f32 (docs/models.md#rotation).
  std::shared_ptr<const Rotation> make_rotation(int positions,
                                                const RotationShape& shape) override {
    auto rotation = std::make_shared<CpuRotation>();
    rotation->positions = positions;
    rotation->head_dim = shape.head_dim;
    rotation->rotated = shape.width();
    const std::vector<float> frequencies = rotation_frequencies(shape);
    for (int position = 0; position < positions; ++position) {
      const double size = rotation_size(shape, position);
      for (const float frequency : frequencies) {
        const double angle = static_cast<float>(position) * frequency;
        rotation->cosines.push_back(static_cast<float>(size * elementary::cos(angle)));
        rotation->sines.push_back(static_cast<float>(size * elementary::sin(angle)));
      }
    }
    return rotation;
  }

  // Rows start on cache lines.
  Matrix allocate(int rows, int cols) override {
    const int stride = ceil_div(cols, 16) * 16;
    const std::size_t count = static_cast<std::size_t>(rows) * stride;
    return {blocks_->allocate(count * sizeof(float)), 0, rows, cols, stride};
  }

  void embed(const Linear& table, std::span<const Token> tokens, const Matrix& out) override {
    const auto& weight = static_cast<const CpuLinear&>(table);
    assert(out.rows == static_cast<int>(tokens.size()) && out.cols == weight.inputs);
    workspace_.for_rows(out.rows, out.cols, [&](int i) {
      Token token = tokens[i];
      assert(token >= 0 && token < weight.outputs);
      const HostTensor* part = weight.parts.data();
      for (; token >= part->rows; ++part) token -= part->rows;
      const std::size_t bytes = row_bytes(part->type, part->cols);
      kernels_.widen(part->data + token * bytes, part->type, part->cols, row(out, i));
    });
  }

  void rms_norm(const Matrix& x, const Gains& gains, float eps, const Matrix& out) override {
    assert(x.rows == out.rows && x.cols == out.cols && gains.size == x.cols);
    const float* values = static_cast<const CpuGains&>(gains).values.data();
    workspace_.for_rows(x.rows, x.cols, [&](int i) {
      kernels_.rms_norm(row(x, i), values, eps, x.cols, row(out, i));
    });
  }

  void norm_heads(const Matrix& x, const Gains& gains, float eps) override {
    assert(x.cols % gains.size == 0);
    const float* values = static_cast<const CpuGains&>(gains).values.data();
    workspace_.for_rows(x.rows, x.cols, [&](int i) {
      float* const end = row(x, i) + x.cols;
      for (float* head = row(x, i); head < end; head += gains.size)
        kernels_.rms_norm(head, values, eps, gains.size, head);
    });
  }

  void project(const Matrix& x, const Linear& weight, int first, const Matrix& out) override {
    products_.multiply(x, static_cast<const CpuLinear&>(weight), first, out);
  }

  void project_add(const Matrix& x, const Linear& weight, const Matrix& out) override {
    assert(out.cols == weight.outputs && static_cast<const CpuLinear&>(weight).bias.empty());
    products_.multiply_add(x, static_cast<const CpuLinear&>(weight), out);
  }

  void rotate(const Matrix& x, std::span<const int> positions, const Rotation& rotation) override {
    const auto& tables = static_cast<const CpuRotation&>(rotation);
    const int half = tables.rotated / 2, heads = x.cols / tables.head_dim;
    assert(x.rows == static_cast<int>(positions.size()) && x.cols % tables.head_dim == 0);
    workspace_.for_rows(x.rows, x.cols, [&](int i) {
      assert(positions[i] >= 0 && positions[i] < tables.positions);
      const std::size_t at = static_cast<std::size_t>(positions[i]) * half;
      kernels_.rotate(row(x, i), tables.cosines.data() + at, tables.sines.data() + at,
                      {heads, tables.head_dim, tables.rotated});
    });
  }

  void attend(const Matrix& queries, const Matrix& keys, const Matrix& values,
              std::span<const int> positions, const AttentionShape& shape,
              const Matrix& out) override {
    const int dims = shape.head_dim;
    assert(dims % 8 == 0 && shape.heads % shape.kv_heads == 0);
    assert(queries.cols == shape.heads * dims && out.cols == queries.cols &&
           out.rows == queries.rows);
    assert(keys.cols == shape.kv_heads * dims && values.cols == keys.cols &&
           values.rows == keys.rows);
    assert(queries.rows == static_cast<int>(positions.size()));
    int seen = 0;  // keys past the last that any query sees are not touched
    for (const int position : positions) {
      seen = std::max(seen, shape.visible_keys(position, keys.rows));
    }
    AttentionJob job;
    job.queries = data(queries);
    job.query_stride = queries.stride;
    job.query_rows = queries.rows;
    job.values = data(values);
    job.value_stride = values.stride;
    job.value_head_stride = dims;
    job.keys = seen;
    job.positions = positions;
    job.shape = shape;
    job.out = data(out);
    job.out_stride = out.stride;
    job.packed_stride = static_cast<std::size_t>(seen) * dims;
    float* packed = workspace_.packed.at_least(job.packed_stride * shape.kv_heads);
    job.packed_keys = packed;

    const int key_tiles = ceil_div(seen, kernels_.tile_rows);
    workspace_.for_rows(key_tiles * shape.kv_heads, kernels_.tile_rows * dims, [&](int i) {
      const int head = i / key_tiles;
      kernels_.pack_keys({data(keys) + head * dims, static_cast<std::size_t>(keys.stride), seen,
                          dims, packed + head * job.packed_stride},
                         i % key_tiles);
    });
    if (kernels_.step_keys > 0) pack_values(values, job);
    const std::size_t scratch = kernels_.attention_scratch(job);
    workspace_.pool.parallel_for(
        shape.kv_heads * kernels_.attention_tiles(job), [&](int task, int thread) {
          kernels_.attend(job, task, workspace_.scratch[thread].at_least(scratch));
        });
  }

  void gated_silu(const Matrix& gate_up, const Matrix& out) override {
    assert(gate_up.cols == 2 * out.cols && gate_up.rows == out.rows);
    workspace_.for_rows(out.rows, 4 * out.cols, [&](int i) {
      const float* gate = row(gate_up, i);
      kernels_.gated_silu(gate, gate + out.cols, out.cols, row(out, i));
    });
  }

  void relu(const Matrix& x) override {
    workspace_.for_rows(x.rows, x.cols, [&](int i) { kernels_.relu(row(x, i), x.cols); });
  }

  void gather(const Matrix& x, std::span<const int> rows, const Matrix& out) override {
    assert(out.rows == static_cast<int>(rows.size()) && out.cols == x.cols);
    workspace_.for_rows(out.rows, out.cols, [&](int i) {
      assert(rows[i] >= 0 && rows[i] < x.rows);
      std::memcpy(row(out, i), row(x, rows[i]), x.cols * sizeof(float));
    });
  }

  // On one thread: rows that come several times would race, and there are few.
  void scatter(const Matrix& x, std::span<const int> rows, const Matrix& out) override {
    assert(x.rows == static_cast<int>(rows.size()) && out.cols == x.cols);
    for (int i = 0; i < x.rows; ++i) {
      assert(rows[i] >= 0 && rows[i] < out.rows);
      std::memcpy(row(out, rows[i]), row(x, i), x.cols * sizeof(float));
    }
  }

  void predict(const Matrix& logits, std::span<const int> positions, const Sampling& sampling,
               std::span<Prediction> out) override {
    assert(logits.rows == static_cast<int>(positions.size()) && positions.size() == out.size());
    workspace_.pool.parallel_for(logits.rows, [&](int i, int thread) {
      out[i] = kernels_.predict(row(logits, i), logits.cols, positions[i], sampling,
                                predict_scratch_[thread]);
    });
  }

  void read(const Matrix& x, std::span<float> out) override {
    assert(out.size() == static_cast<std::size_t>(x.rows) * x.cols);
    workspace_.for_rows(x.rows, x.cols, [&](int i) {
      std::memcpy(out.data() + static_cast<std::size_t>(i) * x.cols, row(x, i),
                  x.cols * sizeof(float));
    });
  }

  Mixtures& mixtures() override { return mixtures_; }

 private:
  void append_widened(const HostTensor& tensor, std::vector<float>& to) const {
    const std::size_t count = static_cast<std::size_t>(tensor.rows) * tensor.cols;
    to.resize(to.size() + count);
    kernels_.widen(tensor.data, tensor.type, count, to.data() + to.size() - count);
  }

  // The values that `job` sees, in the form that its products take.
  void pack_values(const Matrix& values, AttentionJob& job) {
    const int dims = job.shape.head_dim, steps = ceil_div(job.keys, kernels_.step_keys);
    job.value_stride = dims;
    job.value_head_stride = static_cast<std::size_t>(steps) * dims;
    float* packed = packed_values_.at_least(job.value_head_stride * job.shape.kv_heads);
    job.values = packed;
    workspace_.for_rows(steps * job.shape.kv_heads, kernels_.step_keys * dims, [&](int i) {
      const int head = i / steps;
      kernels_.pack_values({data(values) + head * dims, static_cast<std::size_t>(values.stride),
                            job.keys, dims, packed + head * job.value_head_stride},
                           i % steps);
    });
  }

  const Precision& precision_;
  const Kernels& kernels_;
  Workspace workspace_;
  CpuProducts products_;
  CpuMixtures mixtures_;
  std::shared_ptr<BlockPool> blocks_;
  Scratch packed_values_;
  std::vector<PredictScratch> predict_scratch_;
};

std::vector<std::string> names_of(const std::vector<Kernels>& all) {
  std::vector<std::string> names;
  for (const Kernels& kernels : all) names.push_back(kernels.name);
  return names;
}

std::unique_ptr<Backend> make(int threads, const std::string& target, const Precision& precision,
                              const std::vector<Kernels>& all) {
  assert(threads >= 1);
  std::string names;
  for (const Kernels& kernels : all) {
    if (target.empty() || target == kernels.name)
      return std::make_unique<CpuBackend>(threads, precision, kernels);
    names += (names.empty() ? "" : ", ") + kernels.name;
  }
  throw Error("CPU target '" + target + "' cannot run here. Choose one of: " + names + ".");
}

}  // namespace

std::vector<std::string> cpu_targets() { return names_of(cpu_kernels()); }
std::vector<std::string> cpu_bf16_targets() { return names_of(cpu_bf16_kernels()); }

std::unique_ptr<Backend> make_cpu_backend(int threads, const std::string& target) {
  return make(threads, target, kF32, cpu_kernels());
}
std::unique_ptr<Backend> make_cpu_bf16_backend(int threads, const std::string& target) {
  return make(threads, target, kBf16, cpu_bf16_kernels());
}

}  // namespace umf
