#include "backend/cuda/cuda_backend.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>

#include "backend/cuda/check.h"
#include "backend/cuda/cublaslt.h"
#include "backend/cuda/cuda_mixtures.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/product_gated.h"
#include "backend/cuda/residence.h"
#include "backend/cuda/resident.h"
#include "backend/cuda/small.h"
#include "backend/rotation.h"
#include "base/elementary.h"

namespace umf {
namespace {

// The parts of its weight: matrices, of which there are several if they are stored in several
// types; with a bias also that, once per type that an output may have.
struct CudaLinear : Linear, Resident {
  struct Stored {
    DType type;
    int first, rows;  // the outputs that it makes
  };
  std::vector<Stored> matrices;
  bool biased = false;
  DType activations = DType::kBF16;  // of the model that it belongs to
  using Resident::Resident;

  const std::byte* bias_of(DType out) const {
    const auto count = static_cast<int>(matrices.size());
    return biased ? weight->part(out == DType::kF32 ? count + 1 : count) : nullptr;
  }
};

struct CudaGains : Gains, Resident {  // f32
  using Resident::Resident;
};

struct CudaRotation : Rotation, Resident {  // f32: per position all cosines, then all sines
  using Resident::Resident;
};

struct Precision {
  const char* name;
  const char* description;
  DType type;   // of activations (but see `widens`), embeddings and heads
  DType layer;  // of the matrices inside layers and what they are multiplied with
  float tolerance;
  bool widens = false;  // activations of small models are f32 (small.h)
};

constexpr Precision kBf16{"cuda", "bf16", DType::kBF16, DType::kBF16, 2e-2f, /*widens=*/true};
constexpr Precision kF32{"cuda-f32", "f32", DType::kF32, DType::kF32, 1e-4f};
constexpr Precision kFp8{"cuda-fp8", "fp8 inside layers: approximate", DType::kBF16, DType::kF8,
                         1e-1f};
constexpr Precision kW8{"cuda-w8", "bf16, 8-bit weights inside layers: approximate", DType::kBF16,
                        DType::kQ8_0, 5e-2f};

// Which kernels are chosen, and in which order they add, depends on all of it; drivers and clocks
// change no result.
std::string arithmetic_of(const cudaDeviceProp& device) {
  const std::size_t version = cublaslt().version();
  return fmt::format("{} ({}.{}, {} units), cuBLASLt {}.{}.{}", device.name, device.major,
                     device.minor, device.multiProcessorCount, version / 10000, version / 100 % 100,
                     version % 100);
}

class CudaBackend final : public Backend {
 public:
  // On the thread's device.
  CudaBackend(const Precision& precision, WeightsCopied copied)
      : precision_(precision),
        type_(precision.type),
        weights_(WeightStore::of_device(current_device())),
        queue_(std::make_shared<Queue>(/*small_models=*/precision.widens)),
        copied_(std::move(copied)),
        mixtures_(
            queue_, type_, /*eight_bits=*/precision.layer != precision.type,
            [this] { return keeps_blocks(type_); },
            [this](auto parts, bool experts) { return load(parts, experts); }) {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, queue_->device()), "asking for the GPU's properties");
    description_ = fmt::format("{}, {} GiB, {}", device.name, device.totalGlobalMem >> 30,
                               precision.description);
    arithmetic_ = arithmetic_of(device);
  }

  std::string_view name() const override { return precision_.name; }
  std::string description() const override { return description_; }
  std::string arithmetic() const override { return arithmetic_; }
  bool approximate() const override { return precision_.layer != precision_.type; }
  float tolerance() const override { return precision_.tolerance; }

  std::shared_ptr<const Linear> load_linear(std::span<const HostTensor> parts,
                                            std::span<const HostTensor> biases) override {
    return load_linear(parts, biases, type_);
  }

  std::shared_ptr<const Linear> load_layer_linear(std::span<const HostTensor> parts,
                                                  std::span<const HostTensor> biases) override {
    return load_linear(parts, biases, precision_.layer);
  }

  std::shared_ptr<const Gains> load_gains(const HostTensor& vector) override {
    const WeightPart part{{vector}, DType::kF32};
    auto gains = std::make_shared<CudaGains>(queue_, load({&part, 1}));
    gains->size = vector.cols;
    return gains;
  }

  std::shared_ptr<Residence> begin_model(const ModelShape& shape,
                                         std::uint64_t experts_on_host) override {
    const DType activations = precision_.widens && is_small(shape) ? DType::kF32 : type_;
    auto residence =
        std::make_shared<CudaResidence>(queue_, weights_, activations, experts_on_host);
    model_ = residence;
    return residence;
  }
  std::uint64_t room_for_weights() const override { return weights_->room(); }

