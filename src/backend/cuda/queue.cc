#include "backend/cuda/queue.h"

#include <algorithm>
#include <utility>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/small.h"

namespace umf {
namespace {

constexpr std::size_t kIntegers = std::size_t{1} << 21;  // tokens and positions of any context
constexpr std::size_t kWorthRecording = 8;               // operations
constexpr std::size_t kRecordings = 256;
// A pass begins with this many, so that the device works while the host lists the others.
constexpr std::size_t kBeginning = 16;

// A pass of a small model over more rows fills the GPU better as a graph of kernels
// (docs/benchmarks.md#small-models-several-workers).
constexpr int kRowsOfProgram = 64;

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return stream;
}

}  // namespace

Queue::Queue(bool small_models)
    : small_models_(small_models),
      device_(current_device()),
      stream_(make_stream()),
      pool_(std::make_shared<DevicePool>(device_,
                                         [this] {
                                           settle();
                                           WeightStore::of_device(device_)->trim();
                                         })),
      host_integers_(kIntegers * sizeof(int)),
      integers_(kIntegers * sizeof(int)),
      stage_({reinterpret_cast<int*>(host_integers_.data()), kIntegers}) {}

Queue::~Queue() {
  const DeviceScope scope(device_, std::nothrow);
  settle();
  recordings_.clear();
  block_products_.reset();
  gated_products_.reset();
  products_.reset();
  cudaStreamDestroy(stream_);
}

const int* Queue::place(std::span<const int> numbers) {
  return static_cast<const int*>(integers_.data()) + stage_.place(numbers);
}

void Queue::push(const Operation& operation, const Weight* weight) {
  if (operation.out.rows <= 0 || operation.out.cols <= 0) return;
  waiting_.push_back(operation);
  needed_.push_back(weight);
  if (!idle_ || waiting_.size() != kBeginning) return;
  const DeviceScope scope(device_);
  if (!runs_as_program(waiting_)) flush();
}

bool Queue::runs_small(const Operation& operation) const {
  return small_models_ && is_small(operation);
}

bool Queue::runs_as_program(std::span<const Operation> operations) const {
  const auto few = [](const Operation& op) { return op.out.rows <= kRowsOfProgram; };
  return small_models_ && is_program(operations) && std::ranges::all_of(operations, few);
}

void Queue::flush() {
  const DeviceScope scope(device_);
  idle_ = false;
  if (const auto [first, count] = stage_.take_fresh(); count > 0) {
    check(cudaMemcpyAsync(integers_.at(first * sizeof(int)),
                          host_integers_.data() + first * sizeof(int), count * sizeof(int),
                          cudaMemcpyHostToDevice, stream_),
          "copying tokens to the device");
  }
  // What fails is not tried again with the next pass.
  const std::vector<Operation> operations = std::exchange(waiting_, {});
  const std::vector<const Weight*> needed = std::exchange(needed_, {});
  waiting_.reserve(operations.size());
  needed_.reserve(needed.size());
  // A recording would wait for the last weight before its first operation.
  const bool all_arrived = std::ranges::all_of(
      needed, [](const Weight* weight) { return !weight || weight->arrived(); });
  if (!all_arrived || operations.size() < kWorthRecording) return launch_all(operations, needed);
  const bool as_program = runs_as_program(operations);
  const auto same = [&](const Recording& r) { return r.operations == operations; };
  const auto known = std::find_if(recordings_.begin(), recordings_.end(), same);
  if (known == recordings_.end()) {
    recordings_.emplace_front().operations = operations;
    if (recordings_.size() > kRecordings) recordings_.pop_back();
    if (!as_program) return launch_all(operations, needed);
  } else {
    recordings_.splice(recordings_.begin(), recordings_, known);
  }
  replay(recordings_.front(), as_program);
}

void Queue::replay(Recording& recording, bool as_program) {
  if (as_program) {
    if (!recording.program.data()) put_on_device(recording);
    launch_program(static_cast<const Operation*>(recording.program.data()),
                   static_cast<int>(recording.operations.size()), stream_);
  } else {
    if (!recording.graph) record(recording);
    check(cudaGraphLaunch(recording.graph, stream_), "replaying a pass");
  }
  ++replays_;
}

