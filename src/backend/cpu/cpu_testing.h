// Helpers of the tests in this folder: seeded numbers, weights in every type, bitwise comparison.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"

namespace umf {

inline std::vector<float> random_floats(std::size_t count, std::uint32_t seed, float scale = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(engine);
  return values;
}

inline Matrix upload(Backend& backend, const std::vector<float>& values, int rows, int cols) {
  Matrix m = backend.allocate(rows, cols);
  for (int i = 0; i < rows; ++i) {
    std::memcpy(static_cast<float*>(m.memory.get()) + static_cast<std::size_t>(i) * m.stride,
                values.data() + static_cast<std::size_t>(i) * cols, cols * sizeof(float));
  }
  return m;
}

inline std::vector<float> download(Backend& backend, const Matrix& m) {
  std::vector<float> values(static_cast<std::size_t>(m.rows) * m.cols);
  backend.read(m, values);
  return values;
}

// A weight in a stored type, aligned to its element and no more, and its exact values.
class RandomTensor {
 public:
  RandomTensor(int rows, int cols, DType type, std::uint32_t seed)
      : rows_(rows), cols_(cols), type_(type) {
    const auto wanted = random_floats(static_cast<std::size_t>(rows) * cols, seed, 0.5f);
    bytes_.resize(wanted.size() * size_of(type) + 64);
    // One element past a 64-byte boundary.
    offset_ = 64 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64 + size_of(type);
    if (offset_ >= 64) offset_ -= 64;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      std::byte* at = bytes_.data() + offset_ + i * size_of(type);
      std::uint32_t bits;
      std::memcpy(&bits, &wanted[i], 4);
      float exact = wanted[i];
      if (type == DType::kF32) {
        std::memcpy(at, &bits, 4);
      } else if (type == DType::kBF16) {
        const auto half = static_cast<std::uint16_t>(bits >> 16);
        std::memcpy(at, &half, 2);
        bits &= 0xFFFF0000u;
        std::memcpy(&exact, &bits, 4);
      } else {
        // Every 7th number subnormal in f16.
        const std::uint16_t exponent = i % 7 == 0 ? 0 : 10 + (bits >> 23) % 7;
        const std::uint16_t half =
            static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 5 & 1023));
        std::memcpy(at, &half, 2);
        const int fraction = half & 1023;
        exact = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
        if (half & 0x8000) exact = -exact;
      }
      values.push_back(exact);
    }
  }
  HostTensor view() const { return {bytes_.data() + offset_, type_, rows_, cols_}; }
  std::vector<float> values;

 private:
  std::vector<std::byte> bytes_;
  std::size_t offset_ = 0;
  int rows_, cols_;
  DType type_;
};

inline HostTensor view_of(const std::vector<float>& values, int rows, int cols) {
  return {reinterpret_cast<const std::byte*>(values.data()), DType::kF32, rows, cols};
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// One chain of fused multiply-adds per output, then bias: the definition of project().
inline std::vector<float> chain(const std::vector<float>& a, const std::vector<float>& w,
                                const std::vector<float>& bias, int m, int n, int k) {
  std::vector<float> out(static_cast<std::size_t>(m) * n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x) sum = std::fma(a[i * k + x], w[j * k + x], sum);
      out[i * n + j] = bias.empty() ? sum : sum + bias[j];
    }
  }
  return out;
}

// Every target, and thread counts that do and do not divide the work.
struct Machine {
  std::string target;
  int threads;
};
inline std::vector<Machine> machines(const std::vector<std::string>& targets = cpu_targets()) {
  std::vector<Machine> all;
  for (const std::string& target : targets) {
    for (const int threads : {1, 2, 3, 4}) all.push_back({target, threads});
  }
  return all;
}

}  // namespace umf
