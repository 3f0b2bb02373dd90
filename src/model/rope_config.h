// The rotation that a config.json asks for, in the forms of transformers 4 and 5.
#pragma once

#include <optional>

#include "backend/tensor.h"
#include "model/config.h"

namespace umf {

// theta, from rope_theta (4) or rope_parameters (5), which may be one rotation or one per kind of
// layer. Throws Error where several are given and differ, where none is, and for any rotation but
// the default one of the whole head (rope_scaling included).
double read_rope_theta(const Config& config);

// The same for families that may rotate the first part of a head alone: `rotary_dim` numbers of it,
// or the share `partial_rotary_factor`, beside theta or inside of the rotation; the whole head
// where neither is given. Throws Error where several are given and differ.
struct PartialRotation {
  double theta = 0;
  int rotated = 0;
};
PartialRotation read_partial_rotation(const Config& config, int head_dim);

// The same for families whose rotation is stretched (YaRN) and whose queries may grow with the
// position, of the whole head: every parameter of both. Throws Error where texts longer than
// `max_length` would need other numbers than those within it, and for parameters that no published
// file has.
struct StretchedRotation {
  double theta = 0;
  RotationStretch stretch;
  std::optional<RotationGrowth> query_growth;
};
StretchedRotation read_stretched_rotation(const Config& config, int max_length);

}  // namespace umf
