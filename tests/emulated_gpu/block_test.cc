// The emulated GPU itself: what it forgives a real one would not.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "backend/cuda/mma.cuh"
#include "device.h"

namespace umf::emulated {
namespace {

constexpr Order kOrders[] = {Order::kForward, Order::kBackward, Order::kShuffled,
                             Order::kWarpByWarp};

// Runs `kernel` in every order.
template <class Kernel>
void in_all_orders(const Kernel& kernel, dim3 grid, dim3 block, std::size_t shared = 0) {
  for (const Order order : kOrders) {
    set_order(order);
    run_grid(kernel, grid, block, shared);
  }
  set_order(Order::kForward);
}

TEST(EmulatedBlock, ThreadsKnowTheirPlaces) {
  std::vector<int> seen(2 * 3 * 4 * 5 * 2);
  run_grid(
      [&] {
        const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
        const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        ++seen.at(block * blockDim.x * blockDim.y * blockDim.z + thread);
      },
      dim3(2, 3), dim3(4, 5, 2), 0);
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST(EmulatedBlock, ABarrierIsPassedByAllOrNone) {
  in_all_orders(
      [] {
        auto* const numbers = reinterpret_cast<int*>(dynamic_shared());
        for (int round = 0; round < 3; ++round) {
          numbers[threadIdx.x] = static_cast<int>(threadIdx.x) + round;
          __syncthreads();
          EXPECT_EQ(numbers[blockDim.x - 1 - threadIdx.x],
                    99 - static_cast<int>(threadIdx.x) + round);
          EXPECT_EQ(__syncthreads_count(threadIdx.x % 2 == 0), 50);
        }
      },
      2, 100, 400);
}

TEST(EmulatedBlock, ThreadsThatHaveLeftAreNotWaitedFor) {
  int last = 0;
  in_all_orders(
      [&] {
        if (threadIdx.x >= 40) return;
        EXPECT_EQ(__syncthreads_count(1), 40);
        ++last;
      },
      1, 64);
  EXPECT_EQ(last, 4 * 40);
}

// What is read must stay until all have read it: the barrier in front of the next round.
TEST(EmulatedBlock, AMissingBarrierShows) {
  const auto wrong_numbers = [](Order order, bool second_barrier) {
    int wrong = 0;
    set_order(order);
    run_grid(
        [&] {
          auto* const number = reinterpret_cast<int*>(dynamic_shared());
          for (int round = 0; round < 2; ++round) {
            if (threadIdx.x == 0) *number = round;
            __syncthreads();
            for (int lane = 0; lane < 3; ++lane) __syncwarp();
            if (*number != round) ++wrong;
            if (second_barrier) __syncthreads();
          }
        },
        1, 64, 4);
    set_order(Order::kForward);
    return wrong;
  };
  EXPECT_GT(wrong_numbers(Order::kWarpByWarp, false), 0);
  for (const Order order : kOrders) EXPECT_EQ(wrong_numbers(order, true), 0);
}

TEST(EmulatedBlock, LanesExchangeNumbers) {
  in_all_orders(
      [] {
        const int lane = threadIdx.x % 32, first = static_cast<int>(threadIdx.x) - lane;
        const int own = static_cast<int>(threadIdx.x) * 3;
        EXPECT_EQ(__shfl_xor_sync(~0u, own, 5), (first + (lane ^ 5)) * 3);
        EXPECT_EQ(__shfl_down_sync(~0u, own, 4), lane + 4 < 32 ? own + 12 : own);
        EXPECT_EQ(__shfl_up_sync(~0u, own, 4), lane >= 4 ? own - 12 : own);
        EXPECT_EQ(__shfl_sync(~0u, own, 7), (first + 7) * 3);
        EXPECT_EQ(__ballot_sync(~0u, lane < 3), 7u);
      },
      2, 96);
}

TEST(EmulatedBlock, SharedMemoryBeginsAsNoNumber) {
  run_grid(
      [] {
        auto* const number = reinterpret_cast<float*>(dynamic_shared());
        EXPECT_TRUE(std::isnan(*number));
        *number = 1;
      },
      3, 1, 4);
}

TEST(EmulatedBlock, CopiesArriveWhenTheyAreWaitedFor) {
  const std::vector<std::uint32_t> from = {1, 2, 3, 4, 5, 6, 7, 8};
  run_grid(
      [&] {
        auto* const to = reinterpret_cast<std::uint32_t*>(dynamic_shared());
        const std::uint32_t at = umf::shared_address(to);
        umf::copy_async(at, from.data(), true);
        umf::commit_copies();
        umf::copy_async(at + 16, from.data() + 4, false);
        umf::commit_copies();
        EXPECT_EQ(to[0], ~0u) << "not here before it is waited for";
        umf::wait_for_copies<1>();
        EXPECT_EQ(to[3], 4u);
        EXPECT_EQ(to[4], ~0u);
        umf::wait_for_copies<0>();
        EXPECT_EQ(to[4], 0u) << "what is outside is zero";
      },
      1, 1, 32);
}

// c (16, 8) = a (16, 16) b (16, 8), with a by rows and b by columns, as kernels lay them out.
TEST(EmulatedBlock, MatricesAreMultiplied) {
  std::mt19937 engine(1);
  std::vector<float> a(16 * 16), b(8 * 16);
  for (auto* const numbers : {&a, &b}) {
    for (float& x : *numbers) x = static_cast<float>(static_cast<int>(engine() % 17) - 8);
  }
  in_all_orders(
      [&] {
        auto* const shared = reinterpret_cast<__nv_bfloat16*>(dynamic_shared());
        for (unsigned i = threadIdx.x; i < 24 * 16; i += 32)
          shared[i] = __float2bfloat16_rn(i < 256 ? a[i] : b[i - 256]);
        __syncthreads();
        const std::uint32_t at = umf::shared_address(shared);
        const int lane = threadIdx.x;
        // Rows 0-7 and 8-15 with the depth's first half, then with the second.
        std::uint32_t left[4], right[4];
        umf::load_matrices(left, at + (lane % 16) * 32 + lane / 16 * 16);
        umf::load_matrices(right, at + 512 + lane % 8 * 32 + lane / 8 % 2 * 16);
        float c[4] = {};
        umf::multiply_add(c, left, right[0], right[1]);
        for (int i = 0; i < 4; ++i) {
          const int row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
          EXPECT_EQ(c[i], std::inner_product(&a[row * 16], &a[row * 16] + 16, &b[col * 16], 0.0f));
        }
      },
      1, 32, 24 * 16 * 2);
}

TEST(EmulatedBlockDeathTest, WhatWouldHangOrBeUndefinedIsTold) {
  const auto half_waits = [] {
    if (threadIdx.x < 16)
      __syncwarp();
    else
      __syncthreads();
  };
  EXPECT_DEATH(run_grid(half_waits, 1, 32, 0), "never come");
  const auto half_exchanges = [] {
    if (threadIdx.x < 16) __shfl_xor_sync(~0u, 1, 1);
  };
  EXPECT_DEATH(run_grid(half_exchanges, 1, 32, 0), "goes its own way");
  const auto beyond = [] { umf::copy_async(kSharedLimit, nullptr, false); };
  EXPECT_DEATH(run_grid(beyond, 1, 1, 0), "beyond shared memory");
  EXPECT_DEATH(run_grid([] {}, 1, 2000, 0), "so many threads");
}

}  // namespace
}  // namespace umf::emulated