  // Frequencies and angles are rounded to f32 (docs/models.md#rotation).
  std::shared_ptr<const Rotation> make_rotation(int positions,
                                                const RotationShape& shape) override {
    const int width = shape.width(), half = width / 2;
    std::vector<float> table(static_cast<std::size_t>(positions) * width);
    const std::vector<float> frequencies = rotation_frequencies(shape);
    for (int position = 0; position < positions; ++position) {
      const double size = rotation_size(shape, position);
      float* row = &table[static_cast<std::size_t>(position) * width];
      for (int j = 0; j < half; ++j) {
        const double angle = static_cast<float>(position) * frequencies[j];
        row[j] = static_cast<float>(size * elementary::cos(angle));
        row[half + j] = static_cast<float>(size * elementary::sin(angle));
      }
    }
    const HostTensor host{reinterpret_cast<const std::byte*>(table.data()), DType::kF32, positions,
                          width};
    const WeightPart part{{host}, DType::kF32};
    auto rotation = std::make_shared<CudaRotation>(queue_, weights_->load_own({&part, 1}, {}));
    rotation->positions = positions;
    rotation->head_dim = shape.head_dim;
    rotation->rotated = width;
    return rotation;
  }

  Matrix allocate(int rows, int cols) override { return allocate(rows, cols, type_); }
  Matrix allocate_for(const Linear& weight, int rows, int cols) override {
    return allocate(rows, cols, static_cast<const CudaLinear&>(weight).activations);
  }
  Matrix layer_input(const Matrix& place) override {
    return precision_.layer == DType::kF8 ? allocate(place.rows, place.cols, DType::kF8) : place;
  }
  Matrix allocate_logits(int rows, int cols) override { return allocate(rows, cols, DType::kF32); }
  // Of about 256 positions of the published models, which takes no longer than all at once.
  int logits_at_once() const override { return 40'000'000; }
  // A recorded pass serves every number of rows up to the next step.
  int padded_rows(int rows) const override {
    const int step = rows <= 64 ? 16 : rows <= 256 ? 32 : 64;
    return (rows + step - 1) / step * step;
  }

  void embed(const Linear& table, std::span<const Token> tokens, const Matrix& out) override {
    assert(out.rows == static_cast<int>(tokens.size()) && out.cols == table.inputs);
    assert(std::all_of(tokens.begin(), tokens.end(),
                       [&](Token token) { return token >= 0 && token < table.outputs; }));
    const auto& linear = static_cast<const CudaLinear&>(table);
    const Weight& weight = *linear.weight;
    assert(linear.matrices.size() == 1);
    const View rows{weight.part(0), linear.matrices[0].type, table.outputs, table.inputs,
                    table.inputs};
    queue_->push({.kind = OperationKind::kCopyRows,
                  .in = rows,
                  .out = view_of(out),
                  .integers = queue_->place(tokens)},
                 &weight);
  }

  void rms_norm(const Matrix& x, const Gains& gains, float eps, const Matrix& out) override {
    assert(x.rows == out.rows && x.cols == out.cols && gains.size == x.cols);
    const Weight& weight = *static_cast<const CudaGains&>(gains).weight;
    queue_->push({.kind = OperationKind::kNorm,
                  .in = view_of(x),
                  .out = view_of(out),
                  .weight = weight.part(0),
                  .eps = eps},
                 &weight);
  }

  void norm_heads(const Matrix& x, const Gains& gains, float eps) override {
    assert(x.cols % gains.size == 0);
    const Weight& weight = *static_cast<const CudaGains&>(gains).weight;
    queue_->push({.kind = OperationKind::kNormHeads,
                  .out = view_of(x),
                  .weight = weight.part(0),
                  .eps = eps,
                  .head_dim = gains.size},
                 &weight);
  }

  void project(const Matrix& x, const Linear& weight, int first, const Matrix& out) override {
    multiply(x, static_cast<const CudaLinear&>(weight), first, false, out);
  }

  void project_add(const Matrix& x, const Linear& weight, const Matrix& out) override {
    multiply(x, static_cast<const CudaLinear&>(weight), 0, true, out);
  }

