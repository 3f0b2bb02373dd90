// The version that --version and every report print; CMake gives it.
#pragma once

namespace umf {

const char* version();

}  // namespace umf
