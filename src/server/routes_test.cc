#include "server/routes.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

const Route* route_of(std::string_view path) { return match_route(path).route; }

TEST(Routes, PathsAreFoundByTheirPattern) {
  EXPECT_EQ(route_of("/")->pattern, "/");
  EXPECT_EQ(route_of("/v1/solves")->pattern, "/v1/solves");
  EXPECT_EQ(route_of("/v1/solves/12ab/events")->pattern, "/v1/solves/*/events");
  EXPECT_EQ(match_route("/v1/solves/12ab/events").name, "12ab");
  for (const char* path :
       {"", "//", "/v1", "/.", "/index.html", "/v1/solves/", "/v1/solves//events",
        "/v1/solves/a/b/events", "/v1/solves/events", "/v1/solves/a/events/", "/v1/models/"})
    EXPECT_EQ(route_of(path), nullptr) << path;
}

TEST(Routes, MethodsAreThoseOfTheRoute) {
  const auto allows = [](const char* path, const char* method) {
    return route_of(path)->handler(method) != nullptr;
  };
  EXPECT_TRUE(allows("/", "GET"));
  EXPECT_TRUE(allows("/", "HEAD"));
  EXPECT_FALSE(allows("/", "POST"));
  EXPECT_TRUE(allows("/v1/solves", "GET"));
  EXPECT_TRUE(allows("/v1/solves", "POST"));
  for (const char* method : {"PUT", "DELETE", "", ",", "GET, POST", "get"})
    EXPECT_FALSE(allows("/v1/solves", method)) << method;
  EXPECT_FALSE(allows("/v1/solves/a/stop", "GET")) << "a link must not stop a solve";
  EXPECT_EQ(route_of("/")->methods(), "GET");
  EXPECT_EQ(route_of("/v1/solves")->methods(), "GET, POST");
  EXPECT_EQ(route_of("/v1/solves/a/stop")->methods(), "POST");
}

TEST(Routes, OnlyThePageAndTheHealthNeedNoKey) {
  for (const char* path : {"/", "/health"}) EXPECT_TRUE(route_of(path)->without_key);
  for (const char* path : {"/metrics", "/v1/models", "/v1/about", "/v1/solves",
                           "/v1/solves/a/events", "/v1/solves/a/report"})
    EXPECT_FALSE(route_of(path)->without_key) << path;
}

}  // namespace
}  // namespace umf
