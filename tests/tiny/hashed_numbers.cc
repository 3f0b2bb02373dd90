#include "tiny/hashed_numbers.h"

namespace umf {

void hashed_numbers(const NoiseKey& key, int position, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = 4 * open_unit(noise_word(key, static_cast<std::uint32_t>(position),
                                      static_cast<std::uint32_t>(i)));
  }
}

}  // namespace umf
