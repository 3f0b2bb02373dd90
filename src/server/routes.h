// Which paths there are, and how they may be asked for.
#pragma once

#include <string>
#include <string_view>

namespace umf {

struct Route {
  std::string_view pattern;  // a * stands for one name, which is not empty and has no slash
  std::string_view methods;  // "GET" or "GET, POST"
  bool without_key = false;  // whether everybody may ask, also where the server has a key
  bool allows(const std::string& method) const;  // HEAD wherever GET is
};

// Nothing when there is no such path.
const Route* route_of(std::string_view path);

// What stands at the * of the pattern. The path must match it.
std::string name_in(std::string_view path, std::string_view pattern);

}  // namespace umf
