#include "backend/quantise.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "backend/blocks.h"
#include "backend/widen.h"

namespace umf {
namespace {

using Bytes = std::uint8_t*;

std::uint16_t narrow_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// To nearest, ties to even, as every division below: n units of the exponent, which is the
// smallest one for subnormals. A carry runs into the exponent, which is right.
std::uint16_t narrow_f16(float value) {
  const float magnitude = std::fabs(value);
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const int sign = std::signbit(value) ? 0x8000 : 0;
  return static_cast<std::uint16_t>(sign | ((exponent + 14) * 1024 + units));
}

// Writes the half and gives the number that it stands for.
float put_half(Bytes out, float value) {
  const std::uint16_t bits = narrow_f16(value);
  std::memcpy(out, &bits, sizeof bits);
  return widen_f16(bits);
}

// To the nearest whole number, |value| < 2^22.
int nearest(float value) {
  constexpr float kShift = 12582912.0f;  // 1.5 * 2^23: what is added loses its fraction
  return static_cast<int>((value + kShift) - kShift);
}

// The level of `value` among low .. high in steps of `step`; the lowest of none where all are zero.
int level(float value, float step, int low, int high) {
  if (step == 0) return std::clamp(0, low, high);
  return nearest(std::clamp(value / step, static_cast<float>(low), static_cast<float>(high)));
}

// The number with the largest magnitude, the first of several.
float extreme(std::span<const float> numbers) {
  float result = 0;
  for (const float number : numbers) {
    if (std::fabs(number) > std::fabs(result)) result = number;
  }
  return result;
}

// Blocks of 32: element i < 16 is the low half of byte i, the others are the high halves.
void put_nibble(Bytes out, int i, int value) {
  out[i % 16] = static_cast<std::uint8_t>(out[i % 16] | (value & 15) << i / 16 * 4);
}

void put_bit(Bytes out, int i, int value) {
  out[i / 8] = static_cast<std::uint8_t>(out[i / 8] | value << i % 8);
}

void q8_0(std::span<const float> x, Bytes out) {
  const float d = put_half(out, std::fabs(extreme(x)) / 127);
  for (int i = 0; i < 32; ++i) out[2 + i] = static_cast<std::uint8_t>(level(x[i], d, -127, 127));
}

// Levels around zero: the extreme is the lowest one, which has no counterpart.
void q4_0(std::span<const float> x, Bytes out) {
  const float d = put_half(out, extreme(x) / -8);
  for (int i = 0; i < 32; ++i) put_nibble(out + 2, i, level(x[i], d, -8, 7) + 8);
}

void q5_0(std::span<const float> x, Bytes out) {
  const float d = put_half(out, extreme(x) / -16);
  for (int i = 0; i < 32; ++i) {
    const int q = level(x[i], d, -16, 15) + 16;
    put_nibble(out + 6, i, q);
    put_bit(out + 2, i, q >> 4);
  }
}

// Levels from the smallest number to the largest; gives the step and the minimum.
std::pair<float, float> put_range(std::span<const float> x, int most, Bytes out) {
  const auto [low, high] = std::ranges::minmax(x);
  const float d = put_half(out, (high - low) / static_cast<float>(most));
  return {d, put_half(out + 2, low)};
}

void q4_1(std::span<const float> x, Bytes out) {
  const auto [d, m] = put_range(x, 15, out);
  for (int i = 0; i < 32; ++i) put_nibble(out + 4, i, level(x[i] - m, d, 0, 15));
}

void q5_1(std::span<const float> x, Bytes out) {
  const auto [d, m] = put_range(x, 31, out);
  for (int i = 0; i < 32; ++i) {
    const int q = level(x[i] - m, d, 0, 31);
    put_nibble(out + 8, i, q);
    put_bit(out + 4, i, q >> 4);
  }
}

// x is about step q - minimum, with the minimum not below zero.
struct Line {
  float step = 0, minimum = 0;
};

// Tries steps around the one that spans the numbers; each gives levels, for which the best line is
// that of least squares. The one with the smallest sum of squared errors is taken, the first of
// several.
Line fit_line(std::span<const float> x, int most) {
  const auto [smallest, largest] = std::ranges::minmax(x);
  const float low = std::min(smallest, 0.0f), range = largest - low;
  if (range <= 0) return {0, -low};
  const auto count = static_cast<float>(x.size());
  Line best;
  float best_error = INFINITY;
  for (int trial = -10; trial <= 10; ++trial) {
    const float step = range / (static_cast<float>(most) + 0.1f * static_cast<float>(trial));
    float sum_q = 0, sum_qq = 0, sum_x = 0, sum_qx = 0;
    float levels[32];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto q = static_cast<float>(level(x[i] - low, step, 0, most));
      levels[i] = q;
      sum_q += q, sum_qq += q * q, sum_x += x[i], sum_qx += q * x[i];
    }
    // Whole numbers: exact, and 0 where all levels are the same.
    const float determinant = count * sum_qq - sum_q * sum_q;
    Line line{(count * sum_qx - sum_q * sum_x) / determinant,
              (sum_q * sum_qx - sum_qq * sum_x) / determinant};
    if (determinant == 0 || line.minimum < 0) line = {sum_qx / sum_qq, 0};
    float error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float off = line.step * levels[i] - line.minimum - x[i];
      error += off * off;
    }
    if (error < best_error) best = line, best_error = error;
  }
  return best;
}

