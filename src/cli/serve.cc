// umf serve: the models over HTTP, as OpenAI's clients expect it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/common.h"
#include "cli/serve_setup.h"
#include "model/model_cache.h"
#include "reward/reward.h"
#include "server/access.h"
#include "server/http_server.h"
#include "setup/examples.h"
#include "setup/judges.h"
#include "setup/say.h"
#include "setup/worker_devices.h"

namespace umf {
namespace {

struct ServeOptions {
  CommonOptions common;
  DeviceOptions devices;
  ServedChoice served;
  std::string allow_reward;
  int job_seconds = 3600, grace_seconds = 10, head_seconds = 10, body_seconds = 60;
  int max_budget = 1 << 20, max_body_kb = 4096;
  double memory_limit_gb = 0;
  ServiceOptions service;
  HttpOptions http;
};

// What requests may be judged by; of what is not harmless, what the operator lists.
std::set<std::string> allowed_rewards(const std::string& list, const std::string& host) {
  std::set<std::string> allowed;
  std::vector<std::string> others;
  for (const RewardEntry* reward : kRewards) {
    if (reward->harmless || (reward->harmless_here && is_loopback(host)))
      allowed.insert(reward->type);
    if (!reward->harmless) others.emplace_back(reward->type);
  }
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string type = list.substr(begin, end - begin);
    if (!allowed.contains(type) && std::ranges::find(others, type) == others.end())
      throw Error(fmt::format("--allow-reward takes {}, not '{}'", fmt::join(others, ", "), type));
    allowed.insert(type);
    begin = end + 1;
  }
  return allowed;
}

// The built-in problems that clients may ask for, as the page offers them. Those for models that
// are not embedded are of use where the operator chose the models.
Json offered_examples(const std::set<std::string>& rewards, bool own_models) {
  Json offered = Json::array();
  for (const Example& example : examples()) {
    if (!example.needs.empty() && !own_models) continue;
    const std::string where = "example " + example.name;
    Json problem = parse_json(example_problem(example), where);
    problem.erase("hidden");
    if (rewards.contains(make_problem(problem, where).reward.value("type", "")))
      offered.push_back(std::move(problem));
  }
  return offered;
}

// Weights that cannot be used are found before the first client comes.
void warm_up(ModelCache& model_cache) {
  for (int i = 0; i < model_cache.size(); ++i) {
    const Token mask = model_cache.model(i).info().tokens.mask;
    const std::vector<Token> tokens(2, mask);
    const std::vector<int> positions = {1};
    const Query query{.tokens = tokens, .positions = positions};
    for (int device = 0; device < model_cache.replicas(); ++device)
      model_cache.replica(device).model(i).predict({&query, 1});
  }
}

void require_range(int value, int least, int most, const char* option) {
  if (value < least || value > most)
    throw Error(fmt::format("{} must be from {} to {}, not {}", option, least, most, value));
}

void check(const ServeOptions& o) {
  constexpr int kDay = 86400;
  require_range(o.http.port, 0, 65535, "--port");
  require_range(o.http.connections, 1, 16384, "--connections");
  require_range(o.service.queue, 0, 1 << 20, "--queue");
  require_range(o.service.limits.max_tokens, 1, 1 << 20, "--max-tokens");
  require_range(o.service.limits.choices, 1, 4096, "--max-choices");
  require_range(o.max_budget, 1, 1 << 30, "--max-budget");
  require_range(o.max_body_kb, 1, 1 << 20, "--max-body");
  require_range(o.service.limits.judge_seconds, 1, kDay, "--judge-seconds");
  require_range(o.job_seconds, 0, 365 * kDay, "--job-seconds");
  require_range(o.grace_seconds, 0, kDay, "--grace-seconds");
  require_range(o.head_seconds, 1, kDay, "--header-seconds");
  require_range(o.body_seconds, 1, kDay, "--body-seconds");
  if (!(o.memory_limit_gb >= 0 && o.memory_limit_gb < 1e6))
    throw Error("--memory-limit is in GB and must not be negative");
}

void apply(ServeOptions& o) {
  using std::chrono::seconds;
  o.service.job_seconds = seconds(o.job_seconds);
  o.service.grace_seconds = seconds(o.grace_seconds);
  o.service.limits.max_budget = o.max_budget;
  o.http.limits.head = seconds(o.head_seconds);
  o.http.limits.body = seconds(o.body_seconds);
  o.http.limits.body_bytes = static_cast<std::size_t>(o.max_body_kb) << 10;
  if (!o.common.quiet) o.http.log = [](const std::string& line) { say("{}\n", line); };
}

void announce(const ServeOptions& o, int port) {
  const bool v6 = o.http.host.find(':') != std::string::npos;
  const std::string url =
      fmt::format("http://{}:{}", v6 ? "[" + o.http.host + "]" : o.http.host, port);
  if (o.common.json)
    print_json({{"url", url}, {"host", o.http.host}, {"port", port}});
  else
    fmt::print("listening on {}\n", url);
  std::fflush(stdout);
}

int serve(ServeOptions& o) {
  check(o);
  apply(o);
  const std::set<std::string> rewards = allowed_rewards(o.allow_reward, o.http.host);
  o.service.examples = offered_examples(rewards, !o.served.empty());
  const WorkerDevices devices(o.common, o.devices, std::nullopt);
  const auto backend = devices.make_backend();
  const auto cache =
      devices.make_model_cache(*backend, static_cast<std::uint64_t>(o.memory_limit_gb * 1e9));
  ModelCache& model_cache = *cache;
  Judges judges(o.common);
  judges.stand_beside(model_cache);
  JudgeTools tools = judges.tools();
  tools.most_judging_ms = 1000 * o.service.limits.judge_seconds;
  Served served = open_served(o.served, model_cache, o.common, tools);
  o.service.configurations = std::move(served.configurations);
  require_places_used(model_cache);
  tell_places(model_cache, o.common.quiet);
  const TaskMaker tasks(model_cache, std::move(served.models), rewards, std::move(tools));
  warm_up(model_cache);
  Service service(tasks, o.service);
  HttpServer server(service, o.http);
  watch_for_interrupts();
  announce(o, server.port());
  server.serve(interrupted);
  return 0;
}

void declare(OptionSet& options, ServeOptions& o) {
  options.values(
      "model", o.served.models,
      "NAME=WHERE or WHERE, repeatable, the first is the default; without it, --preset and "
      "--config the embedded models");
  options.choices("model", known_models);
  options.values("config", o.served.configs,
                 "a JSON file as umf tune writes it, repeatable: its search as a further model, "
                 "called by its 'name' or the file's");
  options.values("preset", o.served.presets,
                 "a configuration of the paper, repeatable, as a further model of that name; its "
                 "models are those of --model that have their names, or where they are published");
  options.value("host", o.http.host, "the address to listen on; others than loopback need a key");
  options.value("port", o.http.port, "0 picks one that is free");
  options.value("api-key", o.http.api_key, "what clients must send; better given as UMF_API_KEY");
  options.environment("api-key", "UMF_API_KEY");
  options.values("cors", o.http.cors,
                 "an origin whose web pages may use the server, https://example.org; repeatable, * "
                 "for all");
  options.value("allow-reward", o.allow_reward,
                "TYPE,...: let requests be judged by python-tests, prm, command, ... as well");
  options.value("queue", o.service.queue, "requests that may wait; more are answered 429");
  options.value("connections", o.http.connections, "clients at the same time");
  options.value("max-tokens", o.service.limits.max_tokens, "of one answer");
  options.value("max-choices", o.service.limits.choices, "answers of one request");
  options.value("max-budget", o.max_budget, "forward passes of one search");
  options.value("max-body", o.max_body_kb, "KB of one request");
  options.value("job-seconds", o.job_seconds, "for one request on its device; 0 for no limit");
  options.value("judge-seconds", o.service.limits.judge_seconds,
                "that the tests of a request may take for one answer");
  options.value("header-seconds", o.head_seconds, "for a client to send its headers");
  options.value("body-seconds", o.body_seconds, "for a client to send its request");
  options.value("grace-seconds", o.grace_seconds, "for running requests at shutdown");
  options.value("memory-limit", o.memory_limit_gb,
                "GB of weights in memory, of each device; 0 for no limit");
  o.devices.declare(options);
  o.common.declare(options);
  o.common.declare_strictness(options);
  options.footer(
      "A browser shows the live page there: a problem, its search, and the text as it is written.\n"
      "POST /v1/chat/completions, POST /v1/completions, GET /v1/models, /health, /metrics;\n"
      "docs/server.md describes them. Ctrl-C or SIGTERM ends the server.\n"
      "A configuration is a model to clients: each --config and --preset, and without any of these "
      "and\n"
      "--model 'umf', the search that is recommended for the embedded models. A request to it that "
      "has\n"
      "umf.tests, umf.reward or a JSON response_format is searched with its models and actions, as "
      "is every\n"
      "chat where the file has a \"reward\"; others are answered by its first action.\n"
      "Example: umf serve --model dream=/models/Dream-Coder --port 8080\n"
      "         umf serve --config problems.tune/tuned.json");
}

}  // namespace

Command serve_command() {
  return {"serve", "HTTP: a live page and an OpenAI-compatible API", [](OptionSet& options) {
            auto o = std::make_shared<ServeOptions>();
            declare(options, *o);
            return [o] { return serve(*o); };
          }};
}

}  // namespace umf
