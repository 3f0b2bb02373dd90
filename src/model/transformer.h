// The transformer of every family, written once over the backend's operations.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "model/family.h"
#include "model/layer_tensors.h"
#include "model/safetensors.h"

namespace umf {

// What passes over a sequence leave behind for later ones: keys and values side by side,
// (length, 2 * kv_cols), one matrix per layer.
struct KeyValues {
  std::vector<Matrix> layers;
  // Where later tokens cannot reach back (causal, block-causal) the rows of these tokens are exact
  // for every sequence that begins with the same blocks.
  std::vector<Token> exact;
  int rows = 0;  // that are filled
};

// Holds views of `weights`' memory (or device copies), not the files: keep those alive beside it.
// One thread at a time. The result of a row depends on weights and tokens alone.
class Transformer {
 public:
  // Checks every tensor's name, shape and type before it loads the first. Names in `also` may be
  // present besides those of the architecture; any other is an Error.
  Transformer(Backend& backend, const Architecture& architecture, const TensorNames& names,
              const Weights& weights, std::span<const std::string> also = {});

  // The final normalised hidden state of each of `rows` (ascending or not, repeats allowed), one
  // forward pass. The matrix is valid until the next call. Keys and values go to `kept`, if any.
  // `context` is for architectures with a causal one: where the block begins that is worked on.
  Matrix forward(std::span<const Token> tokens, std::span<const int> rows,
                 KeyValues* kept = nullptr, int context = 0);
  // The same of a pass that computes the rows `active` alone (repeats allowed); those of others are
  // seen as `kept` has them from earlier passes. `rows` are among the active ones, and all of them
  // are there.
  Matrix forward_active(std::span<const Token> tokens, std::span<const int> active,
                        std::span<const int> rows, KeyValues& kept, int context = 0);

  const Architecture& architecture() const { return architecture_; }

 private:
  struct Layer {
    std::shared_ptr<const Gains> attention_norm, mlp_norm;
    std::shared_ptr<const Gains> query_norm, key_norm;  // null where there is no q/k norm
    std::shared_ptr<const Linear> qkv, attention_out;
    std::shared_ptr<const Linear> gate_up = {}, down = {};  // null where experts are all there is
    // Null where there are none.
    std::shared_ptr<const Router> router = {};
    std::shared_ptr<const Experts> experts_gate_up = {}, experts_down = {};
  };
  // Activations for up to `rows` rows; grown on demand and kept, so that a pass allocates nothing.
  struct Scratch {
    int rows = 0;
    Matrix x, h, qkv, query, attended, gate_up, gated;
    Matrix wanted_x, wanted_h;
    Matrix routed;  // what routers and experts see: plain numbers, whatever form `h` has
    std::shared_ptr<Routes> routes;
    Matrix experts_gate_up, experts_out;  // a row per place
  };

  Layer load(const HostLayer& host) const;
  bool remembers() const { return architecture_.attention.kind != AttentionKind::kFull; }
  int first_new_row(std::span<const Token> tokens, std::span<const int> rows, const KeyValues& kept,
                    int context) const;
  // One past the last row that one of `rows` sees, of which `last` is the last.
  int visible_end(int last, int length, int context) const;
  Matrix allocate(int rows, int cols) const {
    return backend_.allocate_for(*embedding_, rows, cols);
  }
  void check_length(std::size_t length) const;
  void reserve(int length, int rows);
  void reserve(int length, KeyValues& kept) const;
  void reserve_experts(const MixtureShape& mixture);
  // From now on for the wanted rows alone: x and, where it is given, h.
  void keep_wanted(Matrix& x, Matrix& h, std::span<const int> wanted);
  void norm_heads(const Matrix& heads, const std::shared_ptr<const Gains>& gains) const;
  void rotate_both(const Matrix& heads, std::span<const int> positions) const;
  void attention(const Layer& layer, const Matrix& x, const Matrix& query,
                 const Matrix& keys_values, std::span<const int> positions, int context);
  void attend(const Matrix& query, const Matrix& keys, const Matrix& values,
              std::span<const int> positions, int context, const Matrix& out) const;
  void mlp(const Layer& layer, const Matrix& x, const Matrix& h);
  void dense(const Layer& layer, const Matrix& x, const Matrix& h);
  void experts(const Layer& layer, const Matrix& h, const Matrix& x);

  Backend& backend_;
  Architecture architecture_;
  std::shared_ptr<const Linear> embedding_;
  std::vector<Layer> layers_;
  std::shared_ptr<const Gains> final_norm_;
  std::shared_ptr<const Rotation> rotation_, query_rotation_;  // the same, or queries grow
  Scratch scratch_;
  KeyValues own_;  // an exact cache; with full attention nothing
};

}  // namespace umf