void Queue::put_on_device(Recording& recording) {
  const std::size_t bytes = recording.operations.size() * sizeof(Operation);
  recording.program = pool_->array(bytes);
  check(cudaMemcpyAsync(recording.program.data(), recording.operations.data(), bytes,
                        cudaMemcpyHostToDevice, stream_),
        "copying a list of operations to the device");
}

void Queue::finish() {
  const DeviceScope scope(device_);
  flush();
  const cudaError_t status = cudaStreamSynchronize(stream_);
  stage_.clear();
  idle_ = true;
  check(status, "a pass on the device");
}

void Queue::settle() noexcept {
  try {
    finish();
  } catch (const Error&) {
    waiting_.clear();
    needed_.clear();
  }
}

void Queue::launch_all(std::span<const Operation> operations,
                       std::span<const Weight* const> needed) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    if (needed[i] && !needed[i]->arrived()) needed[i]->await(stream_);
    prepare(operation);
    launch(operation);
  }
}

void Queue::prepare(const Operation& op) {
  const bool gated = op.kind == OperationKind::kGatedProduct;
  if (!gated && (op.kind != OperationKind::kProduct || !is_library_product(op))) return;
  if (!products_) {
    products_ = std::make_unique<Products>(stream_, *pool_);
    block_products_ = std::make_unique<BlockProducts>(*products_, *pool_, stream_);
    gated_products_ = std::make_unique<GatedProducts>(*products_, *pool_, stream_);
  }
  if (gated) return gated_products_->prepare(op);
  if (is_quantised(op.weight_type)) return block_products_->prepare(op, largest_blocks_);
  products_->prepare(op);
}

// Every product was prepared when the sequence ran for the first time: nothing here waits.
void Queue::record(Recording& recording) {
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "recording a pass");
  cudaGraph_t graph = nullptr;
  try {
    for (const Operation& operation : recording.operations) launch(operation);
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph);
    if (graph) cudaGraphDestroy(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream_, &graph), "recording a pass");
  const cudaError_t status = cudaGraphInstantiate(&recording.graph, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "recording a pass");
}

void Queue::launch(const Operation& op) {
  if (runs_small(op)) return launch_small(op, stream_);
  switch (op.kind) {
    case OperationKind::kCopyRows:
    case OperationKind::kPutRows:
      return launch_copy_rows(op, stream_);
    case OperationKind::kNorm:
      return op.out.type == DType::kF8 ? launch_norm_narrow(op, stream_) : launch_norm(op, stream_);
    case OperationKind::kNormHeads:
      return launch_norm_heads(op, stream_);
    case OperationKind::kNarrow:
      return launch_narrow(op, stream_);
    case OperationKind::kProduct:
      if (is_quantised(op.weight_type)) return block_products_->launch(op);
      if (is_library_product(op)) return products_->launch(op);
      return op.in.type == DType::kF8 ? launch_product_f8(op, stream_)
                                      : launch_product_f32(op, stream_);
    case OperationKind::kGatedProduct:
      return gated_products_->launch(op);
    case OperationKind::kRotate:
      return launch_rotate(op, stream_);
    case OperationKind::kAttend:
      return has_fast_attention(op) ? launch_fast_attention(op, stream_)
                                    : launch_attention(op, stream_);
    case OperationKind::kGatedSilu:
      return op.out.type == DType::kF8 ? launch_gated_silu_narrow(op, stream_)
                                       : launch_gated_silu(op, stream_);
    case OperationKind::kRelu:
      return launch_relu(op, stream_);
    case OperationKind::kRoute:
      return launch_route(op, stream_);
    case OperationKind::kExpertProduct:
    case OperationKind::kGatedExpertProduct:
      return launch_expert_product(op, stream_);
    case OperationKind::kExpertSum:
      return launch_expert_sum(op, stream_);
  }
}

}  // namespace umf
