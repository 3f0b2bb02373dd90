// umf_describe(): the names that requests may use.
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "c_api/calls.h"
#include "model/embedded.h"
#include "session/presets.h"
#include "setup/examples.h"

namespace umf {

std::string text_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson describe_all() {
  OrderedJson json = {
      {"version", version()}, {"commit", build_commit()}, {"compiler", build_compiler()}};
  for (const char* list : {"models", "searches", "presets", "rewards", "backends", "examples"})
    json[list] = OrderedJson::array();
  for (const BuiltInFolder& model : embedded_models())
    json["models"].push_back({{"name", model.name}});
  for (const SearchEntry& entry : searches())
    json["searches"].push_back({{"name", entry.facts.name}, {"summary", entry.facts.summary}});
  for (const Preset& preset : presets())
    json["presets"].push_back({{"name", preset.name}, {"summary", preset.summary}});
  for (const RewardEntry* reward : kRewards) json["rewards"].push_back({{"name", reward->type}});
  for (const BackendEntry& entry : backends())
    json["backends"].push_back(
        {{"name", entry.name}, {"summary", entry.summary}, {"objection", entry.objection()}});
  for (const Example& example : examples())
    json["examples"].push_back({{"name", example.name},
                                {"about", example.about},
                                {"problem", OrderedJson::parse(example_problem(example))}});
  return json;
}

}  // namespace umf
