#include "server/live_routes.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "page/page.h"
#include "server/http_parts.h"
#include "server/routes.h"

namespace umf {
namespace {

constexpr const char* kEventsPattern = "/v1/solves/*/events";
constexpr const char* kStopPattern = "/v1/solves/*/stop";
constexpr const char* kReportPattern = "/v1/solves/*/report";

// The number of the last event that a viewer heard before it lost its connection.
std::size_t last_heard() {
  const std::string_view text = current_head->value("last-event-id");
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  if (!text.empty() && !whole) throw ApiError(400, "Last-Event-ID must be the number of an event");
  return number;
}

void show(const std::shared_ptr<Solve>& solve, const httplib::Request& request,
          httplib::Response& response) {
  if (request.version == "HTTP/1.0") throw ApiError(505, "a stream needs HTTP/1.1");
  const auto position = std::make_shared<LogPosition>(LogPosition{.events = last_heard()});
  stream_events(
      response,
      [solve, position](bool& over) {
        std::string text = solve->log().next(*position, kPatience);
        over = solve->log().over(*position);
        return text;
      },
      [] {});
}

// A file to keep, not a page of this server: it has no rights here, wherever it is shown.
void send_report(const std::shared_ptr<Solve>& solve, httplib::Response& response) {
  response.set_content(solve->report(), "text/html; charset=utf-8");
  response.set_header("Content-Disposition", "attachment; filename=\"" + solve->id + ".html\"");
  response.set_header("Content-Security-Policy", "sandbox");
  response.set_header("X-Content-Type-Options", "nosniff");
}

const Page& live_page() {
  static const Page page{.title = "UnMaskFork", .module = "live.js", .asks_its_server = true};
  return page;
}

// The page holds nothing of the server's: what it shows it asks for, with the key where there is
// one.
void send_page(httplib::Response& response) {
  static const std::string html = page_html(live_page());
  static const std::string policy = page_policy(live_page()) + "; frame-ancestors 'none'";
  response.set_header("Content-Security-Policy", policy);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cache-Control", "no-cache");
  response.set_content(html, "text/html; charset=utf-8");
}

}  // namespace

void add_live_routes(httplib::Server& server, Service& service, std::size_t most_body_bytes) {
  server.Get("/", [](const auto&, auto& response) { send_page(response); });
  server.Get("/v1/about", [&](const auto&, auto& response) {
    guarded(service, response, [&] { response.set_content(service.about_body(), kJsonType); });
  });
  server.Get("/v1/solves", [&](const auto&, auto& response) {
    guarded(service, response, [&] {
      response.set_content(Json{{"solves", service.solves().list()}}.dump(), kJsonType);
    });
  });
  server.Post("/v1/solves", [&service, most_body_bytes](const auto&, auto& response, const auto&) {
    guarded(service, response, [&] {
      const std::string body = read_body(most_body_bytes);
      const auto solve = service.start_solve(parse_solve_request(body, service.limits()));
      response.status = 201;
      response.set_header("Location", "/v1/solves/" + solve->id + "/events");
      response.set_content(Json{{"id", solve->id}}.dump(), kJsonType);
    });
  });
  server.Get("/v1/solves/[^/]+/events", [&](const auto& request, auto& response) {
    guarded(service, response, [&] {
      show(service.solves().find(name_in(request.path, kEventsPattern)), request, response);
    });
  });
  server.Get("/v1/solves/[^/]+/report", [&](const auto& request, auto& response) {
    guarded(service, response, [&] {
      send_report(service.solves().find(name_in(request.path, kReportPattern)), response);
    });
  });
  server.Post("/v1/solves/[^/]+/stop",
              [&service, most_body_bytes](const auto& request, auto& response, const auto&) {
                guarded(service, response, [&] {
                  read_body(most_body_bytes);
                  service.stop(name_in(request.path, kStopPattern));
                  response.set_content("{}", kJsonType);
                });
              });
}

}  // namespace umf
