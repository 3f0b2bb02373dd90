#include "model/gguf_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace umf {
namespace {

constexpr const char* kFrequencies = "rope_freqs.weight";

using Tensors = std::map<std::string, StoredTensor>;

StoredTensor stored(const GgufTensor& tensor) {
  StoredTensor result{std::string(tensor.type->name), tensor.sizes, tensor.bytes};
  std::ranges::reverse(result.shape);  // the row length last
  return result;
}

bool all_ones(const StoredTensor& tensor) {
  if (tensor.type != "F32") return false;
  for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &tensor.bytes[at], sizeof value);
    if (value != 1) return false;
  }
  return true;
}

class WeightsBuilder {
 public:
  WeightsBuilder(GgufModel& model, const GgufArchitecture& kind, const Architecture& architecture)
      : model_(model), kind_(kind), architecture_(architecture) {}

  Weights build() {
    for (const GgufTensor& tensor : model_.tensors) tensors_.emplace(tensor.name, stored(tensor));
    drop_frequencies();
    for (int n = 0; n < architecture_.layers; ++n) {
      if (kind_.fused_qkv) split_qkv(n);
      require_biases(n);
      require_stacks(n);
      if (!kind_.paired_rows) continue;
      undo_pairs(name(n, names_.query) + ".weight", architecture_.attention.heads);
      undo_pairs(name(n, names_.key) + ".weight", architecture_.attention.kv_heads);
    }
    return Weights::of(model_.metadata.where(), std::move(model_.files), std::move(tensors_),
                       std::move(copies_));
  }

 private:
  std::string name(int layer, const std::string& tensor) const {
    return fmt::format("{}{}.{}", names_.layer, layer, tensor);
  }

  // Factors of the rotation's frequencies: without effect where they are 1.
  void drop_frequencies() {
    const auto found = tensors_.find(kFrequencies);
    if (found == tensors_.end()) return;
    if (!all_ones(found->second))
      throw Error(
          fmt::format("{}: tensor '{}' scales the rotation, which is not supported (only "
                      "factors of 1)",
                      model_.metadata.where(), kFrequencies));
    tensors_.erase(found);
  }

  // Rows of q, k and v, in this order.
  void split_qkv(int layer) {
    for (const char* part : {".weight", ".bias"}) {
      const auto fused = tensors_.find(name(layer, "attn_qkv") + part);
      if (fused == tensors_.end()) continue;
      const StoredTensor whole = fused->second;
      const std::int64_t rows = architecture_.query_cols() + 2 * architecture_.kv_cols();
      if (whole.shape.front() != rows)
        throw Error(fmt::format("{}: tensor '{}' has {} rows, but q, k and v have {}",
                                model_.metadata.where(), fused->first, whole.shape.front(), rows));
      tensors_.erase(fused);
      const std::size_t row_bytes = whole.bytes.size() / rows;
      std::size_t first = 0;
      for (const auto& [tensor, count] : {std::pair{names_.query, architecture_.query_cols()},
                                          std::pair{names_.key, architecture_.kv_cols()},
                                          std::pair{names_.value, architecture_.kv_cols()}}) {
        StoredTensor slice = whole;
        slice.shape.front() = count;
        slice.bytes = whole.bytes.subspan(first * row_bytes, count * row_bytes);
        tensors_.emplace(name(layer, tensor) + part, std::move(slice));
        first += count;
      }
    }
  }

  void require_biases(int layer) const {
    if (!architecture_.qkv_bias) return;
    for (const std::string& tensor : {names_.query, names_.key, names_.value}) {
      const std::string bias = name(layer, tensor) + ".bias";
      if (tensors_.contains(bias)) continue;
      throw Error(
          fmt::format("{}: tensor '{}' is missing: some converters drop the biases, and "
                      "without them this is not the model; take another file",
                      model_.metadata.where(), bias));
    }
  }

  // What stacks are split into has names that the format does not know.
  void require_stacks(int layer) const {
    if (!kind_.has_experts) return;
    const ExpertNames& e = names_.experts;
    const bool fused = tensors_.contains(name(layer, e.stacked_gate_up));
    for (const std::string& stack : {e.stacked_gate, e.stacked_up, e.stacked_down}) {
      if (tensors_.contains(name(layer, stack)) || (fused && stack != e.stacked_down)) continue;
      throw Error(
          fmt::format("{}: tensor '{}' is missing", model_.metadata.where(), name(layer, stack)));
    }
  }

  // Puts the rows of every head back into the checkpoint's order. A tensor of another shape stays
  // as it is: it will be refused with what is expected.
  void undo_pairs(const std::string& tensor, int heads) {
    const auto found = tensors_.find(tensor);
    const int width = architecture_.attention.head_dim;
    if (found == tensors_.end() || found->second.shape.front() != heads * width) return;
    const std::span<const std::byte> file = found->second.bytes;
    const std::size_t row_bytes = file.size() / (static_cast<std::size_t>(heads) * width);
    std::vector<std::byte>& copy = copies_.emplace_back(file.size());
    for (int row = 0; row < heads * width; ++row) {
      const std::size_t from = row / width * width + paired_row(row % width, width);
      std::memcpy(&copy[row * row_bytes], &file[from * row_bytes], row_bytes);
    }
    found->second.bytes = copy;
  }

  GgufModel& model_;
  const GgufArchitecture& kind_;
  const Architecture& architecture_;
  const TensorNames& names_ = gguf_tensor_names();
  Tensors tensors_;
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace

Weights gguf_weights(GgufModel& model, const GgufArchitecture& kind,
                     const Architecture& architecture) {
  return WeightsBuilder(model, kind, architecture).build();
}

}  // namespace umf
