#include "server/routes.h"

#include <cassert>

namespace umf {
namespace {

constexpr Route kRoutes[] = {
    {"/", "GET", true},
    {"/health", "GET", true},
    {"/metrics", "GET"},
    {"/v1/models", "GET"},
    {"/v1/models/*", "GET"},
    {"/v1/chat/completions", "POST"},
    {"/v1/completions", "POST"},
    {"/v1/about", "GET"},
    {"/v1/solves", "GET, POST"},
    {"/v1/solves/*/events", "GET"},
    {"/v1/solves/*/stop", "POST"},
    {"/v1/solves/*/report", "GET"},
};

bool matches(std::string_view path, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == pattern.npos) return path == pattern;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  if (path.size() <= before.size() + after.size()) return false;
  const std::string_view name =
      path.substr(before.size(), path.size() - before.size() - after.size());
  return path.starts_with(before) && path.ends_with(after) && name.find('/') == name.npos;
}

}  // namespace

bool Route::allows(const std::string& method) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : std::string_view(method);
  for (const std::string_view one : {std::string_view("GET"), std::string_view("POST")}) {
    if (wanted == one) return methods.find(one) != methods.npos;
  }
  return false;
}

const Route* route_of(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (matches(path, route.pattern)) return &route;
  }
  return nullptr;
}

std::string name_in(std::string_view path, std::string_view pattern) {
  assert(matches(path, pattern));
  const auto star = pattern.find('*');
  return std::string(path.substr(star, path.size() - (pattern.size() - 1)));
}

}  // namespace umf