// The steps and minima of eight groups: 6 bits each, in 12 bytes.
void put_group(Bytes s, int j, int step, int minimum) {
  const auto add = [&](int at, int bits) { s[at] = static_cast<std::uint8_t>(s[at] | bits); };
  if (j < 4) {
    add(j, step);
    add(j + 4, minimum);
  } else {
    add(j + 4, (step & 15) | (minimum & 15) << 4);
    add(j - 4, step >> 4 << 6);
    add(j, minimum >> 4 << 6);
  }
}

// Eight groups of 32, each with a line of its own; put(j, l, q) takes the levels.
template <class Put>
void groups_of_32(std::span<const float> x, int most, Bytes out, const Put& put) {
  Line lines[8], top;
  for (int j = 0; j < 8; ++j) {
    lines[j] = fit_line(x.subspan(32 * j, 32), most);
    top = {std::max(top.step, lines[j].step), std::max(top.minimum, lines[j].minimum)};
  }
  const float d = put_half(out, top.step / 63), dmin = put_half(out + 2, top.minimum / 63);
  for (int j = 0; j < 8; ++j) {
    const int step = level(lines[j].step, d, 0, 63), minimum = level(lines[j].minimum, dmin, 0, 63);
    put_group(out + 4, j, step, minimum);
    const float factor = d * static_cast<float>(step), less = dmin * static_cast<float>(minimum);
    for (int l = 0; l < 32; ++l) put(j, l, level(x[32 * j + l] + less, factor, 0, most));
  }
}

// The nibbles of groups 2n and 2n + 1 share 32 bytes.
void put_group_nibble(Bytes out, int j, int l, int q) {
  std::uint8_t& byte = out[j / 2 * 32 + l];
  byte = static_cast<std::uint8_t>(byte | (q & 15) << j % 2 * 4);
}

void q4_k(std::span<const float> x, Bytes out) {
  groups_of_32(x, 15, out, [&](int j, int l, int q) { put_group_nibble(out + 16, j, l, q); });
}

void q5_k(std::span<const float> x, Bytes out) {
  groups_of_32(x, 31, out, [&](int j, int l, int q) {
    put_group_nibble(out + 48, j, l, q);
    out[16 + l] = static_cast<std::uint8_t>(out[16 + l] | (q >> 4) << j);
  });
}

