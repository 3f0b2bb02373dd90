#include "report/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/pack.h"
#include "base/utc.h"
#include "base/version.h"
#include "session/solution_json.h"

namespace umf {
namespace {

std::string dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// Pairs of label and value, as runs have them.
OrderedJson facts_of(const SolvedProblem& solved) {
  OrderedJson facts = OrderedJson::object();
  if (const std::string made = span_in_utc(solved.made, solved.made);
      solved.made > 0 && !made.empty())
    facts["Made"] = made;
  if (!solved.command.empty()) facts["Command"] = solved.command;
  facts["umf"] = version();
  return facts;
}

}  // namespace

OrderedJson configurations_json(const std::vector<ReportedConfiguration>& configurations) {
  OrderedJson list = OrderedJson::array();
  for (const ReportedConfiguration& one : configurations) {
    list.push_back({{"name", one.name},
                    {"search", one.search},
                    {"window", one.window},
                    {"budgets", one.budgets},
                    {"actions", one.actions},
                    {"settings", one.settings},
                    {"models", one.models},
                    {"seed", one.seed ? OrderedJson(*one.seed) : OrderedJson(nullptr)}});
  }
  return list;
}

std::string drawn_line(OrderedJson event) {
  for (const char* key : {"child", "end", "best"}) event.erase(key);
  return dumped(event) + "\n";
}

// Events are texts already, and most of the page: they are put in as they are.
std::string Report::keep(OrderedJson details, const std::vector<DrawnSearch>& searches) {
  std::string list;
  for (const auto& [configuration, budget, events] : searches) {
    list += fmt::format(R"({}{{"configuration":{},"budget":{},"lines":{}}})",
                        list.empty() ? "" : ",", configuration, budget, events);
  }
  const auto pack = [&] {
    std::string text = dumped(details);
    text.pop_back();
    return base64(gzip(fmt::format(R"({},"searches":[{}]}})", text, list)));
  };
  std::string packed = pack();
  if (!list.empty() && bytes_ + packed.size() > limit_bytes_) {
    left_out_ += static_cast<int>(searches.size());
    list.clear();
    details["left_out"] = true;
    packed = pack();
  }
  bytes_ += packed.size();
  blocks_.push_back({fmt::format("block-{}", blocks_.size()), std::move(packed), /*packed=*/true});
  return blocks_.back().id;
}

void Report::add(const SolvedProblem& solved) {
  const OrderedJson& search = solved.solution["search"];
  const ReportedConfiguration configuration{.name = solved.search,
                                            .search = solved.search,
                                            .window = solved.window,
                                            .budgets = {solved.budget},
                                            .actions = solved.actions,
                                            .settings = solved.settings,
                                            .models = solved.models,
                                            .seed = solved.seed};
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
  std::string events = solved.events;
  if (events.ends_with('\n')) events.pop_back();
  std::ranges::replace(events, '\n', ',');
  const OrderedJson problem = {
      {"id", solved.id},
      {"block", keep({{"prompt", solved.prompt}, {"results", OrderedJson::array({result})}},
                     {{0, solved.budget, "[" + events + "]"}})},
      {"results",
       OrderedJson::array({OrderedJson::array(
           {0, solved.budget, nullptr, solved.solution["reward"], search["nfe"], "done"})})}};
  add(OrderedJson{{"name", solved.id},
                  {"facts", facts_of(solved)},
                  {"configurations", configurations_json({configuration})},
                  {"complete", true},
                  {"groups", OrderedJson::array()},
                  {"comparisons", OrderedJson::array()},
                  {"problems", OrderedJson::array({problem})}});
}

void Report::add(OrderedJson run) { runs_.push_back(std::move(run)); }

void Report::add_comparisons(OrderedJson compared) { compared_.push_back(std::move(compared)); }

std::string Report::html(const std::string& title) const {
  const OrderedJson overview = {{"title", title},
                                {"version", version()},
                                {"left_out", left_out_},
                                {"compared", compared_},
                                {"runs", runs_}};
  std::vector<PageData> data = {{"report", dumped(overview)}};
  data.insert(data.end(), blocks_.begin(), blocks_.end());
  return page_html({title, "report.js", std::move(data)});
}

}  // namespace umf
