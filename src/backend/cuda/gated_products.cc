#include "backend/cuda/gated_products.h"

#include <algorithm>

#include "backend/cuda/kernels.h"
#include "backend/cuda/product_gated.h"
#include "backend/cuda/product_trial.h"

namespace umf {
namespace {

constexpr int kWeightBoundRows = 128;  // up to here the weights' bytes decide (product_few.h)

Operation product_of(const Operation& op) {
  Operation product = op;
  product.kind = OperationKind::kProduct;
  product.out = op.room;
  product.room = {};
  return product;
}

}  // namespace

void GatedProducts::prepare(const Operation& op) {
  const Operation product = product_of(op);
  const ProductShape shape = shape_of(product);
  if (fused_.contains(shape)) return;
  products_.prepare(product);
  fused_.emplace(shape, shape.rows > kWeightBoundRows && is_faster(op, shape.rows));
}

void GatedProducts::launch_both(const Operation& op) {
  products_.launch(product_of(op));
  Operation activation = op;
  activation.kind = OperationKind::kGatedSilu;
  activation.in = op.room;
  launch_gated_silu(activation, stream_);
}

bool GatedProducts::is_faster(const Operation& op, int rows) {
  ProductTrial trial(op, rows, products_.workspace(), pool_, stream_);
  const int most_rows = std::max(rows, ProductTrial::kComparedRows);
  const DeviceArray room =
      pool_.array(static_cast<std::size_t>(most_rows) * op.room.stride * size_of(op.room.type));
  const ProductTrial::Way both = [&](const Operation& tried) {
    Operation own = tried;
    own.room.data = room.data();
    own.room.rows = tried.in.rows;
    products_.prepare(product_of(own));
    launch_both(own);
    return true;
  };
  trial.expect(both);
  const auto usual = trial.time(both), fused = trial.time([&](const Operation&tried) {
    launch_gated_kernel(tried, stream_);
    return true;
  });
  return usual && fused && *fused < *usual;
}

void GatedProducts::launch(const Operation& op) {
  fused_.at(shape_of(product_of(op))) ? launch_gated_kernel(op, stream_) : launch_both(op);
}

}  // namespace umf
