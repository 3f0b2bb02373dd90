#include "report/report.h"

#include <fmt/core.h>

#include <map>

#include "base/error.h"
#include "base/files.h"
#include "base/pack.h"
#include "base/version.h"
#include "bench/result_log.h"
#include "bench/summary.h"
#include "report/run_facts.h"
#include "report/trace_reader.h"
#include "solution_json.h"

namespace umf {
namespace {

constexpr std::size_t kTraceLimitBytes = std::size_t{256} << 20;

std::string dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// What lists and tables show of a result: configuration, budget, passed, reward, NFE, status.
OrderedJson outline(int configuration, const Result& result) {
  return {configuration,
          result.key.budget,
          result.passed ? OrderedJson(*result.passed) : OrderedJson(nullptr),
          result.reward ? OrderedJson(*result.reward) : OrderedJson(nullptr),
          result.nfe,
          name_of(result.status)};
}

OrderedJson details_of(int configuration, const Result& result) {
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
  if (result.program && *result.program != result.answer) json["program"] = *result.program;
  return json;
}

// Finds the searches of a problem: one for all budgets, or one for each.
void add_searches(OrderedJson& searches, const RunDirectory& run, int problem, int configuration,
                  const RunConfiguration& facts) {
  for (const long budget : facts.budgets) {
    const auto file = run.trace(Manifest::job_name(problem, configuration), budget);
    if (!std::filesystem::exists(file)) continue;
    searches.push_back({{"configuration", configuration},
                        {"budget", budget},
                        {"lines", read_trace(read_file(file, kTraceLimitBytes),
                                             {facts.window, static_cast<int>(facts.actions.size())},
                                             file.string())}});
  }
}

}  // namespace

std::string Report::keep(OrderedJson details) {
  const auto pack = [&] { return base64(gzip(dumped(details))); };
  std::string packed = pack();
  if (!details["searches"].empty() && bytes_ + packed.size() > limit_bytes_) {
    left_out_ += static_cast<int>(details["searches"].size());
    details["searches"].clear();
    details["left_out"] = true;
    packed = pack();
  }
  bytes_ += packed.size();
  blocks_.push_back({fmt::format("block-{}", blocks_.size()), std::move(packed), /*packed=*/true});
  return blocks_.back().id;
}

void Report::add(const RunDirectory& run, const std::string& name) {
  const Manifest& manifest = run.manifest();
  const std::vector<RunConfiguration> configurations = run_configurations(manifest);
  const std::map<std::string, std::string> prompts = read_prompts(run);
  ResultIndex results(run.results());
  results.refresh();

  OrderedJson problems = OrderedJson::array();
  for (std::size_t problem = 0; problem < manifest.ids.size(); ++problem) {
    const std::string& id = manifest.ids[problem];
    OrderedJson outlines = OrderedJson::array(),
                details = {{"results", OrderedJson::array()}, {"searches", OrderedJson::array()}};
    if (const auto prompt = prompts.find(id); prompt != prompts.end())
      details["prompt"] = prompt->second;
    for (std::size_t c = 0; c < configurations.size(); ++c) {
      const auto number = static_cast<int>(c);
      for (const long budget : configurations[c].budgets) {
        const Result* result = results.find({id, configurations[c].name, budget});
        if (result == nullptr) continue;
        outlines.push_back(outline(number, *result));
        details["results"].push_back(details_of(number, *result));
      }
      add_searches(details["searches"], run, static_cast<int>(problem), number, configurations[c]);
    }
    problems.push_back({{"id", id}, {"block", keep(std::move(details))}, {"results", outlines}});
  }
  OrderedJson json = {{"name", name},
                      {"facts", run_facts(manifest)},
                      {"configurations", configurations_json(configurations)}};
  json.update(summarise(manifest, results.all()));
  json["problems"] = std::move(problems);
  runs_.push_back(std::move(json));
}

void Report::add(const SolvedProblem& solved) {
  const OrderedJson& search = solved.solution["search"];
  const RunConfiguration configuration{
      solved.search, solved.search, solved.window, {solved.budget}, solved.actions};
  const OrderedJson result = {{"configuration", 0},
                              {"budget", solved.budget},
                              {"answer", solved.answer},
                              {"why", solved.why},
                              {"path", solved.solution["best"]["path"]},
                              {"iteration", solved.solution["best"]["iteration"]},
                              {"stopped", search["stopped"]},
                              {"rollouts", search["rollouts"]},
                              {"hits", search["hits"]},
                              {"saved_nfe", search["saved_nfe"]},
                              {"switches", search["switches"]},
                              {"complete", solved.solution["complete"]}};
  const OrderedJson lines = read_trace(
      solved.trace, {solved.window, static_cast<int>(solved.actions.size())}, "the trace");
  const OrderedJson searched = {{"configuration", 0}, {"budget", solved.budget}, {"lines", lines}};
  const OrderedJson problem = {
      {"id", solved.id},
      {"block", keep({{"prompt", solved.prompt},
                      {"results", OrderedJson::array({result})},
                      {"searches", OrderedJson::array({searched})}})},
      {"results",
       OrderedJson::array({OrderedJson::array({0, solved.budget, nullptr, solved.solution["reward"],
                                               search["nfe"], name_of(ResultStatus::kDone)})})}};
  runs_.push_back({{"name", solved.id},
                   {"facts", OrderedJson::object({{"umf", version()}})},
                   {"configurations", configurations_json({configuration})},
                   {"complete", true},
                   {"groups", OrderedJson::array()},
                   {"comparisons", OrderedJson::array()},
                   {"problems", OrderedJson::array({problem})}});
}

std::string Report::html(const std::string& title) const {
  const OrderedJson overview = {
      {"title", title}, {"version", version()}, {"left_out", left_out_}, {"runs", runs_}};
  std::vector<PageData> data = {{"report", dumped(overview)}};
  data.insert(data.end(), blocks_.begin(), blocks_.end());
  return page_html({title, "report.js", std::move(data)});
}

}  // namespace umf