  void rotate(const Matrix& x, std::span<const int> positions, const Rotation& rotation) override {
    assert(x.rows == static_cast<int>(positions.size()) && x.cols % rotation.head_dim == 0);
    assert(std::all_of(positions.begin(), positions.end(), [&](int position) {
      return position >= 0 && position < rotation.positions;
    }));
    const Weight& weight = *static_cast<const CudaRotation&>(rotation).weight;
    queue_->push({.kind = OperationKind::kRotate,
                  .out = view_of(x),
                  .weight = weight.part(0),
                  .head_dim = rotation.head_dim,
                  .rotated = rotation.rotated,
                  .integers = queue_->place(positions)},
                 &weight);
  }

  void attend(const Matrix& queries, const Matrix& keys, const Matrix& values,
              std::span<const int> positions, const AttentionShape& shape,
              const Matrix& out) override {
    assert(queries.cols == shape.heads * shape.head_dim && out.cols == queries.cols);
    assert(keys.cols == shape.kv_heads * shape.head_dim && values.cols == keys.cols);
    assert(out.rows == queries.rows && values.rows == keys.rows);
    assert(queries.rows == static_cast<int>(positions.size()));
    queue_->push({.kind = OperationKind::kAttend,
                  .in = view_of(queries),
                  .keys = view_of(keys),
                  .values = view_of(values),
                  .out = view_of(out),
                  .shape = shape,
                  .integers = queue_->place(positions)});
  }

  void project_gated(const Matrix& x, const Linear& weight, const Matrix& room,
                     const Matrix& out) override {
    const auto& linear = static_cast<const CudaLinear&>(weight);
    const Operation op{.kind = OperationKind::kGatedProduct,
                       .in = view_of(x),
                       .out = view_of(out),
                       .room = view_of(room),
                       .weight = linear.weight->part(0),
                       .weight_type = linear.matrices.front().type};
    if (linear.matrices.size() > 1 || linear.biased || !has_gated_kernel(op))
      return Backend::project_gated(x, weight, room, out);
    assert(room.cols == linear.outputs && room.cols == 2 * out.cols);
    queue_->push(op, linear.weight.get());
  }

  void project_gated(const Matrix& x, const Experts& experts, const Routes& routes,
                     const Matrix& room, const Matrix& out) override {
    if (!mixtures_.project_gated(x, experts, routes, out))
      Backend::project_gated(x, experts, routes, room, out);
  }

  void gated_silu(const Matrix& gate_up, const Matrix& out) override {
    assert(gate_up.cols == 2 * out.cols && gate_up.rows == out.rows);
    queue_->push({.kind = OperationKind::kGatedSilu, .in = view_of(gate_up), .out = view_of(out)});
  }

  void relu(const Matrix& x) override {
    queue_->push({.kind = OperationKind::kRelu, .out = view_of(x)});
  }

  void gather(const Matrix& x, std::span<const int> rows, const Matrix& out) override {
    assert(out.rows == static_cast<int>(rows.size()) && out.cols == x.cols);
    assert(std::all_of(rows.begin(), rows.end(), [&](int i) { return i >= 0 && i < x.rows; }));
    queue_->push({.kind = OperationKind::kCopyRows,
                  .in = view_of(x),
                  .out = view_of(out),
                  .integers = queue_->place(rows)});
  }

  void scatter(const Matrix& x, std::span<const int> rows, const Matrix& out) override {
    assert(x.rows == static_cast<int>(rows.size()) && out.cols == x.cols && out.type == x.type);
    assert(std::all_of(rows.begin(), rows.end(), [&](int i) { return i >= 0 && i < out.rows; }));
    queue_->push({.kind = OperationKind::kPutRows,
                  .in = view_of(x),
                  .out = view_of(out),
                  .integers = queue_->place(rows)});
  }

  void predict(const Matrix& logits, std::span<const int> positions, const Sampling& sampling,
               std::span<Prediction> out) override {
    assert(logits.rows == static_cast<int>(positions.size()) && positions.size() == out.size());
    assert(logits.type == DType::kF32);
    if (out.empty()) return;
    const DeviceScope scope(queue_->device());
    results_.at_least(out.size_bytes());
    predict_later(logits, positions, {&sampling, 1}, out.size(), 0);
    copy_back(std::as_writable_bytes(out));
  }

  // The host waits once, for all of them.
  void predict_through(const Linear& head, const Matrix& hidden, const Matrix& logits,
                       std::span<const int> positions, std::span<const Sampling> ways,
                       std::span<Prediction> out) override {
    if (out.empty()) return;
    const DeviceScope scope(queue_->device());
    results_.at_least(out.size_bytes());
    const int wanted = static_cast<int>(positions.size());
    for (int first = 0; first < wanted; first += logits.rows) {
      const int rows = std::min(logits.rows, wanted - first);
      project_rows(head, hidden, first, logits);
      predict_later(logits.row_range(0, rows), positions.subspan(first, rows), ways, wanted, first);
    }
    copy_back(std::as_writable_bytes(out));
  }

