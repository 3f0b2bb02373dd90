// The seam between the models and the machine: memory and about ten tensor operations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/mixtures.h"
#include "backend/tensor.h"

namespace umf {

// A weight matrix (or several that share their input, stacked) as a backend keeps it. On a CPU this
// is a view of the mapped file; on a device it is a copy.
class Linear {
 public:
  virtual ~Linear() = default;
  int inputs = 0, outputs = 0;
};

// A vector of f32 numbers held by the backend: norm gains.
class Gains {
 public:
  virtual ~Gains() = default;
  int size = 0;
};

// cos and sin of every (position, frequency), from position 0; made once per model and length.
class Rotation {
 public:
  virtual ~Rotation() = default;
  int positions = 0, head_dim = 0;
  int rotated = 0;  // of a head's numbers, the first
};

// The weights of one model in a device's own memory. They leave it for memory of the host when
// others need the room, and come back as they were.
class Residence {
 public:
  virtual ~Residence() = default;
  virtual bool here() const = 0;
  // Nothing may use the weights until they are back. The first time costs a copy, later ones
  // nothing.
  virtual void leave() = 0;
  // Starts the way back; operations wait for the weights that they need. Throws Error when there is
  // no room.
  virtual void return_to_device() = 0;
  virtual double seconds_returning() const = 0;  // all ways back together, as the device saw them
};

// Contract of every operation: row i of a result depends on the inputs that belong to row i alone
// and is the same, bit for bit, whatever the number of rows, threads or calls before. Shapes are
// the caller's duty (asserted). A backend serves one thread at a time.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual std::string description() const = 0;  // for people: "AVX-512, 2 threads"
  // What its results depend on beside models and options, where they are not the same bits on every
  // machine: the kind of device and of its libraries, "NVIDIA H200 (9.0, 132 units), cuBLASLt
  // 13.1.0". Empty where they are.
  virtual std::string arithmetic() const { return ""; }
  // Whether it computes something else than the model says, near it but faster. Results are marked.
  virtual bool approximate() const { return false; }
  // How far one operation may be from exact numbers, relative to the largest of them.
  virtual float tolerance() const { return 1e-4f; }

  // Weights. `parts` share their input width; `biases` is empty or has one entry per part.
  virtual std::shared_ptr<const Linear> load_linear(std::span<const HostTensor> parts,
                                                    std::span<const HostTensor> biases) = 0;
  // The same for the matrices inside layers, which an approximate backend multiplies with fewer
  // bits. The embedding and what is judged (heads) never are.
  virtual std::shared_ptr<const Linear> load_layer_linear(std::span<const HostTensor> parts,
                                                          std::span<const HostTensor> biases) {
    return load_linear(parts, biases);
  }
  virtual std::shared_ptr<const Gains> load_gains(const HostTensor& vector) = 0;
  virtual std::shared_ptr<const Rotation> make_rotation(int positions,
                                                        const RotationShape& shape) = 0;

  // What is loaded from now on, until the next call, are the weights of one model of this shape.
  // The first of its experts, so many bytes of them, stay in the host's memory, where a device
  // reads those that rows go to. Nothing where weights are used where they lie.
  virtual std::shared_ptr<Residence> begin_model(const ModelShape&,
                                                 std::uint64_t /*experts_on_host*/) {
    return nullptr;
  }
  // How many bytes of weights could be loaded now.
  virtual std::uint64_t room_for_weights() const { return UINT64_MAX; }

  // Activations, uninitialised.
  virtual Matrix allocate(int rows, int cols) = 0;
  // The same for the model that `weight` was loaded for: some are computed in other numbers.
  virtual Matrix allocate_for(const Linear& /*weight*/, int rows, int cols) {
    return allocate(rows, cols);
  }
  // Where a norm, an activation or a gather puts rows that products with layer linears alone will
  // read: `place` itself, or memory of the same shape in the form that those products take.
  virtual Matrix layer_input(const Matrix& place) { return place; }
  // A matrix for what is judged rather than fed to a next layer. f32 whatever the activations are:
  // probabilities from rounded logits are wrong by several percent.
  virtual Matrix allocate_logits(int rows, int cols) { return allocate(rows, cols); }
  // How many logits may exist at a time.
  virtual int logits_at_once() const { return 1 << 24; }

  // How many rows to ask for when `rows` are wanted; the caller repeats some to fill up. A device
  // that records passes and replays them (CUDA graphs) rounds up, to have fewer kinds to record.
  virtual int padded_rows(int rows) const { return rows; }

