// The jobs that the kernels do, and one table of kernels per instruction set. A kernel computes a
// share of a job on the calling thread; who does which share never changes a bit of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/tensor.h"

namespace umf {

// Rows to be packed in tiles of Kernels::tile_rows for the matrix kernel: tile t holds the rows
// [t * tile_rows, ...) as [steps][rows of the tile], at packed + t * tile_rows * steps. A step of a
// product is one number of the depth, or two where they go in pairs.
struct PackJob {
  const float* rows = nullptr;
  std::size_t stride = 0;
  int count = 0, depth = 0;
  float* packed = nullptr;
};

// Consecutive rows of one weight matrix that give consecutive output columns.
struct WeightSlice {
  const std::byte* data = nullptr;
  DType type = DType::kF32;
  int columns = 0;      // rows of the weight, columns of the output
  int out_column = 0;   // of its first
  int first_panel = 0;  // panels of Kernels::panel columns, counted over all slices
};

// out = A W^T, plus `bias` where given; or out += A W^T. Every output is one chain of fused
// multiply-adds over ascending depth from 0; the bias, or the old value of `out`, is added last.
struct MatmulJob {
  const float* packed = nullptr;  // A, as PackJob leaves it
  int rows = 0, depth = 0;
  std::span<const WeightSlice> slices;
  int panels = 0;
  const float* bias = nullptr;  // null, or one number per output column
  bool add = false;
  float* out = nullptr;
  std::size_t out_stride = 0;
  // A task takes `task_panels` panels and `task_tiles` row tiles; the depth goes in blocks of
  // `depth_block`, whose unfinished chains rest in scratch.
  int depth_block = 0, task_panels = 0, task_tiles = 0;

  int panel_groups() const { return (panels + task_panels - 1) / task_panels; }
};

// Softmax attention of every query over the keys it sees.
struct AttentionJob {
  const float *queries = nullptr, *values = nullptr;
  std::size_t query_stride = 0, value_stride = 0, out_stride = 0;
  std::size_t value_head_stride = 0;  // between kv heads
  int query_rows = 0, keys = 0;
  std::span<const int> positions;
  AttentionShape shape;
  const float* packed_keys = nullptr;  // per kv head its keys, as PackJob leaves them
  std::size_t packed_stride = 0;       // between kv heads
  float* out = nullptr;
};

// The heads of one row, of which the first numbers are rotated.
struct RotatedHeads {
  int count = 0, dim = 0, rotated = 0;
};

// Scratch of one thread, reused from job to job.
struct PredictScratch {
  std::vector<float> plain, tempered, small;
  std::vector<std::pair<float, Token>> kept;
};

struct ProductKernels {
  void (*pack_rows)(const PackJob& job, int tile) = nullptr;
  void (*matmul)(const MatmulJob& job, int task, float* scratch) = nullptr;
};

// All pointers are to kernels of one instruction set; rows are [first, last) of the matrices.
struct Kernels {
  std::string name;  // "avx512"
  int tile_rows = 0;
  int panel = 0;
  int step_keys = 0;  // keys in a step of packed values; 0: values are multiplied where they are

  ProductKernels product;
  ProductKernels exact_product;  // of the numbers as they are: what routers score with
  // With the machine's own dot products: whether a weight has numbers so small that they would
  // count there, and the kernels for such a weight, slower and with the same bits as for others.
  bool (*has_small)(const std::byte* from, DType type, std::size_t count) = nullptr;
  ProductKernels product_with_small;
  std::size_t (*matmul_scratch)(const MatmulJob& job);  // numbers, per thread
  void (*pack_keys)(const PackJob& job, int tile);
  void (*pack_values)(const PackJob& job, int step) = nullptr;  // rows are keys: [steps][depth]
  int (*attention_tiles)(const AttentionJob& job);              // tasks: kv heads * tiles
  std::size_t (*attention_scratch)(const AttentionJob& job);
  void (*attend)(const AttentionJob& job, int task, float* scratch);

  void (*widen)(const std::byte* from, DType type, std::size_t count, float* to);
  void (*rms_norm)(const float* x, const float* gains, float eps, int count, float* out);
  void (*rotate)(float* x, const float* cosines, const float* sines, const RotatedHeads& heads);
  void (*gated_silu)(const float* gate, const float* up, int count, float* out);
  void (*relu)(float* x, int count);
  void (*add_scaled)(const float* x, float factor, int count, float* out);  // out += factor * x
  void (*exp)(const float* x, std::size_t count, float* out);               // `out` may be `x`
  Prediction (*predict)(const float* logits, int vocabulary, int position, const Sampling& sampling,
                        PredictScratch& scratch);

  // For the tests of accuracy and the benchmark.
  void (*log)(const float* x, std::size_t count, float* out);
  double (*fma_loop)(long rounds);  // operations done
};

// Best first; those that this machine cannot run are left out.
const std::vector<Kernels>& cpu_kernels();
// The same with products of numbers rounded to bf16 (bf16-inl.h), but for attention's scores. First
// comes the one with the machine's own dot products, where it has them; all give the same bits.
const std::vector<Kernels>& cpu_bf16_kernels();

}  // namespace umf
