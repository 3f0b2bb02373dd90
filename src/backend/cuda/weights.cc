#include "backend/cuda/weights.h"

#include <algorithm>
#include <utility>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr std::size_t kAlignment = 256;                    // bytes, of every part
constexpr std::uint64_t kMargin = std::uint64_t{3} << 30;  // activations of a few models

std::size_t count_of(const WeightPart& part) {
  std::size_t count = 0;
  for (const HostTensor& t : part.tensors) count += static_cast<std::size_t>(t.rows) * t.cols;
  return count;
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int rows_of(const WeightPart& part) {
  int rows = 0;
  for (const HostTensor& t : part.tensors) rows += t.rows;
  return rows;
}

std::size_t bytes_of(const WeightPart& part) {
  std::size_t numbers = 0;
  for (const HostTensor& t : part.tensors) numbers += t.rows * row_bytes(part.type, t.cols);
  const std::size_t factors = part.type == DType::kF8 ? rows_of(part) * sizeof(float) : 0;
  return aligned(std::max<std::size_t>(numbers, 1)) + aligned(factors);
}

}  // namespace

std::size_t bytes_of(std::span<const WeightPart> parts) {
  std::size_t bytes = 0;
  for (const WeightPart& part : parts) bytes += bytes_of(part);
  return bytes;
}

float* factors_of(std::byte* part, std::size_t numbers) {
  return reinterpret_cast<float*>(part + aligned(numbers));
}

Weight::Weight(std::shared_ptr<WeightStore> store, std::span<const WeightPart> parts, Home home)
    : store_(std::move(store)), home_(home) {
  for (const WeightPart& part : parts) {
    offsets_.push_back(bytes_);
    bytes_ += bytes_of(part);
  }
  check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "making an event");
}

Weight::~Weight() {
  const DeviceScope scope(store_->device(), std::nothrow);
  if (home_ == Home::kHost) cudaEventSynchronize(copied_);  // before the host's memory goes
  if (data_ && home_ == Home::kDevice) store_->free(data_, bytes_);
  cudaEventDestroy(copied_);
}

bool Weight::arrived() const {
  if (arrived_.load(std::memory_order_acquire)) return true;
  const cudaError_t status = cudaEventQuery(copied_);
  if (status == cudaErrorNotReady) return false;
  check(status, "copying weights");
  arrived_.store(true, std::memory_order_release);
  return true;
}

void Weight::await(cudaStream_t stream) const {
  check(cudaStreamWaitEvent(stream, copied_, 0), "waiting for weights");
}

std::shared_ptr<WeightStore> WeightStore::of_device(int device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<WeightStore>> kept;
  const std::lock_guard lock(mutex);
  std::weak_ptr<WeightStore>& known = kept[device];
  std::shared_ptr<WeightStore> store = known.lock();
  if (!store) known = store = std::make_shared<WeightStore>(device);
  return store;
}

WeightStore::WeightStore(int device) : device_(device) {
  const DeviceScope scope(device_);
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device_};
  check(cudaMemPoolCreate(&pool_, &properties), "making a pool of device memory");
  // What one model leaves free the next one takes: nothing goes back to the driver in between.
  std::uint64_t everything = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &everything),
        "making a pool of device memory");
}

WeightStore::~WeightStore() {
  const DeviceScope scope(device_, std::nothrow);
  cudaStreamSynchronize(stream_);
  uploader_.reset();
  cudaMemPoolDestroy(pool_);
  cudaStreamDestroy(stream_);
}

std::shared_ptr<Weight> WeightStore::load(std::span<const WeightPart> parts,
                                          const WeightsCopied& copied, Home home) {
  Key key;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const HostTensor& t : parts[i].tensors)
      key.emplace_back(i, parts[i].type, t.data, t.type, t.rows, t.cols);
  }
  const DeviceScope scope(device_);
  const std::lock_guard lock(mutex_);
  if (std::shared_ptr<Weight> weight = known_[key].lock()) return weight;
  std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<Weight> weight = make(parts, copied, home);
  known_[key] = weight;
  return weight;
}

std::shared_ptr<Weight> WeightStore::load_own(std::span<const WeightPart> parts,
                                              const WeightsCopied& copied) {
  const DeviceScope scope(device_);
  const std::lock_guard lock(mutex_);
  return make(parts, copied, Home::kDevice);
}

