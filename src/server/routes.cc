#include "server/routes.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "page/page.h"
#include "server/response_reply.h"

namespace umf {
namespace {

constexpr const char* kHtmlType = "text/html; charset=utf-8";

HttpResponse health(Service& service, const HttpRequest&) {
  if (service.closing()) throw ApiError(503, "the server is shutting down", "", "shutting_down");
  return json_response(R"({"status":"ok"})");
}

HttpResponse metrics(Service& service, const HttpRequest&) {
  return {.type = "text/plain; version=0.0.4", .body = service.metrics_text()};
}

template <auto body>
HttpResponse json(Service& service, const HttpRequest&) {
  return json_response((service.*body)());
}

HttpResponse model(Service& service, const HttpRequest& request) {
  return json_response(service.model_body(request.name));
}

// Of a search why it ended; of decodings how the first did.
void note(RequestNotes& notes, const Completion& completion) {
  const bool searched = completion.umf.is_object() && completion.umf.contains("search");
  notes = {.answered = true,
           .prompt_tokens = completion.prompt_tokens,
           .completion_tokens = completion.completion_tokens,
           .passes = completion.nfe,
           .why = searched ? completion.umf["search"]["stopped"].get<std::string>()
                           : completion.choices.front().finish};
}

template <class Events>
HttpResponse stream(Service& service, const Service::Started& started, Events made,
                    RequestNotes& notes) {
  const auto events = std::make_shared<Events>(std::move(made));
  notes.why = "the client left";  // unless the end comes
  return event_stream(
      [&service, &notes, job = started.job, events](bool& over) -> std::string {
        const auto event = job->next(kPatience);
        if (!event) return "";
        if (const auto* completion = std::get_if<Completion>(&*event)) {
          service.count_tokens(*completion);
          note(notes, *completion);
        }
        if (const auto* error = std::get_if<ApiError>(&*event)) notes.why = error->what();
        std::string text = events->event(*event);
        over = events->done();
        return text;
      },
      // Also when the client left, or the answer could not even begin. Does nothing to a job that
      // is done.
      [&service, job = started.job] { service.abandon(job); });
}

template <auto parse>  // of the body
ApiRequest read_request(Service& service, const HttpRequest& http) {
  ApiRequest request = parse(http.read_body(), service.limits(), service.configurations());
  if (request.stream && http.head.version == "HTTP/1.0")  // which has no chunks
    throw ApiError(505, "a stream needs HTTP/1.1; leave out 'stream'");
  return request;
}

Completion await_end(Service& service, const HttpRequest& http, const ApiRequest& request,
                     const Service::Started& started) {
  Completion completion =
      service.wait(started.job, [&] { return http.connection.client_is_there(); });
  service.count_tokens(completion);
  note(http.notes, completion);
  if (!request.ignored.empty()) completion.umf["ignored"] = request.ignored;
  return completion;
}

template <auto parse>
HttpResponse complete(Service& service, const HttpRequest& http) {
  const ApiRequest request = read_request<parse>(service, http);
  const Service::Started started = service.start(request);
  if (request.stream)
    return stream(service, started, EventStream(started.head, request.include_usage), http.notes);
  return json_response(completion_body(started.head, await_end(service, http, request, started)));
}

HttpResponse respond(Service& service, const HttpRequest& http) {
  const ApiRequest request = read_request<parse_response_request>(service, http);
  const Service::Started started = service.start(request);
  const OrderedJson echo = response_echo(request);
  if (request.stream)
    return stream(service, started, ResponseStream(started.head, echo), http.notes);
  return json_response(
      response_body(started.head, echo, await_end(service, http, request, started)));
}

// The live page holds nothing of the server's: what it shows it asks for, with the key where there
// is one.
HttpResponse page(Service&, const HttpRequest&) {
  static const Page page{.title = "UnMaskFork", .module = "live.js", .asks_its_server = true};
  static const std::string html = page_html(page);
  static const std::string policy = page_policy(page) + "; frame-ancestors 'none'";
  return {.type = kHtmlType,
          .body = html,
          .headers = {{"Content-Security-Policy", policy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cache-Control", "no-cache"}}};
}

HttpResponse solves(Service& service, const HttpRequest&) {
  return json_response(Json{{"solves", service.solves().list()}}.dump());
}

HttpResponse start_solve(Service& service, const HttpRequest& request) {
  const std::string body = request.read_body();
  const auto solve =
      service.start_solve(parse_solve_request(body, service.limits(), service.configurations()));
  return {.status = 201,
          .type = kJsonType,
          .body = Json{{"id", solve->id}}.dump(),
          .headers = {{"Location", "/v1/solves/" + solve->id + "/events"}}};
}

// The number of the last event that a viewer got before it lost its connection.
std::size_t last_event(const RequestHead& head) {
  const std::string_view text = head.value("last-event-id");
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  if (!text.empty() && !whole) throw ApiError(400, "Last-Event-ID must be the number of an event");
  return number;
}

HttpResponse solve_events(Service& service, const HttpRequest& request) {
  const auto solve = service.solves().find(request.name);
  if (request.head.version == "HTTP/1.0") throw ApiError(505, "a stream needs HTTP/1.1");
  const LogPosition start{.events = last_event(request.head)};
  return event_stream([solve, position = start](bool& over) mutable {
    std::string text = solve->log().next(position, kPatience);
    over = solve->log().over(position);
    return text;
  });
}

HttpResponse stop_solve(Service& service, const HttpRequest& request) {
  request.read_body();
  service.stop(request.name);
  return json_response("{}");
}

// A file to keep, not a page of this server: it has no rights here, wherever it is shown.
HttpResponse solve_report(Service& service, const HttpRequest& request) {
  const auto solve = service.solves().find(request.name);
  return {.type = kHtmlType,
          .body = solve->report(),
          .headers = {{"Content-Disposition", "attachment; filename=\"" + solve->id + ".html\""},
                      {"Content-Security-Policy", "sandbox"},
                      {"X-Content-Type-Options", "nosniff"}}};
}

constexpr Route kRoutes[] = {
    {.pattern = "/", .get = page, .without_key = true},
    {.pattern = "/health", .get = health, .without_key = true},
    {.pattern = "/metrics", .get = metrics},
    {.pattern = "/v1/models", .get = json<&Service::models_body>},
    {.pattern = "/v1/models/*", .get = model},
    {.pattern = "/v1/chat/completions", .post = complete<parse_chat_request>},
    {.pattern = "/v1/completions", .post = complete<parse_completion_request>},
    {.pattern = "/v1/responses", .post = respond},
    {.pattern = "/v1/about", .get = json<&Service::about_body>},
    {.pattern = "/v1/solves", .get = solves, .post = start_solve},
    {.pattern = "/v1/solves/*/events", .get = solve_events},
    {.pattern = "/v1/solves/*/stop", .post = stop_solve},
    {.pattern = "/v1/solves/*/report", .get = solve_report},
};

// What stands at the *, empty where there is none; nothing when the path does not match.
std::optional<std::string_view> name_in(std::string_view path, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == pattern.npos) return path == pattern ? std::optional("") : std::nullopt;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size()) return std::nullopt;
  if (!path.starts_with(before) || !path.ends_with(after)) return std::nullopt;
  const auto name = path.substr(before.size(), path.size() - before.size() - after.size());
  return name.find('/') == name.npos ? std::optional(name) : std::nullopt;
}

}  // namespace

Handler Route::handler(std::string_view method) const {
  if (method == "GET" || method == "HEAD") return get;
  return method == "POST" ? post : nullptr;
}

std::string Route::methods() const {
  return get == nullptr ? "POST" : post == nullptr ? "GET" : "GET, POST";
}

RouteMatch match_route(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (const auto name = name_in(path, route.pattern)) return {&route, std::string(*name)};
  }
  return {};
}

}  // namespace umf
