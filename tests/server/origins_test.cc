// Web pages of other origins, and the log, as operators see them.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::UnorderedElementsAre;

std::string with_origin(const std::string& method, const std::string& origin,
                        const std::string& more = "") {
  return method + " /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin +
         "\r\n" + more + "\r\n";
}

const std::string kAsksFirst =
    "Access-Control-Request-Method: POST\r\n"
    "Access-Control-Request-Headers: authorization,content-type,x-stainless-os\r\n";

TEST(ServeOrigins, AreLetInByName) {
  const Server server(
      {"--cors", "https://a.example", "--cors", "http://b.example:8080", "--api-key", "secret"});
  const HttpReply first = server.send(with_origin("OPTIONS", "https://a.example", kAsksFirst));
  EXPECT_EQ(first.status, 204) << "a browser asks without the key";
  EXPECT_EQ(first.headers.at("access-control-allow-origin"), "https://a.example");
  EXPECT_EQ(first.headers.at("access-control-allow-methods"), "POST");
  EXPECT_EQ(first.headers.at("access-control-allow-headers"),
            "authorization,content-type,x-stainless-os");
  EXPECT_EQ(first.headers.at("vary"), "Origin");
  const std::string body = chat_body("Hi", R"("max_tokens": 4)");
  const HttpReply reply = server.send(http_post(
      kChatPath, body, "Origin: http://b.example:8080\r\nAuthorization: Bearer secret\r\n"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("access-control-allow-origin"), "http://b.example:8080");
  const HttpReply refused =
      server.send(http_post(kChatPath, body, "Origin: https://a.example\r\n"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.headers.at("access-control-allow-origin"), "https://a.example")
      << "a page may read what is wrong";
  const HttpReply other = server.send(with_origin("OPTIONS", "https://c.example", kAsksFirst));
  EXPECT_EQ(other.status, 401);
  EXPECT_FALSE(other.headers.contains("access-control-allow-origin"));
}

TEST(ServeOrigins, NoneIsLetInUnlessTold) {
  const Server server;
  const HttpReply first = server.send(with_origin("OPTIONS", "https://a.example", kAsksFirst));
  EXPECT_EQ(first.status, 405);
  EXPECT_FALSE(first.headers.contains("access-control-allow-origin"));
  EXPECT_FALSE(first.headers.contains("vary"));
}

TEST(ServeOrigins, AStarLetsAllIn) {
  const Server server({"--cors", "*"});
  const HttpReply stream =
      server.send(http_post(kChatPath, chat_body("Hi", R"("max_tokens": 4, "stream": true)"),
                            "Origin: https://any.example\r\n"));
  EXPECT_EQ(stream.headers.at("access-control-allow-origin"), "https://any.example");
  EXPECT_FALSE(chunks_of(stream.body).empty());
}

TEST(ServeLog, HasALinePerRequest) {
  Server server;
  const Json chat = server.chat("Hi", R"("max_tokens": 4)").json();
  server.chat("Hi", R"("max_tokens": 4, "stream": true)");
  server.chat("Hi", R"("max_tokens": 8, "umf": {"search": "unmaskfork", "budget": 5,
                       "reward": {"type": "text", "checks": [{"contains": "~~"}]}})");
  server.chat("Hi", R"("temperature": -1)");
  server.get("/health");
  server.process().send(SIGTERM);
  const std::string log = server.process().wait().err;
  std::vector<std::string> lines;
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5) << log;
  const std::string start = "20..-..-..T..:..:..Z ";
  const std::string tokens = std::to_string(chat["usage"]["prompt_tokens"].get<int>()) + " \\+ " +
                             std::to_string(chat["usage"]["completion_tokens"].get<int>()) +
                             " tokens, " + std::to_string(chat["usage"]["nfe"].get<int>()) +
                             " passes, " + chat["choices"][0]["finish_reason"].get<std::string>();
  const std::string asked = start + "POST /v1/chat/completions ";
  // A line is written behind its answer, so that of the next request may come first.
  EXPECT_THAT(lines,
              UnorderedElementsAre(MatchesRegex(asked + "200 .* s, " + tokens),
                                   MatchesRegex(asked + "200 .* s, " + tokens),  // a stream, too
                                   MatchesRegex(asked + "200 .* s, .* tokens, 5 passes, budget"),
                                   MatchesRegex(asked + "400 .* s, 'temperature' must be .*"),
                                   MatchesRegex(start + "GET /health 200 .* s")));
}

}  // namespace
}  // namespace umf
