// Gate and up projections with their activation: two kernels beside the one that does both. Shapes
// are those of LLaDA-8B and Dream-7B.
#include <fmt/core.h>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/product.h"
#include "backend/cuda/product_gated.h"
#include "backend/cuda/product_trial.h"

namespace umf {
namespace {

struct Shape {
  const char* name;
  int inputs, columns;
};
constexpr Shape kShapes[] = {{"LLaDA-8B", 4096, 12288}, {"Dream-7B", 3584, 18944}};

void measure(const Shape& shape, int rows) {
  cudaStream_t stream = nullptr;
  const auto pool = std::make_shared<DevicePool>(current_device(), [] {});
  Products products(stream, *pool);
  const std::size_t numbers = std::size_t{2} * shape.columns * shape.inputs;
  const DeviceArray weight(numbers * 2), in(std::size_t{2} * rows * shape.inputs),
      room(std::size_t{4} * rows * shape.columns);
  launch_fill_noise(weight.data(), DType::kBF16, numbers, 5, 0.05f, stream);
  Operation product{.kind = OperationKind::kProduct};
  product.in = {in.data(), DType::kBF16, rows, shape.inputs, shape.inputs};
  product.out = {room.data(), DType::kBF16, rows, 2 * shape.columns, 2 * shape.columns};
  product.weight = weight.data();
  product.weight_type = DType::kBF16;
  Operation gated = product;
  gated.kind = OperationKind::kGatedProduct;
  gated.out.cols = shape.columns;
  const auto alone = [&](const Operation& tried) {
    Operation own = product;
    own.in = tried.in, own.out.rows = tried.in.rows;
    products.prepare(own);
    products.launch(own);
    return true;
  };
  const auto both = [&](const Operation& tried) {
    alone(tried);
    Operation activation = tried;
    activation.in = product.out;
    activation.in.rows = tried.in.rows;
    launch_gated_silu(activation, stream);
    return true;
  };
  ProductTrial trial(gated, rows, products.workspace(), *pool, stream);
  trial.expect(both);
  fmt::print("| {} | {} | {:.1f} |", shape.name, rows, 1e3 * trial.time(both).value_or(-1));
  const auto fused = [&](const Operation& tried) {
    launch_gated_kernel(tried, stream);
    return true;
  };
  const bool same = trial.time(fused).has_value();
  trial.expect(fused);
  fmt::print(" {:.1f}{} |", 1e3 * trial.time(fused).value_or(-1), same ? "" : " (other bits)");
  ProductTrial of_product(product, rows, products.workspace(), *pool, stream);
  const auto library = [&](const Operation& tried) {
    products.prepare(tried);
    products.launch(tried);
    return true;
  };
  of_product.expect(library);
  fmt::print(" {:.1f} |\n", 1e3 * of_product.time(library).value_or(-1));
  std::fflush(stdout);
}

int run() {
  fmt::print(
      "Microseconds\n\n| projections of | rows | product, then activation | in one | one step "
      "apart | two | product alone |\n|---|---|---|---|---|---|---|\n");
  for (const Shape& shape : kShapes) {
    for (const int rows : {256, 512, 768, 1024, 1280, 2048}) measure(shape, rows);
  }
  return 0;
}

}  // namespace
}  // namespace umf

int main() {
  try {
    return umf::run();
  } catch (const umf::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