  // out[i] = table[tokens[i]]
  virtual void embed(const Linear& table, std::span<const Token> tokens, const Matrix& out) = 0;
  // out = x / sqrt(mean(x^2) + eps) * gains, row by row. `out` may be `x`.
  virtual void rms_norm(const Matrix& x, const Gains& gains, float eps, const Matrix& out) = 0;
  // The same for every head of a row by itself, in place: gains.size neighbouring numbers.
  virtual void norm_heads(const Matrix& x, const Gains& gains, float eps) = 0;
  // out = x W^T + b for the output columns [first, first + out.cols) of `weight`.
  virtual void project(const Matrix& x, const Linear& weight, int first, const Matrix& out) = 0;
  // out += x W^T: an output projection and its residual.
  virtual void project_add(const Matrix& x, const Linear& weight, const Matrix& out) = 0;
  // Rotates each head of row i by the angles of positions[i], half-split pairs, in place; what
  // stands behind a head's rotated numbers stays.
  virtual void rotate(const Matrix& x, std::span<const int> positions,
                      const Rotation& rotation) = 0;
  // Softmax attention. Query row i stands at positions[i]; keys and values stand at 0 ..
  // keys.rows-1.
  virtual void attend(const Matrix& queries, const Matrix& keys, const Matrix& values,
                      std::span<const int> positions, const AttentionShape& shape,
                      const Matrix& out) = 0;
  // out = silu(gate) * up, where gate and up are the halves of `gate_up`'s columns.
  virtual void gated_silu(const Matrix& gate_up, const Matrix& out) = 0;
  // The same of a product: `weight` has the gate's outputs, then as many of up. `room` is memory
  // for them, of which `out` may be the first half.
  virtual void project_gated(const Matrix& x, const Linear& weight, const Matrix& room,
                             const Matrix& out) {
    project(x, weight, 0, room);
    gated_silu(room, out);
  }
  // The same of the experts that rows go to, one row per place.
  virtual void project_gated(const Matrix& x, const Experts& experts, const Routes& routes,
                             const Matrix& room, const Matrix& out) {
    mixtures().project(x, experts, routes, room);
    gated_silu(room, out);
  }
  // x = max(x, 0)
  virtual void relu(const Matrix& x) = 0;
  // out[i] = x[rows[i]]; a row may be taken several times.
  virtual void gather(const Matrix& x, std::span<const int> rows, const Matrix& out) = 0;
  // out[rows[i]] = x[i]; a row that comes several times is the same each time.
  virtual void scatter(const Matrix& x, std::span<const int> rows, const Matrix& out) = 0;
  // One prediction per row of logits; positions[i] is the noise position of row i.
  virtual void predict(const Matrix& logits, std::span<const int> positions,
                       const Sampling& sampling, std::span<Prediction> out) = 0;
  // The same through a head, for every way of sampling: row i of `hidden`, which may have more rows
  // than there are positions, gives out[way * positions.size() + i]. `logits` is room for those of
  // as many rows as shall exist at a time.
  virtual void predict_through(const Linear& head, const Matrix& hidden, const Matrix& logits,
                               std::span<const int> positions, std::span<const Sampling> ways,
                               std::span<Prediction> out) {
    const int wanted = static_cast<int>(positions.size());
    for (int first = 0; first < wanted; first += logits.rows) {
      const int rows = std::min(logits.rows, wanted - first);
      project_rows(head, hidden, first, logits);
      for (std::size_t way = 0; way < ways.size(); ++way) {
        predict(logits.row_range(0, rows), positions.subspan(first, rows), ways[way],
                out.subspan(way * wanted + first, rows));
      }
    }
  }
  // Copies to the host as f32, rows packed.
  virtual void read(const Matrix& x, std::span<float> out) = 0;

  // What models with experts need besides.
  virtual Mixtures& mixtures() = 0;

  // How many of `rows` rows of logits shall exist at a time. Parts of equal size: a small last one
  // would take nearly as long as a full one.
  int logit_rows_at_once(int rows, int vocabulary) const {
    const int most = std::max(logits_at_once() / vocabulary, 1);
    const int parts = (rows + most - 1) / most;
    return std::min(padded_rows((rows + parts - 1) / parts), rows);
  }
  // Logits of as many rows of `hidden` from `first` on as there are and fit.
  void project_rows(const Linear& head, const Matrix& hidden, int first, const Matrix& logits) {
    const int rows = std::min(logits.rows, hidden.rows - first);
    project(hidden.row_range(first, rows), head, 0, logits.row_range(0, rows));
  }
};

}  // namespace umf
