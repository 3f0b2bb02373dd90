#include "backend/cuda/block_products.h"

#include <algorithm>
#include <type_traits>

#include "backend/cuda/kernels.h"
#include "backend/cuda/product_few.h"
#include "backend/cuda/product_trial.h"

namespace umf {
namespace {

constexpr std::size_t kScratch = std::size_t{288} << 20;  // bytes
constexpr int kFewRows = 512;  // above, reading blocks again for every 64 rows cannot be faster

template <class T>
T* moved(T* pointer, std::size_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return pointer ? static_cast<Byte*>(pointer) + bytes : nullptr;
}

}  // namespace

int outputs_at_once(int inputs) {
  const std::size_t outputs = kScratch / (inputs * size_of(DType::kBF16));
  return static_cast<int>(std::max<std::size_t>(outputs / 256 * 256, 256));
}

BlockProducts::Key BlockProducts::key_of(const Operation& op) {
  Operation aligned = op;
  aligned.weight = nullptr;  // blocks have no alignment, and the scratch has all
  return {shape_of(aligned), op.weight_type};
}

template <class Use>
void BlockProducts::for_parts(const Operation& op, const Use& use) {
  const int most = outputs_at_once(op.in.cols);
  for (int first = 0; first < op.out.cols; first += most) {
    const int count = std::min(most, op.out.cols - first);
    const std::size_t skipped = first * size_of(op.out.type);
    Operation part = op;
    part.weight = scratch_.back().data();
    part.weight_type = DType::kBF16;
    part.weight_is_new = true;
    part.bias = moved(op.bias, skipped);
    part.out.data = moved(op.out.data, skipped);
    part.out.cols = count;
    launch_dequantise(moved(op.weight, first * row_bytes(op.weight_type, op.in.cols)),
                      op.weight_type, scratch_.back().data(), DType::kBF16,
                      static_cast<std::size_t>(count) * op.in.cols, stream_);
    use(part);
  }
}

void BlockProducts::prepare(const Operation& op, std::size_t largest) {
  const Key key = key_of(op);
  if (chosen_.contains(key)) return;
  const std::size_t row = op.in.cols * size_of(DType::kBF16);
  const std::size_t needed = std::min(outputs_at_once(op.in.cols), op.out.cols) * row;
  if (scratch_.empty() || scratch_.back().bytes() < needed) {
    const std::size_t expected = std::min(largest * size_of(DType::kBF16), kScratch);
    scratch_.push_back(pool_.array(std::max(needed, expected)));
  }
  for_parts(op, [&](const Operation& part) { products_.prepare(part); });
  chosen_.emplace(key, choose(op, key.first));
}

BlockProducts::Way BlockProducts::choose(const Operation& op, const ProductShape& shape) {
  if (!has_block_product(op) || shape.alignment < 16 || shape.rows > kFewRows) return {};
  ProductTrial trial(op, shape.rows, products_.workspace(), pool_, stream_);
  const ProductTrial::Way through_bf16 = [&](const Operation& whole) {
    for_parts(whole, [&](const Operation& part) {
      products_.prepare(part);
      products_.launch(part);
    });
    return true;
  };
  trial.expect(through_bf16);
  Way best;
  float fastest = trial.time(through_bf16).value_or(1e30f);
  const auto try_kernel = [&](auto launch) {
    const auto time = trial.time([&](const Operation& tried) { return launch(tried, stream_); });
    if (!time || *time >= fastest) return;
    fastest = *time;
    best = launch;
  };
  for (const bool wide : {true, false}) {
    try_kernel([wide](const Operation& tried, cudaStream_t stream) {
      return launch_block_product(tried, wide, stream);
    });
  }
  for (const int kernel : few_rows_kernels(op, shape.rows)) {
    try_kernel([kernel](const Operation& tried, cudaStream_t stream) {
      launch_few_rows_product(tried, kernel, stream);
      return true;
    });
  }
  return best;
}

void BlockProducts::launch(const Operation& op) {
  if (const Way& way = chosen_.at(key_of(op))) return way(op, stream_);
  for_parts(op, [&](const Operation& part) { products_.launch(part); });
}

}  // namespace umf
