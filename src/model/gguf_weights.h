// The weights of a GGUF model as the transformer wants them: rows in the checkpoint's order, q, k
// and v apart.
#pragma once

#include "gguf/gguf_files.h"
#include "model/gguf_architecture.h"
#include "model/safetensors.h"

namespace umf {

// Takes the model's files along; its metadata can be read as long as they live. Only tensors whose
// rows change places are copied. Throws Error naming the tensor for what the file lacks or what
// cannot be computed.
Weights gguf_weights(GgufModel& model, const GgufArchitecture& kind,
                     const Architecture& architecture);

// Row r of a head of `width` rows stands at this row of a head with paired rows.
constexpr int paired_row(int r, int width) { return 2 * (r % (width / 2)) + r / (width / 2); }

}  // namespace umf
