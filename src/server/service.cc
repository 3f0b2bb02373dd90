#include "server/service.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "base/version.h"
#include "session/search_request.h"

namespace umf {
namespace {

std::string random_nonce() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

// As --action spells it.
std::string spelled(const ActionChoice& action, const std::vector<ModelChoice>& models) {
  const bool several = split_models(action.model, models).size() > 1;
  return fmt::format("{}={}{}{}", several ? "models" : "model", action.model,
                     action.fields.empty() ? "" : ",", action.fields);
}

}  // namespace

Service::Service(const TaskMaker& tasks, const ServiceOptions& options)
    : tasks_(tasks),
      options_(options),
      started_(std::time(nullptr)),
      nonce_(random_nonce()),
      queue_(options.queue, tasks.devices()) {}

Service::Started Service::start(const ApiRequest& request) {
  const std::string& model = find_configuration(configurations(), request.model) != nullptr
                                 ? request.model
                                 : tasks_.find(request.model, "model").name;
  constexpr const char* kKinds[] = {"chatcmpl", "cmpl", "resp"};
  Started started{std::make_shared<Job>(tasks_.make(request), options_.job_seconds),
                  {request.is_chat(), new_id(kKinds[static_cast<int>(request.kind)]), model,
                   fmt::format("umf-{}", version()), std::time(nullptr)}};
  queue_.submit(started.job);
  return started;
}

std::shared_ptr<Solve> Service::start_solve(const ApiRequest& request) {
  auto task = tasks_.make_search(request);
  Json begin = task->description();
  begin["id"] = new_id("solve");
  const auto solve = std::make_shared<Solve>(begin["id"], begin["problem"]["id"], std::move(task),
                                             options_.job_seconds, begin);
  queue_.submit(solve);
  solves_.add(solve);
  return solve;
}

void Service::stop(const std::string& id) { queue_.abandon(solves_.find(id), Cancel::kStopped); }

Completion Service::wait(const std::shared_ptr<Job>& job,
                         const std::function<bool()>& client_is_there) {
  for (;;) {
    if (auto event = job->next(kPatience)) {
      if (auto* completion = std::get_if<Completion>(&*event)) return std::move(*completion);
      if (const auto* error = std::get_if<ApiError>(&*event)) throw *error;
    } else if (!client_is_there()) {
      abandon(job);
      throw ApiError(503, "the client left", "", "cancelled");
    }
  }
}

void Service::count_tokens(const Completion& completion) {
  metrics_.count_tokens(completion.prompt_tokens, completion.completion_tokens);
}

void Service::close() {
  closing_ = true;
  queue_.close(options_.grace_seconds);
}

std::string Service::new_id(const char* kind) {
  return fmt::format("{}-{}{:08x}", kind, nonce_, ++requests_);
}

OrderedJson Service::entry_json(const std::string& name, OrderedJson umf) const {
  return {{"id", name},
          {"object", "model"},
          {"created", started_},
          {"owned_by", "umf"},
          {"umf", std::move(umf)}};
}

OrderedJson Service::model_json(const ServedModel& model) const {
  const ModelInfo& info = tasks_.info(model);
  return entry_json(model.name, {{"family", info.family},
                                 {"max_length", info.max_length},
                                 {"window", recommended_window(info)}});
}

OrderedJson Service::configuration_json(const ServedConfiguration& configuration) const {
  const SearchRequest& search = configuration.search;
  OrderedJson models = OrderedJson::array(), actions = OrderedJson::array();
  int window = 0;
  for (const ModelChoice& model : search.models) {
    models.push_back(model.name);
    window = std::max(window, recommended_window(tasks_.info(tasks_.find(model.name, "model"))));
  }
  for (const ActionChoice& action : search.actions)
    actions.push_back(spelled(action, search.models));
  OrderedJson umf{{"search", search.search},
                  {"models", models},
                  {"actions", actions},
                  {"window", search.window != 0 ? search.window : window}};
  if (!configuration.about.empty()) umf["about"] = configuration.about;
  return entry_json(configuration.name, umf);
}

OrderedJson Service::models_json() const {
  OrderedJson list = OrderedJson::array();
  for (const ServedModel& model : tasks_.models()) list.push_back(model_json(model));
  return list;
}

OrderedJson Service::configurations_json() const {
  OrderedJson list = OrderedJson::array();
  for (const ServedConfiguration& configuration : configurations())
    list.push_back(configuration_json(configuration));
  return list;
}

std::string Service::models_body() const {
  OrderedJson list = models_json();
  for (const OrderedJson& configuration : configurations_json()) list.push_back(configuration);
  return OrderedJson{{"object", "list"}, {"data", list}}.dump();
}

std::string Service::about_body() const {
  OrderedJson known = OrderedJson::array();
  for (const SearchEntry& entry : searches())
    known.push_back({{"name", entry.facts.name}, {"summary", entry.facts.summary}});
  return OrderedJson{{"version", version()},
                     {"models", models_json()},
                     {"configurations", configurations_json()},
                     {"searches", known},
                     {"rewards", tasks_.rewards()},
                     {"budget_windows", kDefaultWindows},
                     {"max_tokens", options_.limits.max_tokens},
                     {"max_budget", options_.limits.max_budget},
                     {"examples", options_.examples}}
      .dump();
}

std::string Service::model_body(const std::string& name) const {
  if (const auto* configuration = find_configuration(configurations(), name))
    return configuration_json(*configuration).dump();
  return model_json(tasks_.find(name, "model")).dump();
}

}  // namespace umf
