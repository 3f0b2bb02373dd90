#include "block.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "stack.h"

thread_local uint3 threadIdx, blockIdx;
thread_local dim3 blockDim, gridDim;

namespace umf::emulated {
namespace {

constexpr int kMostThreads = 1024;

std::atomic<Order> chosen_order{Order::kForward};

[[noreturn]] void stop(const char* what) {
  fmt::print(stderr, "emulated GPU: {}\n", what);
  std::abort();
}

// Where threads meet; all that are alive must come. Two sums, because the first to leave may come
// back before the last has read.
struct Meeting {
  int alive = 0, arrived = 0, sums[2] = {};
  std::uint64_t number = 0;

  void open_if_all_are_here() {
    if (arrived == 0 || arrived < alive) return;
    arrived = 0;
    ++number;
    sums[number % 2] = 0;
  }
};

struct Warp {
  Meeting meeting;
  std::array<Parcel, kLanes> parcels[2];
  std::array<std::uint64_t, kLanes> handed{};  // exchanges
};

struct Copy {
  std::byte* to;
  const void* from;  // null: zeros
  std::size_t bytes;
  int group;
};

struct Thread {
  uint3 index;
  int number = 0;
  Warp* warp = nullptr;
  Meeting* waits_at = nullptr;  // until its number is not `waits_for`
  std::uint64_t waits_for = 0, exchanges = 0;
  std::vector<Copy> copies;  // that have not arrived, in their order
  int group = 0;             // of the next copy
  bool over = false;

  bool can_run() const { return !over && (!waits_at || waits_at->number != waits_for); }
};

// One block at a time on a thread of the machine.
class Block {
 public:
  void run(const std::function<void()>& kernel, std::size_t shared_bytes,
           std::span<const int> order);

  Thread& current() { return threads_[current_]; }
  Meeting& meeting() { return meeting_; }
  void wait_at(Meeting& meeting) {
    Thread& thread = current();
    thread.waits_at = &meeting;
    thread.waits_for = meeting.number;
    ++meeting.arrived;
    meeting.open_if_all_are_here();
    if (!thread.can_run()) stacks_.leave();
  }
  std::byte* shared() { return shared_; }

 private:
  void begin(int count, std::size_t shared_bytes);
  void end_thread();
  // Lets each of these go on until it waits. Whether any could.
  bool give(std::span<const int> turn);

  Meeting meeting_;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  Stacks stacks_{kMostThreads};
  int current_ = 0;
  alignas(1024) std::byte shared_[kSharedLimit];
};

constinit thread_local Block* running = nullptr;

void Block::begin(int count, std::size_t shared_bytes) {
  std::memset(shared_, 0xFF, shared_bytes);
  warps_.assign((count + kLanes - 1) / kLanes, {});
  threads_.assign(count, {});
  meeting_ = {.alive = count};
  for (unsigned i = 0; std::cmp_less(i, count); ++i) {
    Thread& thread = threads_[i];
    thread.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
    thread.number = static_cast<int>(i);
    thread.warp = &warps_[i / kLanes];
    ++thread.warp->meeting.alive;
  }
}

void Block::end_thread() {
  Thread& thread = current();
  thread.over = true;
  --meeting_.alive;
  meeting_.open_if_all_are_here();
  --thread.warp->meeting.alive;
  thread.warp->meeting.open_if_all_are_here();
}

void Block::run(const std::function<void()>& kernel, std::size_t shared_bytes,
                std::span<const int> order) {
  const int count = static_cast<int>(order.size());
  begin(count, shared_bytes);
  stacks_.prepare(count, [&] {
    kernel();
    end_thread();
  });
  const std::size_t together = chosen_order == Order::kWarpByWarp ? kLanes : order.size();
  while (meeting_.alive > 0) {
    bool moved = false;
    for (std::size_t first = 0; first < order.size(); first += together) {
      const auto turn = order.subspan(first, std::min(together, order.size() - first));
      while (give(turn)) {
        moved = true;
        if (chosen_order != Order::kWarpByWarp) break;
      }
    }
    if (!moved) stop("threads wait for others of their block or warp that never come");
  }
}

bool Block::give(std::span<const int> turn) {
  bool moved = false;
  for (const int i : turn) {
    if (!threads_[i].can_run()) continue;
    moved = true;
    current_ = i;
    threadIdx = threads_[i].index;
    stacks_.enter(i);
  }
  return moved;
}

std::vector<int> in_order(int count, std::uint32_t seed) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (chosen_order == Order::kBackward) std::reverse(order.begin(), order.end());
  if (chosen_order == Order::kShuffled)
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

}  // namespace

void set_order(Order order) { chosen_order = order; }

void run_grid(const std::function<void()>& kernel, dim3 grid, dim3 block,
              std::size_t shared_bytes) {
  const int threads = static_cast<int>(block.x * block.y * block.z);
  if (threads < 1 || threads > kMostThreads) stop("a block of so many threads");
  if (shared_bytes > kSharedLimit) stop("more shared memory than a block has");
  static thread_local const auto block_of_threads = std::make_unique<Block>();
  running = block_of_threads.get();
  blockDim = block;
  gridDim = grid;
  std::uint32_t seed = 0;
  for (const int i : in_order(static_cast<int>(grid.x * grid.y * grid.z), seed)) {
    const unsigned number = i;
    blockIdx = {number % grid.x, number / grid.x % grid.y, number / (grid.x * grid.y)};
    block_of_threads->run(kernel, shared_bytes, in_order(threads, ++seed));
  }
}

int lane() { return running->current().number % kLanes; }

int wait_for_block(int vote) {
  Meeting& meeting = running->meeting();
  const std::uint64_t own = meeting.number;
  meeting.sums[own % 2] += vote;
  running->wait_at(meeting);
  return meeting.sums[own % 2];
}

void wait_for_warp() { running->wait_at(running->current().warp->meeting); }

const std::array<Parcel, kLanes>& exchange(const Parcel& own) {
  Thread& thread = running->current();
  Warp& warp = *thread.warp;
  const std::uint64_t number = ++thread.exchanges;
  warp.parcels[number % 2][lane()] = own;
  warp.handed[lane()] = number;
  wait_for_warp();
  for (const std::uint64_t handed : warp.handed) {
    if (handed < number) stop("a warp exchanges numbers while a lane has left or goes its own way");
  }
  return warp.parcels[number % 2];
}

std::byte* dynamic_shared() { return running->shared(); }

std::uint32_t shared_address(const void* p) {
  const std::ptrdiff_t address = static_cast<const std::byte*>(p) - dynamic_shared();
  if (address < 0 || address >= kSharedLimit) stop("an address that is not in shared memory");
  return static_cast<std::uint32_t>(address);
}
std::byte* shared_pointer(std::uint32_t address) {
  if (address >= kSharedLimit) stop("an address beyond shared memory");
  return dynamic_shared() + address;
}

void copy_later(std::byte* to, const void* from, std::size_t bytes) {
  Thread& thread = running->current();
  thread.copies.push_back({to, from, bytes, thread.group});
}

void commit_copies() { ++running->current().group; }

void wait_for_copies(int groups_left) {
  Thread& thread = running->current();
  std::erase_if(thread.copies, [&](const Copy& copy) {
    if (copy.group + groups_left >= thread.group) return false;
    if (copy.from)
      std::memcpy(copy.to, copy.from, copy.bytes);
    else
      std::memset(copy.to, 0, copy.bytes);
    return true;
  });
}

}  // namespace umf::emulated
