// Tiny checkpoints, loaded.
#pragma once

#include <memory>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/reference/reference_backend.h"
#include "model/language_model.h"
#include "model/process_reward_model.h"
#include "support/tiny_checkpoint.h"

namespace umf {

inline std::unique_ptr<Backend> backend_named(const std::string& name, int threads = 2,
                                              const std::string& target = "") {
  if (name == "cuda") return make_cuda_backend();
  if (name == "cuda-f32") return make_cuda_f32_backend();
  if (name == "cuda-w8") return make_cuda_w8_backend();
  if (name == "cuda-fp8") return make_cuda_fp8_backend();
  if (name == "cpu-bf16") return make_cpu_bf16_backend(threads, target);
  return name == "reference" ? make_reference_backend() : make_cpu_backend(threads, target);
}

// A model and the backend it runs on.
struct Loaded {
  std::unique_ptr<Backend> backend;
  LanguageModel model;

  Loaded(const std::filesystem::path& place, std::unique_ptr<Backend> chosen,
         const std::string& family = "")
      : backend(std::move(chosen)),
        model(
            "tiny",
            open_checkpoint(find_checkpoint(place.string() + (family.empty() ? "" : "@" + family))),
            *backend) {}
};

// Tokens with masks in between, the same for every run.
inline std::vector<Token> sample_tokens(const ModelInfo& info, int length, int stream = 0) {
  std::vector<Token> tokens;
  for (int i = 0; i < length; ++i) {
    const std::uint32_t word = noise_word({11, 13}, stream, i);
    tokens.push_back(word % 3 == 0 ? info.tokens.mask : static_cast<Token>(10 + word / 3 % 200));
  }
  tokens.back() = info.tokens.mask;
  return tokens;
}

inline std::vector<int> masks_of(const ModelInfo& info, const std::vector<Token>& tokens) {
  std::vector<int> masks;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (tokens[i] == info.tokens.mask) masks.push_back(i);
  }
  return masks;
}

}  // namespace umf
