#include "base/version.h"

#include "base/build_commit.h"  // made by cmake/commit.cmake

namespace umf {

const char* version() { return UMF_VERSION; }
const char* build_commit() { return UMF_COMMIT; }
const char* build_compiler() { return UMF_COMPILER; }

}  // namespace umf
