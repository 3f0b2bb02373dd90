// Products with quantised weights beside those of bf16 ones, one by one: through bf16, and by the
// kernels that read blocks. Shapes are those of LLaDA-8B.
//   blocks_bench [--rows N]
#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/product.h"
#include "backend/cuda/product_few.h"
#include "backend/cuda/product_trial.h"
#include "support/bench_timing.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

struct Shape {
  const char* name;
  int outputs, inputs;
};
constexpr Shape kShapes[] = {{"query, key, value", 12288, 4096},
                             {"attention out", 4096, 4096},
                             {"gate and up", 24576, 4096},
                             {"down", 4096, 12288}};

// The fastest of three, as products are chosen.
float milliseconds(ProductTrial& trial, const ProductTrial::Way& way) {
  trial.expect(way);
  return trial.time(way).value_or(-1);
}

// The fastest kernel for few rows, and its number.
std::string fastest_of_few(ProductTrial& trial, const Operation& op, int rows,
                           const ProductTrial::Way& usual) {
  float best = 1e30f;
  int chosen = -1;
  bool same = true;
  for (const int kernel : few_rows_kernels(op, rows)) {
    const auto few = [&](const Operation& tried) {
      launch_few_rows_product(tried, kernel, nullptr);
      return true;
    };
    const float time = milliseconds(trial, few);
    if (time < best) best = time, chosen = kernel;
    trial.expect(usual);
    same = same && trial.time(few).has_value();
  }
  return chosen < 0 ? ""
                    : fmt::format("{:.1f} ({}){}", 1e3 * best, chosen, same ? "" : " (other bits)");
}

void measure(const Shape& shape, DType type, int rows) {
  cudaStream_t stream = nullptr;
  const auto pool = std::make_shared<DevicePool>(current_device(), [] {});
  Products products(stream, *pool);
  const std::size_t numbers = static_cast<std::size_t>(shape.outputs) * shape.inputs;
  const DeviceArray blocks(shape.outputs * row_bytes(type, shape.inputs) + 256), dense(numbers * 2);
  const DeviceArray in(static_cast<std::size_t>(rows) * shape.inputs * 2),
      out(static_cast<std::size_t>(rows) * shape.outputs * 2);
  constexpr int kRepeated = 64;  // outputs
  const RandomBlocks some(type, kRepeated, shape.inputs, 1);
  const std::size_t piece = kRepeated * row_bytes(type, shape.inputs);
  for (int i = 0; i < shape.outputs / kRepeated; ++i) {
    check(cudaMemcpy(blocks.at(i * piece), some.view().data, piece, cudaMemcpyHostToDevice),
          "filling");
  }
  Operation op{.kind = OperationKind::kProduct};
  op.in = {in.data(), DType::kBF16, rows, shape.inputs, shape.inputs};
  op.out = {out.data(), DType::kBF16, rows, shape.outputs, shape.outputs};
  op.weight = blocks.data();
  op.weight_type = type;
  const auto plain_of = [&](const Operation& tried) {
    Operation product = tried;
    product.weight = dense.data();
    product.weight_type = DType::kBF16;
    return product;
  };
  const auto plain = [&](const Operation& tried) {
    products.prepare(plain_of(tried));
    products.launch(plain_of(tried));
    return true;
  };
  const auto widen = [&](const Operation&) {
    launch_dequantise(op.weight, type, dense.data(), DType::kBF16, numbers, stream);
    return true;
  };
  const auto through = [&](const Operation& tried) { return widen(tried) && plain(tried); };
  widen(op);
  ProductTrial trial(op, row_bucket(rows), products.workspace(), *pool, stream);
  fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} |", shape.name, name_of(type), rows,
             1e3 * milliseconds(trial, plain), 1e3 * milliseconds(trial, widen),
             1e3 * milliseconds(trial, through));
  for (const bool wide : {true, false}) {
    const auto fused = [&](const Operation& tried) {
      return launch_block_product(tried, wide, stream);
    };
    const float time = milliseconds(trial, fused);
    trial.expect(through);
    fmt::print(" {:.1f}{} |", 1e3 * time, trial.time(fused) ? "" : " (other bits)");
  }
  fmt::print(" {} |", fastest_of_few(trial, op, rows, through));
  ProductTrial of_plain(plain_of(op), row_bucket(rows), products.workspace(), *pool, stream);
  fmt::print(" {} |", fastest_of_few(of_plain, plain_of(op), rows, plain));
  fmt::print("\n");
  std::fflush(stdout);
}

// How fast memory can be read, by a kernel that does nothing else.
void measure_reading() {
  constexpr std::size_t kHalf = std::size_t{4} << 30;
  const DeviceArray a(kHalf), b(kHalf), different(sizeof(unsigned));
  for (const DeviceArray* array : {&a, &b}) check(cudaMemset(array->data(), 1, kHalf), "filling");
  const auto read = [&] {
    launch_count_different(a.data(), b.data(), kHalf / 4, static_cast<unsigned*>(different.data()),
                           nullptr);
    check(cudaDeviceSynchronize(), "reading");
  };
  std::vector<double> times;
  for (int round = 0; round < 7; ++round) times.push_back(seconds_of(read));
  fmt::print("Memory is read at {:.2f} TB/s\n\n", 2.0 * kHalf / median(times) / 1e12);
}

int run(int argc, char** argv) {
  measure_reading();
  std::vector<int> all_rows = {8, 64, 128, 1024};
  if (argc == 3 && std::string(argv[1]) == "--rows") all_rows = {std::max(1, std::atoi(argv[2]))};
  fmt::print(
      "Microseconds; bf16 weights as they are chosen\n\n| product | blocks | rows | bf16 weights | "
      "blocks to bf16 | both | kernel, "
      "wide | narrow | few rows (number) | few rows, bf16 weights |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  for (const DType type : {DType::kQ8_0, DType::kQ4_K, DType::kQ6_K}) {
    for (const Shape& shape : kShapes) {
      for (const int rows : all_rows) measure(shape, type, rows);
    }
  }
  return 0;
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  try {
    return umf::run(argc, argv);
  } catch (const umf::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
