// What benchmarks measure with.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <vector>

namespace umf {

using BenchClock = std::chrono::steady_clock;

inline double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = BenchClock::now();
  work();
  return seconds_since(start);
}

inline double median(std::vector<double> values) {
  assert(!values.empty());
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace umf
