#include "cli/tuner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "bench/result_log.h"
#include "cli/bench_run.h"
#include "cli/common.h"
#include "model/checkpoint.h"
#include "model/embedded.h"
#include "setup/option_file.h"
#include "setup/say.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

constexpr int kWindows = 4;  // of a search's budget

// They become parts of actions and of file names.
void check_names(const std::vector<ModelChoice>& models) {
  std::set<std::string> names;
  for (const ModelChoice& model : models) {
    if (!is_plain_name(model.name))
      throw Error(
          fmt::format("'{}' cannot be a model's name here; give it one of letters, digits, '.', "
                      "'_' and '-': --model NAME={}",
                      model.name, model.where));
    if (!names.insert(model.name).second)
      throw Error(
          fmt::format("two models are called '{}'; give one of them another name: --model "
                      "NAME={}",
                      model.name, model.where));
  }
}

// "dev" of "problems/dev.jsonl.gz".
std::string stem_of(const std::string& dataset) {
  const std::string name = fs::path(dataset).filename().string();
  return name.substr(0, name.find('.', 1));
}

// A directory or file is found from anywhere.
std::string lasting_text(const ModelChoice& model) {
  const auto embedded = embedded_models();
  const bool built_in = std::ranges::any_of(
      embedded, [&](const BuiltInFolder& folder) { return folder.name == model.where; });
  const auto [place, family] = split_family(model.where);
  const bool path = !built_in && fs::exists(place);
  return fmt::format("{}={}{}{}", model.name,
                     path ? fs::absolute(place).lexically_normal().string() : place,
                     family.empty() ? "" : "@", family);
}

}  // namespace

Tuner::Tuner(const TuneOptions& options, const Dataset& dataset, ModelCache& model_cache)
    : bench_(options.bench), dataset_(dataset), model_cache_(model_cache) {
  models_ = bench_.search.request().models;
  check_names(models_);
  bench_.search.closed_text = true;
  bench_.wait = true;  // whoever is free after the first round has work in the second
  bench_.search.window = make_configuration(bench_.search, model_cache).walk.window;
  folder_ = options.out.empty() ? stem_of(bench_.dataset) + ".tune" : options.out;
  tuning_.dataset = fs::path(bench_.dataset).filename().string();
  tuning_.window = bench_.search.window;
  tuning_.loss = options.loss;
  tuning_.budget = options.budget > 0 ? options.budget : kWindows * tuning_.window;
  tuning_.file = (folder_ / "tuned.json").string();
}

std::optional<Tuning> Tuner::run() {
  if (!measure_actions()) return std::nullopt;
  tuning_.choice = choose_actions(tuning_.actions, tuning_.action_scores, tuning_.loss);
  if (!measure_searches()) return std::nullopt;
  tuning_.best = best_search(tuning_.search_scores);
  tuning_.configuration = configuration();
  write_file(tuning_.file, tuning_.configuration.dump(
                               1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                               "\n");
  return tuning_;
}

bool Tuner::measure_actions() {
  std::vector<std::string> names;
  for (const ModelChoice& model : models_) names.push_back(model.name);
  tuning_.actions = actions_to_measure(names);
  Json list = Json::array();
  for (const TunedAction& action : tuning_.actions) {
    list.push_back({{"name", action.name()},
                    {"search", "best-of-n"},
                    {"best-of-n-samples", 1},
                    {"action", {action.text()}}});
  }
  tuning_.actions_run = (folder_ / "round-1").string();
  // In a relay each model may look at each cell: nobody is cut short.
  const long cap = static_cast<long>(tuning_.window) * std::ssize(models_);
  const auto scores = measure("round 1", tuning_.actions_run, list, cap);
  if (!scores) return false;
  tuning_.action_scores = *scores;
  if (std::ranges::all_of(tuning_.action_scores.of,
                          [](const Score& score) { return score.count() == 0; }))
    throw Error(
        fmt::format("nothing was solved in {}, so there is nothing to choose by: a problem is "
                    "solved when its hidden tests pass or, without any, its reward is 1",
                    tuning_.actions_run));
  return true;
}

bool Tuner::measure_searches() {
  tuning_.searches = searches_to_measure(tuning_.actions, tuning_.action_scores, tuning_.choice);
  Json list = Json::array();
  for (const TunedSearch& search : tuning_.searches)
    list.push_back({{"name", search.name}, {"action", texts_of(search)}});
  // Another choice is another run: with another --loss, or after a failed problem succeeded.
  const std::string key = sha256(Json{list, tuning_.budget}.dump()).substr(0, 8);
  tuning_.searches_run = (folder_ / ("round-2-" + key)).string();
  const auto scores = measure("round 2", tuning_.searches_run, list, tuning_.budget);
  if (!scores) return false;
  tuning_.search_scores = *scores;
  return true;
}

std::optional<Scores> Tuner::measure(const char* round, const std::string& folder, const Json& list,
                                     long budget) {
  bench_.out = folder;
  bench_.budgets = fmt::format("{}", budget);
  if (!bench_.search.common.quiet)
    say("{} of 2: {} configurations on {} problems, in {}\n", round, list.size(),
        dataset_.tasks.size(), folder);
  const auto configurations = make_bench_configurations(bench_, list, "umf tune", model_cache_);
  const RunDirectory run = start_run(bench_, dataset_, configurations, model_cache_);
  if (!std::exchange(watching_, true)) watch_for_interrupts({SIGINT, SIGTERM, SIGUSR1});
  const BenchEnd end = work_off(run, bench_, dataset_, configurations, model_cache_);
  if (end != BenchEnd::kComplete && end != BenchEnd::kFailures) return std::nullopt;
  ResultIndex results(run, BadLines::kAreWarnings);
  results.refresh();
  Scores scores = scores_of(run.manifest(), results.all());
  if (scores.problems == 0)
    throw Error(
        fmt::format("no problem could be searched and judged; umf status {} says why", folder));
  if (scores.left_out > 0)
    say("warning: {} of {} problems could not be searched or judged and are left out; umf "
        "status {} names them, and the same command tries them again\n",
        scores.left_out, dataset_.tasks.size(), folder);
  return scores;
}

std::vector<std::string> Tuner::texts_of(const TunedSearch& search) const {
  std::vector<std::string> texts;
  for (const int action : search.actions) texts.push_back(tuning_.actions[action].text());
  return texts;
}

nlohmann::ordered_json Tuner::configuration() const {
  nlohmann::ordered_json file;
  file["about"] = fmt::format("umf tune {}: {}, {} at most", tuning_.dataset,
                              in_words(tuning_.search_scores, tuning_.best), tuning_.budget);
  file["model"] = nlohmann::ordered_json::array();
  for (const ModelChoice& model : models_) file["model"].push_back(lasting_text(model));
  file["action"] = texts_of(tuning_.searches[tuning_.best]);
  file["search"] = bench_.search.search;
  file["closed-text"] = true;
  file["window"] = tuning_.window;
  if (bench_.search.seed != 0) file["seed"] = bench_.search.seed;
  return file;
}

}  // namespace umf
