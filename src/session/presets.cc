#include "session/presets.h"

#include <fmt/core.h>

#include <tuple>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

constexpr std::pair<const char*, const char*> kPublished[] = {
    {"dream-coder", "Dream-org/Dream-Coder-v0-Instruct-7B"},
    {"dream", "Dream-org/Dream-v0-Instruct-7B"},
    {"llada", "GSAI-ML/LLaDA-8B-Instruct"},
    {"diffucoder", "apple/DiffuCoder-7B-cpGRPO"},
    {"stable-diffcoder", "ByteDance-Seed/Stable-DiffCoder-8B-Instruct"},
};

// Dream and its kin: the entropy rule. At temperature 1 padding would win too early, so its
// probability is cut by 1e-12 as in the paper's experiments.
ActionChoice dream(const std::string& model, const std::string& temperature) {
  return {model, "strategy=entropy,commit=one,temperature=" + temperature +
                     (temperature == "1.0" ? ",pad-factor=1e-12" : "")};
}

// LLaDA: the low-confidence rule; cells that end the text come last, as in the paper's experiments.
ActionChoice llada(const std::string& temperature) {
  return {"llada", "strategy=low-confidence,commit=one,eos-last=true,temperature=" + temperature};
}

const ActionChoice kOrigin = {"dream-coder", "commit=one,strategy=origin,temperature=0.1"};
const ActionChoice kRandom = {"llada", "commit=one,strategy=random,eos-last=true,temperature=0"};
constexpr const char* kTemperatures[] = {"0.1", "0.5", "1.0"};

std::vector<Preset> unmaskfork_variants() {
  const ActionChoice coder = dream("dream-coder", "0.1");
  return {
      {"umf-code",
       "UnMaskFork, two models for code: Dream-Coder and LLaDA",
       "unmaskfork",
       {coder, llada("0")}},
      {"umf-math",
       "UnMaskFork, two models for mathematics: Dream and LLaDA",
       "unmaskfork",
       {dream("dream", "0.1"), llada("0")}},
      {"umf-code-3",
       "UnMaskFork, three models: Dream-Coder, LLaDA and DiffuCoder",
       "unmaskfork",
       {coder, llada("0"), dream("diffucoder", "0.3")}},
      {"umf-temperature-0.5",
       "UnMaskFork, one model at two temperatures: 0.1 and 0.5",
       "unmaskfork",
       {coder, dream("dream-coder", "0.5")}},
      {"umf-temperature-1.0",
       "UnMaskFork, one model at two temperatures: 0.1 and 1.0",
       "unmaskfork",
       {coder, dream("dream-coder", "1.0")}},
      {"umf-origin",
       "UnMaskFork, one model with two rules: entropy and origin",
       "unmaskfork",
       {coder, kOrigin}},
      {"umf-block",
       "UnMaskFork in blocks of 4: Stable-DiffCoder and LLaDA",
       "unmaskfork",
       {{"stable-diffcoder", "strategy=low-confidence,commit=one,temperature=0"}, llada("0")},
       4},
      {"relay-code",
       "ours: a relay of Dream-Coder, LLaDA and DiffuCoder, then each of them, parallel commits",
       "unmaskfork",
       {{"dream-coder+llada+diffucoder", "rule=relay,commit=tau:0.99"},
        {"dream-coder", "commit=tau:0.99"},
        {"llada", "commit=tau:0.95,eos-last=true"},
        {"diffucoder", "commit=tau:0.95"}}},
      {"umf-pair",
       "one UnMaskFork per model with half of the budget each, at two temperatures",
       "pair",
       {coder, dream("dream-coder", "1.0"), llada("0"), llada("1.0")},
       0,
       "unmaskfork"},
  };
}

std::vector<Preset> all_presets() {
  std::vector<Preset> list = unmaskfork_variants();
  for (const auto& [prefix, search, title] :
       {std::tuple{"bon", "best-of-n", "Best-of-N"}, std::tuple{"dts", "dts", "DTS*"}}) {
    for (const char* t : kTemperatures) {
      list.push_back({fmt::format("{}-dream-coder-{}", prefix, t),
                      fmt::format("{}, Dream-Coder, temperature {}", title, t),
                      search,
                      {dream("dream-coder", t)}});
    }
    list.push_back({fmt::format("{}-dream-coder-origin", prefix),
                    fmt::format("{}, Dream-Coder, origin", title),
                    search,
                    {kOrigin}});
    for (const char* t : kTemperatures) {
      list.push_back({fmt::format("{}-llada-{}", prefix, t),
                      fmt::format("{}, LLaDA, temperature {}", title, t),
                      search,
                      {llada(t)}});
    }
    list.push_back({fmt::format("{}-llada-random", prefix),
                    fmt::format("{}, LLaDA, random", title),
                    search,
                    {kRandom}});
  }
  for (const auto& [prefix, method, title] :
       {std::tuple{"pair-bon", "best-of-n", "Pair of best-of-N"},
        std::tuple{"pair-dts", "dts", "Pair of DTS*"}}) {
    for (const char* t : kTemperatures) {
      list.push_back({fmt::format("{}-{}", prefix, t),
                      fmt::format("{}, Dream-Coder and LLaDA, temperature {}", title, t),
                      "pair",
                      {dream("dream-coder", t), llada(t)},
                      0,
                      method});
    }
  }
  for (const char* t : kTemperatures) {
    list.push_back({fmt::format("abm-{}", t),
                    fmt::format("AB-MCTS-M, Dream-Coder and LLaDA, temperature {}", t),
                    "ab-mcts-m",
                    {dream("dream-coder", t), llada(t)}});
  }
  for (const char* t : kTemperatures) {
    list.push_back({fmt::format("abm-dream-coder-{}", t),
                    fmt::format("AB-MCTS-M, Dream-Coder, temperature {}", t),
                    "ab-mcts-m",
                    {dream("dream-coder", t)}});
  }
  return list;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> kPresets = all_presets();
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
  }
  throw Error(
      fmt::format("there is no preset '{}'. umf solve --list-presets shows them all", name));
}

std::string published_id(const std::string& model) {
  for (const auto& [name, id] : kPublished) {
    if (name == model) return id;
  }
  throw Error(fmt::format("no published model is called '{}'", model));
}

}  // namespace umf
