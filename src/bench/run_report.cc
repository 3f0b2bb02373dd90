#include "bench/run_report.h"

#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "bench/run_facts.h"
#include "bench/run_part.h"
#include "bench/summary.h"
#include "report/trace_reader.h"

namespace umf {
namespace {

constexpr std::size_t kTraceLimitBytes = std::size_t{256} << 20;

// What lists and tables show of a result: configuration, budget, passed, reward, NFE, status; of
// several seeds also which.
OrderedJson outline(int configuration, const Result& result, bool several) {
  OrderedJson json = {configuration,
                      result.key.budget,
                      result.passed ? OrderedJson(*result.passed) : OrderedJson(nullptr),
                      result.reward ? OrderedJson(*result.reward) : OrderedJson(nullptr),
                      result.nfe,
                      name_of(result.status)};
  if (several) json.push_back(result.key.seed);
  return json;
}

OrderedJson details_of(int configuration, const Result& result, bool several) {
  OrderedJson json = {{"configuration", configuration},
                      {"budget", result.key.budget},
                      {"answer", result.answer},
                      {"why", result.why},
                      {"path", result.path},
                      {"iteration", result.iteration},
                      {"stopped", result.stopped},
                      {"rollouts", result.rollouts},
                      {"hits", result.hits},
                      {"saved_nfe", result.saved_nfe},
                      {"switches", result.switches},
                      {"complete", result.complete},
                      {"unmask", result.unmask_seconds},
                      {"reward", result.reward_seconds}};
  if (several) json["seed"] = result.key.seed;
  if (result.program && *result.program != result.answer) json["program"] = *result.program;
  return json;
}

// Finds the searches of a problem: one for all budgets, or one for each.
void add_searches(std::vector<DrawnSearch>& searches, const RunDirectory& run, int problem,
                  const SeededConfiguration& seeded, const ReportedConfiguration& facts) {
  const int configuration = seeded.configuration;
  const std::string job = run.manifest().job_name(problem, configuration, seeded.seed);
  for (const long budget : seeded.budgets) {
    const auto file = run.trace(job, budget);
    if (!std::filesystem::exists(file)) continue;
    const OrderedJson events =
        read_trace(read_file(file, kTraceLimitBytes),
                   {facts.window, static_cast<int>(facts.actions.size())}, file.string());
    searches.push_back({configuration, budget, facts.seeds.size() > 1 ? seeded.seed : 0,
                        events.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)});
  }
}

void add_run(Report& report, const LoadedRun& run) {
  const Manifest& manifest = run.manifest();
  const std::vector<ReportedConfiguration> configurations = run_configurations(manifest);
  const std::map<std::string, std::string> prompts = read_prompts(run.directory);

  const std::vector<SeededConfiguration> all = whole(manifest).configurations;
  OrderedJson problems = OrderedJson::array();
  for (std::size_t problem = 0; problem < manifest.ids.size(); ++problem) {
    const std::string& id = manifest.ids[problem];
    OrderedJson outlines = OrderedJson::array(), details = {{"results", OrderedJson::array()}};
    std::vector<DrawnSearch> searches;
    if (const auto prompt = prompts.find(id); prompt != prompts.end())
      details["prompt"] = prompt->second;
    for (const SeededConfiguration& seeded : all) {
      const int number = seeded.configuration;
      const bool several = configurations[number].seeds.size() > 1;
      for (const long budget : configurations[number].budgets) {
        const Result* result =
            run.results.find({id, configurations[number].name, budget, seeded.seed});
        if (result == nullptr) continue;
        outlines.push_back(outline(number, *result, several));
        details["results"].push_back(details_of(number, *result, several));
      }
      add_searches(searches, run.directory, static_cast<int>(problem), seeded,
                   configurations[number]);
    }
    problems.push_back(
        {{"id", id}, {"block", report.keep(std::move(details), searches)}, {"results", outlines}});
  }
  OrderedJson json = {{"name", run.name},
                      {"facts", run_facts(run)},
                      {"configurations", configurations_json(configurations)}};
  json.update(summarise(manifest, run.results.all()));
  json["problems"] = std::move(problems);
  report.add(std::move(json));
}

}  // namespace

void add_runs(Report& report, const std::vector<LoadedRun>& runs) {
  for (const LoadedRun& run : runs) add_run(report, run);
  for (const ComparedRuns& compared : compare_runs(runs)) {
    if (!compared.comparisons.empty()) report.add_comparisons(compared_json(compared));
  }
}

}  // namespace umf
