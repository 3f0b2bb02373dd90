// The rotation that a config.json asks for, in the forms of transformers 4 and 5.
#pragma once

#include "model/config.h"

namespace umf {

// theta, from rope_theta (4) or rope_parameters (5), which may be one rotation or one per kind of
// layer. Throws Error where several are given and differ, where none is, and for any rotation but
// the default one of the whole head (rope_scaling included).
double read_rope_theta(const Config& config);

}  // namespace umf
