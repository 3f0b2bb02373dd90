// Any bytes as a config.json: an Error, or an architecture that can be computed.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "model/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const umf::Architecture a = umf::read_config(text, "fuzz").architecture;
    const bool sound = a.query_cols() == a.hidden &&
                       a.attention.heads % a.attention.kv_heads == 0 && a.attention.head_dim > 0 &&
                       a.layers > 0 && a.vocabulary > 0 && a.rope_theta >= 1;
    if (!sound) std::abort();
  } catch (const umf::Error&) {
  }
  return 0;
}
