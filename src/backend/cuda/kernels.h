// Launchers of our own kernels. All are asynchronous on `stream`; a row's result depends on its own
// inputs alone, bit for bit, because no block shape or order of sums depends on the number of rows.
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/view.h"

namespace umf {

void launch_copy_rows(const Operation& op, cudaStream_t stream);
void launch_norm(const Operation& op, cudaStream_t stream);
void launch_norm_heads(const Operation& op, cudaStream_t stream);
void launch_rotate(const Operation& op, cudaStream_t stream);
void launch_gated_silu(const Operation& op, cudaStream_t stream);
void launch_relu(const Operation& op, cudaStream_t stream);

// Rows as kF8 with a factor each, from numbers as they are, normalised, or activated.
void launch_narrow(const Operation& op, cudaStream_t stream);
void launch_norm_narrow(const Operation& op, cudaStream_t stream);
void launch_gated_silu_narrow(const Operation& op, cudaStream_t stream);

// f32 activations, weights of f32 or bf16: one chain of fused multiply-adds per output in ascending
// order of the inner index, as on the CPU.
void launch_product_f32(const Operation& op, cudaStream_t stream);
// kF8 of any shape, slow.
void launch_product_f8(const Operation& op, cudaStream_t stream);

// Blocks (tensor.h) as plain numbers: `count` of them, packed; rows of an embedding, kCopyRows.
void launch_dequantise(const void* blocks, DType from, void* out, DType to, std::size_t count,
                       cudaStream_t stream);
// Plain numbers as blocks of Q8_0, with the bits of backend/quantise.h.
void launch_quantise(const void* in, DType from, void* blocks, DType to, std::size_t count,
                     cudaStream_t stream);
void launch_embed_blocks(const Operation& op, cudaStream_t stream);
// bf16 activations and blocks, for few rows or the experts of a mixture; `wide`: with many outputs
// in a block of threads. False where this GPU has too little shared memory, which is never said of
// products that are not wide.
bool has_block_kernel(DType type, int inputs);
bool has_block_product(const Operation& op);
bool launch_block_product(const Operation& op, bool wide, cudaStream_t stream);

// bf16 with 64 or 128 numbers per head goes to the tensor cores, everything else to plain loops.
bool has_fast_attention(const Operation& op);
void launch_attention(const Operation& op, cudaStream_t stream);
void launch_fast_attention(const Operation& op, cudaStream_t stream);

// out[i] = in[i] in another type; packed.
void launch_convert(const void* in, DType from, void* out, DType to, std::size_t count,
                    cudaStream_t stream);
// Mixtures of experts: kRoute, kExpertProduct, kExpertSum.
void launch_route(const Operation& op, cudaStream_t stream);
void launch_expert_product(const Operation& op, cudaStream_t stream);
void launch_expert_sum(const Operation& op, cudaStream_t stream);
// Products for the tensor cores: bf16 in rows of whole 16-byte words. `wide`: the shape for many
// rows per expert; the bits are the same.
bool has_fast_expert_product(const Operation& op);
void launch_fast_expert_product(const Operation& op, bool wide, cudaStream_t stream);

// f32, packed, from any view: what `read` copies to the host.
void launch_pack(const View& in, float* out, cudaStream_t stream);
// Numbers around 0 from a fixed stream: inputs of measurements.
void launch_fill_noise(void* out, DType type, std::size_t count, std::uint32_t stream_number,
                       float scale, cudaStream_t stream);
// A kernel of ours, for what a measurement needs before what it measures.
void launch_nothing(cudaStream_t stream);
// *different = how many of `count` 32-bit words differ.
void launch_count_different(const void* a, const void* b, std::size_t words, unsigned* different,
                            cudaStream_t stream);

// A Sampling in the form of kernel parameters.
struct DeviceSampling {
  static constexpr int kMaxEdits = 16;
  enum Edit : std::uint8_t { kNever, kLast, kBias };

  float temperature = 0, top_p = 1;
  int top_k = 0;
  bool tempered_scores = false, plain_probability = false;
  NoiseKey noise;
  int edits = 0;  // tokens that are treated differently
  int token[kMaxEdits];
  float bias[kMaxEdits];
  Edit edit[kMaxEdits];
};
// Throws Error when more tokens are edited than fit.
DeviceSampling device_sampling(const Sampling& sampling);

// One prediction per row of f32 logits.
void launch_predict(const View& logits, const int* positions, const DeviceSampling& sampling,
                    Prediction* out, cudaStream_t stream);

}  // namespace umf
