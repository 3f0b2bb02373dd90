// The unit all models, tokenizers and decoders speak in.
#pragma once

#include <cstdint>

namespace umf {

using Token = std::int32_t;

}  // namespace umf
