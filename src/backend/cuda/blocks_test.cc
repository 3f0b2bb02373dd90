// Quantised weights on the device: the bits of the same weights in plain numbers, and their kernels
// against plain loops.
#include <fmt/core.h>

#include "backend/cuda/block_products.h"
#include "backend/cuda/check.h"
#include "backend/cuda/device_testing.h"
#include "backend/cuda/kernels.h"
#include "backend/quantise.h"
#include "support/quantised_weights.h"

namespace umf {
namespace {

class DeviceBlocks : public OnDevice {};

TEST_P(DeviceBlocks, ProductsHaveTheBitsOfPlainNumbers) {
  for (const DType type : kQuantisedTypes) {
    for (const auto& [in, out] : {std::pair{512, 48}, {2048, 301}, {256, 1024}}) {
      const RandomBlocks weights(type, out, in, 1);
      const HostTensor stored = weights.view(), plain = weights.plain();
      for (const int rows : {1, 5, 64, 70, 300}) {
        Bench gpu = make();
        const auto bias = bf16_numbers(out, 3);
        const HostTensor bias_view{reinterpret_cast<const std::byte*>(bias.data()), DType::kF32, 1,
                                   out};
        const Matrix x = gpu.matrix(bf16_numbers(rows * in, 2), rows, in);
        const auto before = bf16_numbers(rows * out, 4);
        const auto run = [&](const HostTensor& part) {
          const auto linear = gpu.backend->load_linear({&part, 1}, {});
          const auto biased = gpu.backend->load_linear({&part, 1}, {&bias_view, 1});
          auto results = products(gpu, x, *linear, *biased, out, before);
          const Matrix logits = gpu.backend->allocate_logits(rows, out);
          gpu.backend->project(x, *linear, 0, logits);
          results.push_back(gpu.read(logits));
          return results;
        };
        EXPECT_EQ(run(stored), run(plain))
            << name_of(type) << " " << rows << " x " << in << " -> " << out;
      }
    }
  }
}

TEST_P(DeviceBlocks, ProductsAgreeWithPlainLoops) {
  for (const DType type : kQuantisedTypes) {
    const int rows = 37, in = 768, out = 200;
    const RandomBlocks weights(type, out, in, 5);
    const HostTensor stored = weights.view();
    const auto run = [&](Bench on) {
      const auto linear = on.backend->load_linear({&stored, 1}, {});
      const Matrix y = on.allocate(rows, out);
      on.backend->project(on.matrix(bf16_numbers(rows * in, 6), rows, in), *linear, 0, y);
      return on.read(y);
    };
    // Weights are rounded to bf16 where they are multiplied in it.
    umf::expect_near(run(make()), run(Bench(make_reference_backend())), f32() ? 2e-5 : 1e-2,
                     std::string(name_of(type)));
  }
}

TEST_P(DeviceBlocks, ARowOfAProductDoesNotDependOnTheNumberOfRows) {
  constexpr int kMost = 1100, kIn = 1024;
  for (const DType type : {DType::kQ8_0, DType::kQ4_K, DType::kQ6_K, DType::kQ5_0}) {
    Bench gpu = make();
    const Matrix x = gpu.matrix(bf16_numbers(kMost * kIn, 5), kMost, kIn);
    for (const int out : {64, 1536, 4000}) {
      const RandomBlocks weights(type, out, kIn, 7);
      const HostTensor stored = weights.view();
      const auto linear = gpu.backend->load_linear({&stored, 1}, {});
      expect_rows_of_their_own(gpu, x, *linear, out);
    }
  }
}

TEST_P(DeviceBlocks, PartsOfSeveralTypesStandInOneWeight) {
  const int rows = 20, in = 512;
  const RandomBlocks q(DType::kQ4_K, 96, in, 8), v(DType::kQ6_K, 64, in, 9);
  const auto key = bf16_numbers(48 * in, 10), bias = bf16_numbers(96 + 64 + 48, 11);
  const HostTensor key_view{reinterpret_cast<const std::byte*>(key.data()), DType::kF32, 48, in};
  const auto bias_view = [&](int first, int count) {
    return HostTensor{reinterpret_cast<const std::byte*>(bias.data() + first), DType::kF32, 1,
                      count};
  };
  const std::vector<HostTensor> biases{bias_view(0, 96), bias_view(96, 48), bias_view(144, 64)};
  const std::vector<HostTensor> parts{q.view(), key_view, v.view()};
  Bench gpu = make();
  const Matrix x = gpu.matrix(bf16_numbers(rows * in, 12), rows, in);
  const auto whole = gpu.backend->load_linear(parts, biases);
  const Matrix all = gpu.allocate(rows, 208);
  gpu.backend->project(x, *whole, 0, all);
  const int firsts[] = {0, 96, 144};
  for (int i = 0; i < 3; ++i) {
    const auto alone = gpu.backend->load_linear({&parts[i], 1}, {&biases[i], 1});
    const Matrix y = gpu.allocate(rows, parts[i].rows);
    gpu.backend->project(x, *alone, 0, y);
    EXPECT_EQ(gpu.read(all.columns(firsts[i], parts[i].rows)), gpu.read(y)) << i;
  }
  // A range that begins in one part and ends in another.
  const Matrix some = gpu.allocate(rows, 80);
  gpu.backend->project(x, *whole, 80, some);
  umf::expect_near(gpu.read(some), gpu.read(all.columns(80, 80)), 1e-2, "a range");
}

TEST_P(DeviceBlocks, EmbeddingsAreTheNumbersOfTheirRows) {
  const std::vector<Token> tokens{30, 0, 7, 7};
  for (const DType type : kQuantisedTypes) {
    const RandomBlocks table(type, 31, 768, 13);
    const HostTensor stored = table.view(), plain = table.plain();
    Bench gpu = make();
    std::vector<float> results[2];
    for (const HostTensor* part : {&stored, &plain}) {
      const Matrix out = gpu.allocate(4, 768);
      gpu.backend->embed(*gpu.backend->load_linear({part, 1}, {}), tokens, out);
      results[part == &plain] = gpu.read(out);
    }
    EXPECT_EQ(results[0], results[1]) << name_of(type);
  }
}

UMF_ON_DEVICE(DeviceBlocks);

// What a file of such blocks would hold.
TEST(EightBitWeights, AreTheBlocksThatTheHostWrites) {
  if (const std::string objection = cuda_objection(); !objection.empty()) {
    GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  const int rows = 33, in = 288, out = 70;
  std::vector<float> numbers = bf16_numbers(out * in, 17);
  for (int i = 0; i < 32; ++i) {
    numbers[i] = 0;                                 // a block of zeros
    numbers[32 + i] *= 0x1p-24f;                    // whose factor is a subnormal half
    numbers[64 + i] = i == 0 ? 127.0f : i - 15.5f;  // halfway between levels
  }
  std::vector<std::byte> blocks(out * row_bytes(DType::kQ8_0, in));
  for (int i = 0; i < out; ++i)
    write_row(DType::kQ8_0, std::span(numbers).subspan(i * in, in),
              &blocks[i * row_bytes(DType::kQ8_0, in)]);
  const HostTensor written{blocks.data(), DType::kQ8_0, out, in};
  Bench exact(make_cuda_backend()), w8(make_cuda_w8_backend());
  const auto x = bf16_numbers(rows * in, 18);
  const auto run = [&](Bench& on, const std::shared_ptr<const Linear>& linear) {
    const Matrix y = on.allocate(rows, out);
    on.backend->project(on.matrix(x, rows, in), *linear, 0, y);
    return on.read(y);
  };
  EXPECT_EQ(run(w8, w8.layer_linear(numbers, out, in)),
            run(exact, exact.backend->load_layer_linear({&written, 1}, {})));
  EXPECT_EQ(run(w8, w8.linear(numbers, out, in)), run(exact, exact.linear(numbers, out, in)))
      << "a head";
  EXPECT_TRUE(w8.backend->approximate());
}

std::uint16_t bf16_bits(float x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
}

// The kernels that read blocks, whether or not a product would choose them.
TEST(BlockProduct, AgreesWithPlainLoops) {
  if (const std::string objection = cuda_objection(); !objection.empty()) {
    GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  const int in = 1024, skipped = 3;  // outputs before the first, whose blocks leave no alignment
  for (const DType type : {DType::kQ8_0, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K}) {
    for (const auto& [rows, out] : {std::pair{1, 32}, {64, 256}, {70, 301}}) {
      for (const bool wide : {true, false}) {
        const RandomBlocks weights(type, out + skipped, in, 14);
        const auto x = bf16_numbers(rows * in, 15), bias = bf16_numbers(out, 16);
        std::vector<std::uint16_t> bits;
        for (const float value : x) bits.push_back(bf16_bits(value));
        const HostTensor stored = weights.view();
        const std::size_t bytes = stored.rows * row_bytes(type, in);
        const DeviceArray blocks(bytes + 256), input(bits.size() * 2), output(rows * out * 4),
            added(out * 4);
        const auto copy = [](const DeviceArray& to, const void* from, std::size_t size) {
          check(cudaMemcpy(to.data(), from, size, cudaMemcpyHostToDevice), "copying");
        };
        copy(blocks, stored.data, bytes);
        copy(input, bits.data(), bits.size() * 2);
        copy(added, bias.data(), out * 4);
        Operation op{.kind = OperationKind::kProduct};
        op.in = {input.data(), DType::kBF16, rows, in, in};
        op.out = {output.data(), DType::kF32, rows, out, out};
        op.weight = blocks.at(skipped * row_bytes(type, in));
        op.weight_type = type;
        op.bias = added.data();
        ASSERT_TRUE(has_block_product(op));
        if (!launch_block_product(op, wide, nullptr)) continue;  // too little shared memory
        std::vector<float> actual(rows * out), wanted(rows * out);
        check(cudaMemcpy(actual.data(), output.data(), actual.size() * 4, cudaMemcpyDeviceToHost),
              "copying");
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < out; ++j) {
            double sum = bias[j];
            for (int k = 0; k < in; ++k)
              sum += double{x[i * in + k]} * weights.numbers()[(j + skipped) * in + k];
            wanted[i * out + j] = static_cast<float>(sum);
          }
        }
        expect_near(actual, wanted, 1e-2,
                    fmt::format("{} {} x {}, wide {}", name_of(type), rows, out, wide));
      }
    }
  }
}

TEST(OutputsAtOnce, AreManyAndFillNoMoreThanTheirRoom) {
  EXPECT_EQ(outputs_at_once(4096), 36864);
  EXPECT_EQ(outputs_at_once(3584) % 256, 0);
  EXPECT_GE(outputs_at_once(3584), 2 * 18944);  // a gate and its up projection in one product
  EXPECT_GE(outputs_at_once(1 << 24), 256);
}

}  // namespace
}  // namespace umf
