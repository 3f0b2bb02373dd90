// How a benchmark tells a mistake of its user's.
#pragma once

#include <cstdio>

#include "base/error.h"

namespace umf {

// The exit status of the program.
template <class Work>
int bench_main(const Work& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace umf
