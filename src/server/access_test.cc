#include "server/access.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Access, LoopbackAddresses) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost", "0:0:0:0:0:0:0:1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "example.org", "",
                           "127.0.0.1.example.org", "::ffff:10.0.0.1", "127.1"})
    EXPECT_FALSE(is_loopback(host)) << host;
  EXPECT_FALSE(is_loopback(std::string("127.0.0.1\0.example", 18)));
}

TEST(Access, HostHeadersOfThisMachine) {
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:8080", "localhost:1", "LocalHost", "[::1]", "[::1]:80"})
    EXPECT_TRUE(names_loopback(host)) << host;
  for (const char* host :
       {"evil.example", "evil.example:8080", "127.0.0.1:8080.evil.example", "[::1", "[::1]x",
        "localhost.evil.example", "", ":80", "127.0.0.1@evil.example", "::1"})
    EXPECT_FALSE(names_loopback(host)) << host;
}

TEST(Access, KeysMustBeEqual) {
  EXPECT_TRUE(carries_key("Bearer secret", "secret"));
  for (const char* given :
       {"", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer secretsecret",
        "bearer secret", "Bearer Secret", "Basic secret"})
    EXPECT_FALSE(carries_key(given, "secret")) << given;
  EXPECT_FALSE(carries_key("Bearer ", "")) << "no key is not an empty key";
}

}  // namespace
}  // namespace umf
