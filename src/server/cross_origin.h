// Web pages of other origins, where the operator lets them in (CORS).
#pragma once

#include <string>
#include <vector>

#include "server/http_message.h"
#include "server/routes.h"

namespace umf {

// One request, as far as its origin matters. What is given must outlive it.
class CrossOrigin {
 public:
  // `allowed` are origins as browsers name them, "https://example.org:8443"; "*" are all.
  CrossOrigin(const std::vector<std::string>& allowed, const RequestHead& head);

  // Whether it is a browser's question before the request itself, which carries no key.
  bool asks_first() const;
  HttpResponse permission(const Route& route) const;
  // The answer with the header that lets the page read it, where it may.
  HttpResponse readable(HttpResponse response) const;

 private:
  const RequestHead& head_;
  std::string origin_;  // empty: none, or one that is not let in
  bool varies_;         // whether another origin would get other headers
};

}  // namespace umf
