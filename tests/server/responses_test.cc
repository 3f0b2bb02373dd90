// /v1/responses, JSON formats and presets, as clients see them.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

constexpr const char* kResponses = "/v1/responses";

TEST(ServeResponses, GiveTheTextOfAChat) {
  const Server server;
  const HttpReply chat = server.chat("Hello", R"("model": "dream", "max_tokens": 16, "seed": 3)");
  const std::string body =
      R"({"model": "dream", "input": "Hello", "max_output_tokens": 16, "seed": 3)";
  const HttpReply reply = server.post(kResponses, body + "}");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.json();
  EXPECT_EQ(json["output"][0]["content"][0]["text"], chat.text());
  EXPECT_EQ(json["usage"]["output_tokens"], chat.json()["usage"]["completion_tokens"]);
  EXPECT_EQ(json["max_output_tokens"], 16);
  const HttpReply stream = server.post(kResponses, body + R"(, "stream": true})");
  std::string text, last;
  std::istringstream lines(stream.body);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("data: ")) continue;
    const Json event = Json::parse(line.substr(6));
    last = event["type"];
    text += event.value("delta", "");
  }
  EXPECT_EQ(text, chat.text());
  EXPECT_THAT(last, testing::AnyOf("response.completed", "response.incomplete"));
  EXPECT_EQ(server.post(kResponses, R"({"input": 3})").status, 400);
  // Counted behind the answer.
  EXPECT_TRUE(
      server.comes_to_show("umf_requests_total{endpoint=\"/v1/responses\",status=\"400\"} 1"));
}

// One digit of a random model is JSON; what it says besides is not.
TEST(ServeFormats, AnswersAreSearchedForUntilTheyParse) {
  const Server server;
  const std::string digit = R"("model": "llada", "max_tokens": 1, "response_format":
      {"type": "json_schema", "json_schema": {"name": "digit", "schema": {"type": "integer"}}},
      "umf": {"search": "best-of-n", "actions": [{"temperature": 3}], "budget": 20000})";
  const HttpReply reply = server.chat("A digit?", digit);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.json();
  EXPECT_TRUE(Json::parse(reply.text()).is_number_integer()) << reply.text();
  EXPECT_EQ(json["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(json["umf"]["reward"], 1.0);
  EXPECT_EQ(json["umf"]["search"]["stopped"], "reward");
}

TEST(ServeFormats, AnAnswerThatWasNotFoundIsLikeOneThatWasCut) {
  const Server server;
  const HttpReply reply =
      server.chat("An object?", R"("max_tokens": 8, "response_format": {"type": "json_object"},
                       "umf": {"budget": 40})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.json();
  EXPECT_EQ(json["choices"][0]["finish_reason"], "length");
  EXPECT_LT(json["umf"]["reward"], 1);
  EXPECT_EQ(json["umf"]["actions"].size(), 3) << "the usual one and two warmer ones";
  const HttpReply wrong = server.chat("x", R"("response_format": {"type": "json_schema",
      "json_schema": {"name": "n", "schema": {"pattern": "x"}}})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.error(), HasSubstr("/pattern is not a keyword"));
}

TEST(ServePresets, AreModelsToClients) {
  const Server server({"--preset", "umf-math"});
  const Json list = server.get("/v1/models").json()["data"];
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list[2]["id"], "umf-math");
  EXPECT_EQ(list[2]["umf"]["search"], "unmaskfork");
  EXPECT_EQ(list[2]["umf"]["models"], Json({"dream", "llada"}));
  const HttpReply reply = server.chat("Hi", R"("model": "umf-math", "temperature": 0.2,
      "max_tokens": 16, "umf": {"budget": 40,
      "reward": {"type": "text", "checks": [{"contains": "~~"}]}})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.json()["umf"]["search"]["nfe"], 40);
  expect_refusal(umf({"serve", "--preset", "umf-meth"}), "no preset 'umf-meth'");
}

TEST(ServePresets, AFileWithARewardSearchesEveryChat) {
  const TemporaryDirectory folder;
  write_file(folder / "judged.json", R"({"model": ["llada=)" + tiny("tiny-llada") +
                                         R"("], "window": 16, "search": "best-of-n",
      "action": ["temperature=1"], "reward": {"type": "text", "checks": [{"contains": "~~"}]}})");
  const std::string file = (folder / "judged.json").string();
  const Server server({"--config", file, "--max-budget", "64"}, {});
  const HttpReply reply = server.chat("Hi", R"("model": "judged", "umf": {"budget": 32})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.json()["umf"]["search"]["nfe"], 32);
  EXPECT_EQ(server.post(kTextPath, R"({"model": "judged", "prompt": "Hi"})").status, 200)
      << "a prompt is decoded";
  write_file(folder / "wrong.json",
             R"({"model": ["llada=)" + tiny("tiny-llada") + R"("], "reward": {"type": "txt"}})");
  expect_refusal(umf({"serve", "--config", (folder / "wrong.json").string()}),
                 "no reward of type 'txt'");
}

}  // namespace
}  // namespace umf
