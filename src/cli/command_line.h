// How the program was called.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// A word as a POSIX shell takes it, in quotes where it needs them.
std::string shell_word(std::string_view word);

// Of this process, as a shell would take it again; empty where the system does not tell.
std::string command_line();

}  // namespace umf
