// From a row of logits to a prediction in one pass over it: one block per row.
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/predict.cuh"
#include "backend/cuda/predict_filtered.h"

namespace umf {
namespace {

__global__ void __launch_bounds__(kPredictThreads)
    predict(const float* logits, int stride, int vocabulary, const int* positions,
            DeviceSampling sampling, Prediction* out) {
  const float* row = logits + static_cast<std::size_t>(stride) * blockIdx.x;
  const int position = positions[blockIdx.x];
  const bool tempered = sampling.tempered_scores && sampling.temperature > 0;
  const float sharp = sharpness(tempered ? sampling.temperature : 1.0f);
  Gathered gathered;
  for_tokens(row, vocabulary, sampling, [&](int first, const Logit(&four)[4]) {
    choose(first, four, sampling, position, gathered.best, [](int) { return true; });
    float counted[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) counted[i] = four[i].last ? -INFINITY : four[i].x;
    gathered.add(four, counted, sharp, sampling);
  });
  gathered.conclude(sharp, sampling, out[blockIdx.x]);
}

}  // namespace

void launch_predict(const View& logits, const int* positions, const DeviceSampling& sampling,
                    Prediction* out, cudaStream_t stream) {
  // A filter that neither the draw nor the scores look at changes nothing.
  const bool matters = sampling.temperature > 0 || sampling.tempered_scores;
  if (matters && (sampling.top_p < 1 || sampling.top_k > 0)) {
    launch_predict_filtered(logits, positions, sampling, out, stream);
  } else {
    predict<<<logits.rows, kPredictThreads, 0, stream>>>(
        pointer<const float>(logits), logits.stride, logits.cols, positions, sampling, out);
  }
  check_launch("predicting");
}

}  // namespace umf
