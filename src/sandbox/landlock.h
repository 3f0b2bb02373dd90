// Landlock: what a process may open, without namespaces (Linux 5.13).
#pragma once

#include <string>

#include "base/descriptor.h"

namespace umf {

// Of the kernel; less than 1 where it has none.
long landlock_version();

// Programs and libraries may be read and run, `readable` (if not "") may be read, nothing may be
// written. Throws Error where the kernel has no Landlock.
Descriptor make_landlock_ruleset(const std::string& readable);

// Makes one system call. Returns -1 and errno when it is refused; needs no_new_privs.
int restrict_with_landlock(int ruleset);

}  // namespace umf
