#include "base/version.h"

namespace umf {

const char* version() { return UMF_VERSION; }

}  // namespace umf