std::shared_ptr<Weight> WeightStore::make(std::span<const WeightPart> parts,
                                          const WeightsCopied& copied, Home home) {
  auto weight = std::make_shared<Weight>(shared_from_this(), parts, home);
  fill(*weight, parts, copied);
  if (home == Home::kHost) {
    move_to_host(*weight);
    void* seen = nullptr;  // by the device
    check(cudaHostGetDevicePointer(&seen, weight->host_->data(), 0), "locking memory of the host");
    weight->data_ = static_cast<std::byte*>(seen);
  }
  check(cudaEventRecord(weight->copied_, stream_), "copying weights");
  return weight;
}

void WeightStore::fill(Weight& weight, std::span<const WeightPart> parts,
                       const WeightsCopied& copied) {
  weight.data_ = allocate(weight.bytes_);
  if (!uploader_) uploader_ = std::make_unique<Uploader>(stream_);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::byte* to = weight.part(static_cast<int>(i));
    if (parts[i].type == DType::kF8)
      copy_narrow(parts[i], to, copied);
    else
      copy(parts[i], to, parts[i].type, copied);
  }
}

void WeightStore::copy(const WeightPart& part, std::byte* to, DType type,
                       const WeightsCopied& copied) {
  for (const HostTensor& tensor : part.tensors) {
    uploader_->copy(tensor, type, to, copied);
    to += tensor.rows * row_bytes(type, tensor.cols);
  }
}

// By way of bf16 in memory that is free again when the stream gets there.
void WeightStore::copy_narrow(const WeightPart& part, std::byte* to, const WeightsCopied& copied) {
  const std::size_t numbers = count_of(part), bytes = numbers * size_of(DType::kBF16);
  const int rows = rows_of(part), cols = part.tensors.front().cols;
  std::byte* wide = allocate(bytes);
  copy(part, wide, DType::kBF16, copied);
  launch_narrow({.kind = OperationKind::kNarrow,
                 .in = {wide, DType::kBF16, rows, cols, cols},
                 .out = {to, DType::kF8, rows, cols, cols, factors_of(to, numbers)}},
                stream_);
  free(wide, bytes);
}

void WeightStore::leave(Weight& weight) {
  const DeviceScope scope(device_);
  const std::lock_guard lock(mutex_);
  if (!weight.data_ || weight.home_ == Home::kHost) return;
  move_to_host(weight);
}

void WeightStore::move_to_host(Weight& weight) {
  if (!weight.host_) {
    auto host = std::make_unique<PinnedArray>(weight.bytes_);
    check(
        cudaMemcpyAsync(host->data(), weight.data_, weight.bytes_, cudaMemcpyDeviceToHost, stream_),
        "moving weights to the host");
    weight.host_ = std::move(host);
  }
  free(std::exchange(weight.data_, nullptr), weight.bytes_);
}

void WeightStore::return_to_device(Weight& weight) {
  const DeviceScope scope(device_);
  const std::lock_guard lock(mutex_);
  if (weight.data_) return;
  weight.data_ = allocate(weight.bytes_);
  weight.arrived_ = false;
  check(cudaMemcpyAsync(weight.data_, weight.host_->data(), weight.bytes_, cudaMemcpyHostToDevice,
                        stream_),
        "moving weights to the device");
  check(cudaEventRecord(weight.copied_, stream_), "moving weights to the device");
}

std::uint64_t WeightStore::room() const {
  const DeviceScope scope(device_);
  std::size_t free = 0, all = 0;
  std::uint64_t reserved = 0;
  check(cudaMemGetInfo(&free, &all), "asking for the GPU's memory");
  check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "asking for the GPU's memory");
  const std::uint64_t room = free + reserved - std::min<std::uint64_t>(reserved, bytes_here_);
  return room - std::min<std::uint64_t>(room, kMargin);
}

void WeightStore::trim() noexcept {
  const DeviceScope scope(device_, std::nothrow);
  cudaStreamSynchronize(stream_);
  cudaMemPoolTrimTo(pool_, 0);
}

std::byte* WeightStore::allocate(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, bytes, pool_, stream_), "allocating memory for weights");
  bytes_here_ += bytes;
  return static_cast<std::byte*>(data);
}

void WeightStore::free(std::byte* data, std::size_t bytes) noexcept {
  cudaFreeAsync(data, stream_);
  bytes_here_ -= bytes;
}

}  // namespace umf
