#include "backend/cpu/products.h"

#include <algorithm>
#include <atomic>
#include <cassert>

namespace umf {

std::shared_ptr<CpuLinear> make_linear(std::span<const HostTensor> parts) {
  assert(!parts.empty());
  auto linear = std::make_shared<CpuLinear>();
  linear->inputs = parts.front().cols;
  for (const HostTensor& part : parts) {
    assert(part.cols == linear->inputs);
    linear->outputs += part.rows;
    linear->parts.push_back(part);
  }
  return linear;
}

const ProductKernels& CpuProducts::product_kernels(const CpuLinear& weight) {
  if (!kernels_.has_small) return kernels_.product;
  if (!weight.small) {
    std::atomic<bool> small = false;
    for (const HostTensor& part : weight.parts) {
      const std::size_t bytes = row_bytes(part.type, part.cols);
      workspace_.for_rows(part.rows, part.cols, [&](int i) {
        if (kernels_.has_small(part.data + i * bytes, part.type, part.cols)) small = true;
      });
    }
    weight.small = small;
  }
  return *weight.small ? kernels_.product_with_small : kernels_.product;
}

// The packed copy of the input is bounded: very many rows go in several products.
void CpuProducts::multiply(const Matrix& x, const CpuLinear& weight, const ProductKernels& kernels,
                           int first, bool add, const Matrix& out) {
  assert(x.cols == weight.inputs && x.rows == out.rows);
  assert(first >= 0 && first + out.cols <= weight.outputs);
  constexpr int kRowsAtOnce = 2048;
  for (int row = 0; row < x.rows; row += kRowsAtOnce) {
    const int rows = std::min(kRowsAtOnce, x.rows - row);
    multiply_rows(x.row_range(row, rows), weight, kernels, first, add, out.row_range(row, rows));
  }
}

void CpuProducts::multiply_rows(const Matrix& x, const CpuLinear& weight,
                                const ProductKernels& kernels, int first, bool add,
                                const Matrix& out) {
  if (out.cols == 0) return;
  PackJob pack{data(x), static_cast<std::size_t>(x.stride), x.rows, x.cols};
  const std::size_t packed_size = static_cast<std::size_t>(x.rows) * x.cols;
  const int tiles = ceil_div(x.rows, kernels_.tile_rows);
  // A small input is packed by every thread for itself: that costs less than the way of the
  // packed lines from core to core, as long as each thread has columns enough to use them on.
  constexpr std::size_t kSmall = 128 * 1024;
  const bool shared = workspace_.pool.threads() > 1 && tiles > 1 &&
                      (packed_size > kSmall || out.cols < 128 * workspace_.pool.threads());
  if (shared) {
    pack.packed = workspace_.packed.at_least(packed_size);
    workspace_.for_rows(tiles, kernels_.tile_rows * x.cols,
                        [&](int tile) { kernels.pack_rows(pack, tile); });
  }

  slice(weight, first, out.cols);
  MatmulJob job;
  job.packed = pack.packed;
  job.rows = x.rows;
  job.depth = x.cols;
  job.slices = slices_;
  job.panels = panels_;
  job.bias = weight.bias.empty() ? nullptr : weight.bias.data() + first;
  job.add = add;
  job.out = data(out);
  job.out_stride = out.stride;
  choose_blocks(tiles, job);
  const std::size_t scratch = kernels_.matmul_scratch(job);
  ++product_;
  workspace_.pool.parallel_for(
      job.panel_groups() * ceil_div(tiles, job.task_tiles), [&](int task, int thread) {
        MatmulJob share = job;
        if (!shared) {
          OwnInput& own = own_inputs_[thread];
          PackJob own_pack = pack;
          own_pack.packed = own.packed.at_least(packed_size);
          if (own.product != product_) {
            for (int tile = 0; tile < tiles; ++tile) kernels.pack_rows(own_pack, tile);
            own.product = product_;
          }
          share.packed = own_pack.packed;
        }
        kernels.matmul(share, task, workspace_.scratch[thread].at_least(scratch));
      });
}

void CpuProducts::slice(const CpuLinear& weight, int first, int columns) {
  slices_.clear();
  int start = 0, panels = 0;
  for (const HostTensor& part : weight.parts) {
    const int from = std::max(first, start), to = std::min(first + columns, start + part.rows);
    if (from < to) {
      const std::size_t bytes = row_bytes(part.type, part.cols);
      slices_.push_back(
          {part.data + (from - start) * bytes, part.type, to - from, from - first, panels});
      panels += ceil_div(to - from, kernels_.panel);
    }
    start += part.rows;
  }
  panels_ = panels;
}

// How the work is cut: a matter of caches and balance, never of bits.
void CpuProducts::choose_blocks(int tiles, MatmulJob& job) const {
  constexpr int kGroupColumns = 64, kDepth = 512, kRowsInScratch = 240;
  const int threads = workspace_.pool.threads();
  job.depth_block = std::min(job.depth, kDepth);
  job.task_tiles = tiles;
  if (job.depth > job.depth_block) {
    job.task_tiles = std::min(tiles, kRowsInScratch / kernels_.tile_rows);
  }
  job.task_panels = std::clamp(job.panels / (2 * threads), 1, kGroupColumns / kernels_.panel);
  // Few panels for many threads: split the rows too.
  const int groups = job.panel_groups();
  if (groups < 2 * threads) {
    job.task_tiles = std::min(job.task_tiles, std::max(1, ceil_div(tiles * groups, 2 * threads)));
  }
}

}  // namespace umf