// As fit_line, for levels around zero from -32 to 31.
float fit_step(std::span<const float> x) {
  const float far = extreme(x);
  float best = 0, best_error = INFINITY;
  for (int trial = -10; trial <= 10 && far != 0; ++trial) {
    const float step = far / -(32 + 0.1f * static_cast<float>(trial));
    float sum_qq = 0, sum_qx = 0, sum_xx = 0;
    for (const float number : x) {
      const auto q = static_cast<float>(level(number, step, -32, 31));
      sum_qq += q * q, sum_qx += q * number, sum_xx += number * number;
    }
    if (sum_qq == 0) continue;
    const float error = sum_xx - sum_qx * sum_qx / sum_qq;
    if (error < best_error) best = sum_qx / sum_qq, best_error = error;
  }
  return best;
}

// Sixteen groups of 16 with signed steps. The levels stand in two halves of 128; in each, runs of
// 32 have their low four bits in one half of 64 bytes and their high two bits in a quarter of 32.
void q6_k(std::span<const float> x, Bytes out) {
  float steps[16];
  for (int g = 0; g < 16; ++g) steps[g] = fit_step(x.subspan(16 * g, 16));
  const float d = put_half(out + 208, std::fabs(extreme(steps)) / 127);
  for (int i = 0; i < 256; ++i) {
    const int step = level(steps[i / 16], d, -127, 127);
    out[192 + i / 16] = static_cast<std::uint8_t>(step);
    const int q = level(x[i], d * static_cast<float>(step), -32, 31) + 32;
    const int half = i / 128, run = i % 128 / 32, l = i % 32;
    std::uint8_t& low = out[64 * half + l + run % 2 * 32];
    std::uint8_t& high = out[128 + 32 * half + l];
    low = static_cast<std::uint8_t>(low | (q & 15) << run / 2 * 4);
    high = static_cast<std::uint8_t>(high | (q >> 4) << 2 * run);
  }
}

void plain_f32(std::span<const float> x, Bytes out) { std::memcpy(out, x.data(), x.size_bytes()); }

void plain_f16(std::span<const float> x, Bytes out) {
  const std::uint16_t bits = narrow_f16(x.front());
  std::memcpy(out, &bits, sizeof bits);
}

void plain_bf16(std::span<const float> x, Bytes out) {
  const std::uint16_t bits = narrow_bf16(x.front());
  std::memcpy(out, &bits, sizeof bits);
}

using OneBlock = void (*)(std::span<const float>, Bytes);

OneBlock one_block(DType type) {
  switch (type) {
    case DType::kF32:
      return plain_f32;
    case DType::kF16:
      return plain_f16;
    case DType::kBF16:
      return plain_bf16;
    case DType::kQ4_0:
      return q4_0;
    case DType::kQ4_1:
      return q4_1;
    case DType::kQ5_0:
      return q5_0;
    case DType::kQ5_1:
      return q5_1;
    case DType::kQ8_0:
      return q8_0;
    case DType::kQ4_K:
      return q4_k;
    case DType::kQ5_K:
      return q5_k;
    case DType::kQ6_K:
      return q6_k;
    case DType::kF8:
      break;
  }
  return nullptr;
}

}  // namespace

void read_row(const HostTensor& tensor, int row, std::span<float> out) {
  const std::byte* begin = tensor.data + row * row_bytes(tensor.type, tensor.cols);
  if (is_quantised(tensor.type)) return dequantise(tensor.type, begin, out);
  const HostTensor numbers{begin, tensor.type, 1, tensor.cols};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = element(numbers, i);
}

void write_row(DType type, std::span<const float> numbers, std::byte* out) {
  const std::size_t elements = block_elements(type), bytes = block_bytes(type);
  const OneBlock block = one_block(type);
  assert(block && numbers.size() % elements == 0);
  std::memset(out, 0, numbers.size() / elements * bytes);
  auto to = reinterpret_cast<Bytes>(out);
  for (std::size_t i = 0; i < numbers.size(); i += elements, to += bytes)
    block(numbers.subspan(i, elements), to);
}

}  // namespace umf