  // Where other products inside layers have fewer bits, experts have weights of eight: with the few
  // rows that they get, it is bytes that count.
  Mixtures& mixtures() override { return mixtures_; }

  void read(const Matrix& x, std::span<float> out) override {
    assert(out.size() == static_cast<std::size_t>(x.rows) * x.cols);
    if (out.empty()) return;
    const DeviceScope scope(queue_->device());
    queue_->flush();
    results_.at_least(out.size_bytes());
    launch_pack(view_of(x), static_cast<float*>(results_.data()), queue_->stream());
    copy_back(std::as_writable_bytes(out));
  }

 private:
  // Rows start on 128-byte lines; the factors of kF8 follow the last.
  Matrix allocate(int rows, int cols, DType type) {
    const int step = type == DType::kF8 ? 128 : 64;
    const int stride = (cols + step - 1) / step * step;
    const std::size_t count = std::max<std::size_t>(static_cast<std::size_t>(rows) * stride, step);
    const std::size_t scales = type == DType::kF8 ? rows * sizeof(float) : 0;
    return {queue_->pool().allocate(count * size_of(type) + scales),
            0,
            rows,
            cols,
            stride,
            type,
            scales > 0 ? count / sizeof(float) : 0};
  }

  // `x` as products with kF8 weights take it. Operations run in order, so one place serves all.
  Matrix narrowed(const Matrix& x) {
    const bool fits = narrowed_.rows >= x.rows && narrowed_.cols == x.cols;
    if (!fits) narrowed_ = allocate(x.rows, x.cols, DType::kF8);
    const Matrix out = narrowed_.row_range(0, x.rows);
    queue_->push({.kind = OperationKind::kNarrow, .in = view_of(x), .out = view_of(out)});
    return out;
  }

  // What the device has of a weight that other backends hold in `type`. Blocks stay blocks where
  // bf16 activations meet them; small models, which take no room, have kernels for bf16 alone.
  // Where layers have blocks, numbers that fill none stay plain.
  DType stored_type(const HostTensor& tensor, DType type) const {
    if (is_quantised(type)) {
      if (is_quantised(tensor.type)) return tensor.type;
      return tensor.cols % block_elements(type) == 0 ? type : type_;
    }
    return is_quantised(tensor.type) && keeps_blocks(type) ? tensor.type : type;
  }
  bool keeps_blocks(DType type) const {
    return type == DType::kBF16 && activations_of_model() == DType::kBF16;
  }

  std::shared_ptr<const Linear> load_linear(std::span<const HostTensor> parts,
                                            std::span<const HostTensor> biases, DType type) {
    assert(!parts.empty() && (biases.empty() || biases.size() == parts.size()));
    std::vector<WeightPart> stored;
    std::vector<CudaLinear::Stored> matrices;
    int outputs = 0;
    for (const HostTensor& part : parts) {
      assert(part.cols == parts[0].cols);
      const DType as = stored_type(part, type);
      if (stored.empty() || stored.back().type != as) {
        stored.push_back({{}, as});
        matrices.push_back({as, outputs, 0});
      }
      stored.back().tensors.push_back(part);
      matrices.back().rows += part.rows;
      outputs += part.rows;
    }
    for (const CudaLinear::Stored& matrix : matrices) {
      if (is_quantised(matrix.type))
        queue_->expect_blocks(static_cast<std::size_t>(matrix.rows) * parts[0].cols);
    }
    if (!biases.empty()) {
      stored.push_back({{biases.begin(), biases.end()}, type_});
      stored.push_back({{biases.begin(), biases.end()}, DType::kF32});
    }
    auto linear = std::make_shared<CudaLinear>(queue_, load(stored));
    linear->matrices = std::move(matrices);
    linear->activations = activations_of_model();
    linear->biased = !biases.empty();
    linear->inputs = parts[0].cols;
    linear->outputs = outputs;
    return linear;
  }

  DType activations_of_model() const {
    const auto model = model_.lock();
    return model ? model->activations() : type_;
  }

  std::shared_ptr<Weight> load(std::span<const WeightPart> parts, bool experts = false) {
    const auto model = model_.lock();
    const Home home = experts && model ? model->home_of_experts(bytes_of(parts)) : Home::kDevice;
    std::shared_ptr<Weight> weight = weights_->load(parts, copied_, home);
    if (model) model->add(weight);
    return weight;
  }

