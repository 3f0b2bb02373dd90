#include "server/solves.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "server/api_reply.h"

namespace umf {
namespace {

constexpr std::size_t kLogBytes = 32 << 20;
// Of those that are over; the oldest go first.
constexpr std::size_t kKeptSolves = 64, kKeptBytes = 256 << 20;

std::string line(const auto& json) {
  return json.dump(-1, ' ', false, std::decay_t<decltype(json)>::error_handler_t::replace);
}

SolvedProblem unsolved(const Json& begin) {
  SolvedProblem problem{.id = begin["problem"]["id"],
                        .prompt = begin["problem"]["prompt"],
                        .search = begin["search"]["name"],
                        .budget = begin["search"]["budget"],
                        .window = begin["window"],
                        .models = begin["models"],
                        .seed = begin["seed"]};
  for (const Json& action : begin["actions"]) {
    problem.actions.push_back(action["name"]);
    problem.settings.push_back(action["settings"]);
  }
  for (const Json& member : begin.value("members", Json::array()))
    problem.actions.push_back(member);
  return problem;
}

}  // namespace

Solve::Solve(std::string id, std::string title, std::unique_ptr<DeviceTask> task,
             std::chrono::seconds time_limit, const Json& begin)
    : Job(std::move(task), time_limit),
      id(std::move(id)),
      title(std::move(title)),
      created(std::time(nullptr)),
      log_(kLogBytes),
      solved_(unsolved(begin)) {
  solved_.made = static_cast<double>(created);
  log_.append("begin", line(begin));
}

void Solve::deliver(JobEvent event) {
  std::visit(Overloaded{[](const TextPiece&) {},  // the end has the text
                        [](const ChoiceEnd&) {},
                        [&](StateNews& news) {
                          news.state["seconds"] = seconds_so_far();
                          log_.show("state", line(news.state));
                        },
                        [&](const RolloutNews& news) {
                          if (!log_.append("rollout", line(news.rollout))) cancel(Cancel::kLogFull);
                        },
                        [&](const Completion& completion) { keep(completion); },
                        [&](const ApiError& error) { end_without_answer(error); }},
             event);
}

void Solve::keep(const Completion& completion) {
  solved_.solution = completion.umf;
  solved_.answer = completion.choices.front().text;
  solved_.why = completion.umf["why"];
  OrderedJson end = completion.umf;
  end["answer"] = solved_.answer;
  end["seconds"] = seconds_so_far();
  log_.end("end", line(end));
}

void Solve::end_without_answer(const ApiError& error) {
  OrderedJson end = error_json(error);
  if (!spent_.is_null()) {
    end["search"] = spent_;
    end["seconds"] = seconds_so_far();
  }
  log_.end("end", line(end));
}

std::string Solve::report() const {
  if (!log_.ended()) throw ApiError(409, "the solve is not over; ask again later", "", "not_over");
  if (solved_.solution.is_null()) throw ApiError(409, "the solve has no answer", "", "no_answer");
  SolvedProblem solved = solved_;
  solved.events = log_.lines("rollout");
  Report report(kLogBytes);  // it has no more than that
  report.add(solved);
  return report.html(solved.id);
}

const char* Solve::phase() const {
  return log_.ended() ? "over" : log_.begun() ? "running" : "waiting";
}

void Solves::add(const std::shared_ptr<Solve>& solve) {
  const std::lock_guard lock(mutex_);
  make_room();
  solves_.push_back(solve);
}

void Solves::make_room() {
  std::size_t count = 1, bytes = 0;
  for (auto at = solves_.end(); at != solves_.begin();) {
    --at;
    if (!(*at)->log().ended()) continue;
    bytes += (*at)->log().bytes();
    if (++count > kKeptSolves || bytes > kKeptBytes) at = solves_.erase(at);
  }
}

std::shared_ptr<Solve> Solves::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(solves_, [&](const auto& solve) { return solve->id == id; });
  if (at == solves_.end())
    throw ApiError(404, "there is no solve of that id; GET /v1/solves lists them", "", "not_found");
  return *at;
}

Json Solves::list() const {
  const std::lock_guard lock(mutex_);
  Json list = Json::array();
  for (auto solve = solves_.rbegin(); solve != solves_.rend(); ++solve) {
    list.push_back({{"id", (*solve)->id},
                    {"title", (*solve)->title},
                    {"created", (*solve)->created},
                    {"phase", (*solve)->phase()},
                    {"search", (*solve)->search()},
                    {"models", (*solve)->models()}});
  }
  return list;
}

}  // namespace umf
