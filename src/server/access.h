// Who may talk to the server.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// Whether only programs of this machine can reach an address: 127.x.x.x, ::1 or localhost.
bool is_loopback(const std::string& host);

// Whether a Host header names this machine. A web page that points its own name at 127.0.0.1 is
// told apart by it.
bool names_loopback(std::string_view host_header);

// Whether an Authorization header carries the key. Takes the same time wherever they differ.
bool carries_key(std::string_view authorization, std::string_view key);

}  // namespace umf
