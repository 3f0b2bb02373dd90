// The keys of config.json that speak of experts.
#pragma once

#include <set>
#include <string>

#include "model/family.h"

namespace umf {

// num_experts, num_experts_per_tok and the width of one, which `width_key` gives. Everything else
// is the family's to read.
MixtureShape read_experts(const Config& config, const std::string& width_key);

// A list of layers, empty where the key is absent.
std::set<int> read_layers(const Config& config, const std::string& key, int layers);

// Checks that the choice is possible: experts enough, in groups and out of them. Layers without
// experts need the MLP that `a` has; where all have experts, it has none.
void set_mixture(const Config& config, MixtureShape mixture, Architecture& a);

}  // namespace umf