  void multiply(const Matrix& x, const CudaLinear& weight, int first, bool add, const Matrix& out) {
    assert(x.cols == weight.inputs && x.rows == out.rows);
    assert(first >= 0 && first + out.cols <= weight.outputs);
    assert(!add || !weight.biased);
    const bool narrow = weight.matrices.front().type == DType::kF8;
    if (narrow && x.type != DType::kF8) return multiply(narrowed(x), weight, first, add, out);
    for (std::size_t i = 0; i < weight.matrices.size(); ++i) {
      const CudaLinear::Stored& matrix = weight.matrices[i];
      const int from = std::max(first, matrix.first);
      const int to = std::min(first + out.cols, matrix.first + matrix.rows);
      if (from >= to) continue;
      const Matrix columns = out.columns(from - first, to - from);
      const std::byte* bias = weight.bias_of(out.type);
      std::byte* data = weight.weight->part(static_cast<int>(i));
      const int skipped = from - matrix.first;
      const std::size_t numbers = static_cast<std::size_t>(matrix.rows) * weight.inputs;
      queue_->push({.kind = OperationKind::kProduct,
                    .in = view_of(x),
                    .out = view_of(columns),
                    .weight = data + skipped * row_bytes(matrix.type, weight.inputs),
                    .weight_type = matrix.type,
                    .bias = bias ? bias + from * size_of(out.type) : nullptr,
                    .weight_scales = narrow ? factors_of(data, numbers) + skipped : nullptr,
                    .add = add},
                   weight.weight.get());
    }
  }

  // Into the results, where every way has `wanted` places and this part begins at `first`.
  void predict_later(const Matrix& logits, std::span<const int> positions,
                     std::span<const Sampling> ways, std::size_t wanted, int first) {
    const int* where = queue_->place(positions);
    queue_->flush();
    auto* results = static_cast<Prediction*>(results_.data());
    for (std::size_t way = 0; way < ways.size(); ++way) {
      launch_predict(view_of(logits), where, device_sampling(ways[way]),
                     results + way * wanted + first, queue_->stream());
    }
  }

  // Through page-locked memory: the device writes there by itself.
  void copy_back(std::span<std::byte> to) {
    if (!host_results_ || host_results_->bytes() < to.size())
      host_results_ = std::make_unique<PinnedArray>(results_.bytes());
    check(cudaMemcpyAsync(host_results_->data(), results_.data(), to.size(), cudaMemcpyDeviceToHost,
                          queue_->stream()),
          "copying results from the device");
    queue_->finish();
    std::memcpy(to.data(), host_results_->data(), to.size());
  }

  const Precision& precision_;
  DType type_;
  std::shared_ptr<WeightStore> weights_;
  std::shared_ptr<Queue> queue_;
  std::weak_ptr<CudaResidence> model_;  // what is being loaded belongs to it
  WeightsCopied copied_;
  CudaMixtures mixtures_;
  std::string description_, arithmetic_;
  DeviceArray results_;
  std::unique_ptr<PinnedArray> host_results_;
  Matrix narrowed_;
};

std::unique_ptr<Backend> make(const Precision& precision, const std::string& objection,
                              const std::vector<DeviceFacts>& devices, int device,
                              WeightsCopied copied) {
  if (!objection.empty())
    throw Error(fmt::format("backend '{}' cannot run here: {}", precision.name, objection));
  if (device < 0 || std::cmp_greater_equal(device, devices.size()))
    throw Error(fmt::format("backend '{}': there is no GPU {} among {}", precision.name, device,
                            devices.size()));
  if (const std::string& reason = devices[device].objection; !reason.empty())
    throw Error(
        fmt::format("backend '{}' cannot run on GPU {}: {}", precision.name, device, reason));
  start_device(device);
  const DeviceScope scope(device);
  return std::make_unique<CudaBackend>(precision, std::move(copied));
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(int device, WeightsCopied copied) {
  return make(kBf16, cuda_objection(), cuda_devices(), device, std::move(copied));
}
std::unique_ptr<Backend> make_cuda_f32_backend(int device, WeightsCopied copied) {
  return make(kF32, cuda_objection(), cuda_devices(), device, std::move(copied));
}
std::unique_ptr<Backend> make_cuda_w8_backend(int device, WeightsCopied copied) {
  return make(kW8, cuda_objection(), cuda_devices(), device, std::move(copied));
}
std::unique_ptr<Backend> make_cuda_fp8_backend(int device, WeightsCopied copied) {
  return make(kFp8, cuda_fp8_objection(), cuda_fp8_devices(), device, std::move(copied));
}

}  // namespace umf
