// Any bytes as a config.json: an Error of one line, or an architecture that can be computed; and as
// a generation_config.json: an Error of one line, or tokens.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backend/rotation.h"
#include "base/error.h"
#include "model/checkpoint.h"

namespace {

void read_architecture(const std::string& text) {
  const umf::Architecture a = umf::read_config(text, "fuzz").architecture;
  const bool sound = a.query_cols() > 0 && a.hidden > 0 &&
                     a.attention.heads % a.attention.kv_heads == 0 && a.attention.head_dim > 0 &&
                     a.layers > 0 && a.vocabulary > 0 && a.rope_theta >= 1;
  if (!sound) std::abort();
  for (const float frequency : umf::rotation_frequencies(a.rotation())) {
    if (!(frequency > 0 && std::isfinite(frequency))) std::abort();
  }
}

void read_tokens(const std::string& text) {
  const umf::Config config(umf::parse_json(text, "fuzz"), "fuzz");
  for (const umf::Token token : config.tokens("eos_token_id")) {
    if (token < 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_architecture, read_tokens}) {
    try {
      read(text);
    } catch (const umf::Error& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    }
  }
  return 0;
}
