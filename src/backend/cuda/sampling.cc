// How tokens are drawn, as kernels take it.
#include <fmt/core.h>

#include "backend/cuda/kernels.h"
#include "base/error.h"

namespace umf {

DeviceSampling device_sampling(const Sampling& sampling) {
  DeviceSampling device{.temperature = sampling.temperature,
                        .top_p = sampling.top_p,
                        .top_k = sampling.top_k,
                        .tempered_scores = sampling.tempered_scores,
                        .plain_probability = sampling.plain_probability,
                        .noise = sampling.noise};
  const auto add = [&](Token token, float bias, DeviceSampling::Edit edit) {
    if (device.edits == DeviceSampling::kMaxEdits) {
      throw Error(
          fmt::format("cuda: more than {} tokens are forbidden or biased at once; pass "
                      "--backend cpu",
                      DeviceSampling::kMaxEdits));
    }
    device.token[device.edits] = token;
    device.bias[device.edits] = bias;
    device.edit[device.edits++] = edit;
  };
  for (const auto& [token, bias] : sampling.bias) add(token, bias, DeviceSampling::kBias);
  for (const Token token : sampling.never) add(token, 0, DeviceSampling::kNever);
  for (const Token token : sampling.last) add(token, 0, DeviceSampling::kLast);
  return device;
}

}  // namespace umf
