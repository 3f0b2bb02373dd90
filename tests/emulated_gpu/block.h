// Blocks of threads of a GPU on one thread of the machine: each of a block's threads has a stack of
// its own and runs until it waits for others. Which runs first is a choice (`Order`): what a kernel
// computes must not depend on it.
#pragma once

#include <vector_types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

// Under CUDA's own names, of the thread that runs now.
extern thread_local uint3 threadIdx, blockIdx;
extern thread_local dim3 blockDim, gridDim;

namespace umf::emulated {

// In which order blocks, and the threads of a block, get their turns. kWarpByWarp: a warp goes as
// far as it can before the next one begins, which shows where a barrier is missing between them.
enum class Order { kForward, kBackward, kShuffled, kWarpByWarp };
void set_order(Order order);

constexpr int kSharedLimit = 163 << 10;  // bytes of a block, as compute capability 8.0 has them

// Runs `kernel` once per thread. Ends the program with a word about what a GPU would do wrong
// silently: threads that wait for others which never come, lanes that read from one that has left.
void run_grid(const std::function<void()>& kernel, dim3 grid, dim3 block, std::size_t shared_bytes);

// What follows is for kernels, on the thread that runs now.
int wait_for_block(int vote = 0);  // __syncthreads; the sum of all votes
void wait_for_warp();

constexpr int kLanes = 32;
using Parcel = std::array<std::byte, 32>;
// Every lane hands over a parcel; all of them, valid until the lane's next exchange but one.
const std::array<Parcel, kLanes>& exchange(const Parcel& own);
int lane();

template <class T>
Parcel packed(const T& value) {
  static_assert(sizeof(T) <= sizeof(Parcel) && std::is_trivially_copyable_v<T>);
  Parcel parcel{};
  std::memcpy(parcel.data(), &value, sizeof value);
  return parcel;
}
template <class T>
T unpacked(const Parcel& parcel) {
  T value;
  std::memcpy(&value, parcel.data(), sizeof value);
  return value;
}

// Shared memory whose size the launch names. Full of NaN when a block begins.
std::byte* dynamic_shared();
// A GPU addresses shared memory by 32 bits. Of this part alone.
std::uint32_t shared_address(const void* p);
std::byte* shared_pointer(std::uint32_t address);

// Copies that arrive when they are waited for, and not before.
void copy_later(std::byte* to, const void* from, std::size_t bytes);  // null: zeros
void commit_copies();
void wait_for_copies(int groups_left);

}  // namespace umf::emulated
