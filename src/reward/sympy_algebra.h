// SymPy in the sandbox, for what our own mathematics leaves open.
#pragma once

#include <functional>
#include <memory>

#include "math/computer_algebra.h"

namespace umf {

class Sandbox;

// As long as the reference waits, and what it takes to start SymPy.
inline constexpr int kSympyCpuSeconds = 6;

// The sandbox is made when something is first left open. Where it cannot be had, or SymPy finds no
// answer in its time, the question stays open.
std::unique_ptr<ComputerAlgebra> make_sympy_algebra(std::function<Sandbox&()> sandbox,
                                                    int cpu_seconds = kSympyCpuSeconds);

}  // namespace umf
