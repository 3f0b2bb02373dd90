#include "server/access.h"

#include <arpa/inet.h>

#include <algorithm>

namespace umf {

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  if (host.find('\0') != host.npos) return false;  // an address would seem to end there
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool names_loopback(std::string_view host_header) {
  const auto is_port = [](std::string_view text) {
    return text.empty() ||
           (text.front() == ':' && text.find_first_not_of("0123456789", 1) == text.npos);
  };
  if (host_header.starts_with('[')) {
    const auto end = host_header.find(']');
    return end != host_header.npos && is_port(host_header.substr(end + 1)) &&
           is_loopback(std::string(host_header.substr(1, end - 1)));
  }
  const auto colon = std::min(host_header.find(':'), host_header.size());
  std::string name(host_header.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return is_port(host_header.substr(colon)) && is_loopback(name);
}

bool carries_key(std::string_view authorization, std::string_view key) {
  constexpr std::string_view kScheme = "Bearer ";
  if (key.empty() || !authorization.starts_with(kScheme)) return false;
  const std::string_view given = authorization.substr(kScheme.size());
  // Volatile, so that no compiler leaves the loop early.
  volatile unsigned char difference = given.size() == key.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference =
        static_cast<unsigned char>(difference | (static_cast<unsigned char>(given[i]) ^
                                                 static_cast<unsigned char>(key[i % key.size()])));
  }
  return difference == 0;
}

}  // namespace umf
