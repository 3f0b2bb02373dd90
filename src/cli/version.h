// The version that --version and every report print; CMake gives it.
#pragma once

namespace umf {

inline constexpr const char* kVersion = UMF_VERSION;

}  // namespace umf
