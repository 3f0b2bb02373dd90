#include "model/mixture_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace umf {

MixtureShape read_experts(const Config& config, const std::string& width_key) {
  MixtureShape mixture;
  // So large that all experts together are still as many numbers wide as an int can say.
  mixture.routing.experts = config.integer("num_experts", 1, 1 << 12);
  mixture.routing.chosen = config.integer("num_experts_per_tok", 1, 1 << 12);
  mixture.width = config.integer(width_key, 8, 1 << 18);
  // Training alone.
  config.ignore({"output_router_logits", "router_aux_loss_coef", "router_z_loss_coef"});
  return mixture;
}

std::set<int> read_layers(const Config& config, const std::string& key, int layers) {
  const Json* list = config.find(key);
  if (list == nullptr) return {};
  if (!list->is_array()) config.refuse(key, "must be a list of layers");
  std::set<int> found;
  for (const Json& layer : *list) {
    if (!layer.is_number_integer() || layer < 0 || layer >= layers)
      config.refuse(key, fmt::format("must be a list of layers from 0 to {}", layers - 1));
    found.insert(layer.get<int>());
  }
  return found;
}

void set_mixture(const Config& config, MixtureShape mixture, Architecture& a) {
  const Routing& r = mixture.routing;
  if (r.chosen > r.experts) {
    config.fail("num_experts_per_tok",
                fmt::format("is {}, but there are {} experts", r.chosen, r.experts));
  }
  if (r.groups > 1 && (r.experts % r.groups != 0 || r.experts / r.groups < 2)) {
    config.fail("n_group", fmt::format("is {}: {} experts are not so many equal groups of two or "
                                       "more",
                                       r.groups, r.experts));
  }
  if (r.kept_groups > r.groups || r.experts / r.groups * r.kept_groups < r.chosen) {
    config.fail("topk_group", fmt::format("is {} of {} groups, which have no {} experts",
                                          r.kept_groups, r.groups, r.chosen));
  }
  if (std::ranges::find(mixture.layers, true) == mixture.layers.end())
    config.fail("num_experts", fmt::format("is {}, but no layer has experts", r.experts));
  const bool all = std::ranges::find(mixture.layers, false) == mixture.layers.end();
  if (all) a.mlp = 0;
  if (!all && a.mlp < 8)
    config.fail("intermediate_size", "is missing, and some layers have no experts");
  a.mixture = std::move(mixture);
}

}  // namespace umf
