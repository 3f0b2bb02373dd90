#include "server/routes.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Routes, PathsAreFoundByTheirPattern) {
  EXPECT_EQ(route_of("/")->pattern, "/");
  EXPECT_EQ(route_of("/v1/solves")->pattern, "/v1/solves");
  EXPECT_EQ(route_of("/v1/solves/12ab/events")->pattern, "/v1/solves/*/events");
  EXPECT_EQ(name_in("/v1/solves/12ab/events", "/v1/solves/*/events"), "12ab");
  for (const char* path :
       {"", "//", "/v1", "/.", "/index.html", "/v1/solves/", "/v1/solves//events",
        "/v1/solves/a/b/events", "/v1/solves/events", "/v1/solves/a/events/", "/v1/models/"})
    EXPECT_EQ(route_of(path), nullptr) << path;
}

TEST(Routes, MethodsAreThoseOfTheRoute) {
  EXPECT_TRUE(route_of("/")->allows("GET"));
  EXPECT_TRUE(route_of("/")->allows("HEAD"));
  EXPECT_FALSE(route_of("/")->allows("POST"));
  EXPECT_TRUE(route_of("/v1/solves")->allows("GET"));
  EXPECT_TRUE(route_of("/v1/solves")->allows("POST"));
  for (const char* method : {"PUT", "DELETE", "", ",", "GET, POST", "get"})
    EXPECT_FALSE(route_of("/v1/solves")->allows(method)) << method;
  EXPECT_FALSE(route_of("/v1/solves/a/stop")->allows("GET")) << "a link must not stop a solve";
}

TEST(Routes, OnlyThePageAndTheHealthNeedNoKey) {
  for (const char* path : {"/", "/health"}) EXPECT_TRUE(route_of(path)->without_key);
  for (const char* path : {"/metrics", "/v1/models", "/v1/about", "/v1/solves",
                           "/v1/solves/a/events", "/v1/solves/a/report"})
    EXPECT_FALSE(route_of(path)->without_key) << path;
}

}  // namespace
}  // namespace umf
