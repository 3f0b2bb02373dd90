// Which system calls a sandboxed process may make.
#pragma once

#include <string>

namespace umf {

enum class FilterKind {
  kTester,         // our own code: may also pass descriptors to the cell
  kCandidate,      // untrusted, in namespaces of its own
  kLoneTester,     // without namespaces: may neither start nor signal a process
  kLoneCandidate,  // untrusted, likewise
};

// A seccomp program for prctl(PR_SET_SECCOMP). All calls that are not allowed fail with ENOSYS.
std::string filter_program(FilterKind kind);

}  // namespace umf
