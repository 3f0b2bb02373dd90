// Every path that there is: how it may be asked for, by whom, and what answers.
#pragma once

#include <string>
#include <string_view>

#include "server/http_message.h"
#include "server/service.h"

namespace umf {

using Handler = HttpResponse (*)(Service& service, const HttpRequest& request);

struct Route {
  std::string_view pattern;  // a * stands for one name, which is not empty and has no slash
  Handler get = nullptr, post = nullptr;
  bool without_key = false;  // whether everybody may ask, also where the server has a key

  Handler handler(
      std::string_view method) const;  // HEAD is a GET; nothing for what it does not take
  std::string methods() const;         // "GET" or "GET, POST"
};

struct RouteMatch {
  const Route* route = nullptr;  // nothing when there is no such path
  std::string name;              // what stands at the * of the pattern
};
RouteMatch match_route(std::string_view path);

}  // namespace umf
