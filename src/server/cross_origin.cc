#include "server/cross_origin.h"

#include <algorithm>

namespace umf {

CrossOrigin::CrossOrigin(const std::vector<std::string>& allowed, const RequestHead& head)
    : head_(head), varies_(!allowed.empty()) {
  const std::string origin(head.value("origin"));
  const auto is_allowed = [&](const std::string& one) { return one == "*" || one == origin; };
  if (!origin.empty() && std::ranges::any_of(allowed, is_allowed)) origin_ = origin;
}

bool CrossOrigin::asks_first() const {
  return !origin_.empty() && head_.method == "OPTIONS" &&
         !head_.value("access-control-request-method").empty();
}

// Clients send headers of their own; none of them means anything here but the key and the type.
HttpResponse CrossOrigin::permission(const Route& route) const {
  HttpResponse response{.status = 204, .type = kJsonType, .body = ""};
  response.headers = {{"Access-Control-Allow-Methods", route.methods()},
                      {"Access-Control-Max-Age", "600"}};
  if (const auto wanted = head_.value("access-control-request-headers"); !wanted.empty())
    response.headers.emplace_back("Access-Control-Allow-Headers", std::string(wanted));
  return readable(std::move(response));
}

HttpResponse CrossOrigin::readable(HttpResponse response) const {
  if (varies_) response.headers.emplace_back("Vary", "Origin");
  if (!origin_.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Origin", origin_);
    response.headers.emplace_back("Access-Control-Expose-Headers", "Retry-After");
  }
  return response;
}

}  // namespace umf
