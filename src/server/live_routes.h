// The live page and the solves that it shows.
#pragma once

#include <cstddef>

#include "server/service.h"

namespace httplib {
class Server;
}

namespace umf {

// The service must outlive the server.
void add_live_routes(httplib::Server& server, Service& service, std::size_t most_body_bytes);

}  // namespace umf
