// The boxed answer at the end of a solution, by counting braces.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace umf {

// What stands in the last \boxed (else the last \fbox). Without braces ("\boxed 5$"): the text up
// to the next dollar sign. Nothing where there is no box or it is never closed.
std::optional<std::string> last_boxed(std::string_view text);

}  // namespace umf
