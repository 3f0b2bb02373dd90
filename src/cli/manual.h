// Manual pages, made from what --help says.
#pragma once

#include <string>

#include "setup/options.h"

namespace umf {

// The source of umf-COMMAND(1), for man.
std::string manual_page(const CommandFacts& command);
// Of umf(1), which lists the commands.
std::string manual_page(const std::vector<CommandFacts>& commands);

}  // namespace umf
