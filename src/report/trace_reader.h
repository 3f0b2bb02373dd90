// Traces as pages get them: checked, and without what they do not draw.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace umf {

struct TraceShape {
  int window = 0;   // cells of the root
  int actions = 0;  // that the lines may name
};

// The lines of a trace (docs/formats.md) as a list. A file may hold anything: every state is told
// before it is used, cells lie in their window, and all has its type, so that whoever draws it need
// not ask. Throws Error naming `where` and the line.
nlohmann::ordered_json read_trace(std::string_view text, const TraceShape& shape,
                                  const std::string& where);

}  // namespace umf
