// What --version and every report print; CMake gives it.
#pragma once

namespace umf {

const char* version();         // "0.1.0"
const char* build_commit();    // "0123456789ab"; "unknown" outside of a repository
const char* build_compiler();  // "GNU 12.2.0"

}  // namespace umf
