// Blocks of threads that run together and share what they copy: for sm_90 and later.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace umf {

__device__ inline int rank_in_cluster() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
  return rank;
}
__device__ inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n" ::: "memory");
}
// At this barrier of another block of the cluster.
__device__ inline void barrier_arrive_at(std::uint32_t barrier, int rank) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
// To the same place in every block of the cluster.
template <int kCluster>
__device__ void copy_box_to_all(std::uint32_t to, const CUtensorMap& map, int column, int row,
                                std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;\n" ::"r"(to),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(barrier), "r"(column), "r"(row),
      "h"(static_cast<std::uint16_t>((1 << kCluster) - 1))
      : "memory");
}
}  // namespace umf
