#include "server/api_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace umf {
namespace {

using testing::ElementsAre;

const ReplyHead kChat{true, "chatcmpl-1", "m", "umf-test", 5};
const ReplyHead kText{false, "cmpl-1", "m", "umf-test", 5};

// The data of an event stream: JSON, and what is no JSON as a string.
std::vector<Json> data_of(const std::string& stream) {
  std::vector<Json> events;
  std::istringstream lines(stream);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("data: ")) continue;
    const std::string text = line.substr(6);
    events.push_back(Json::accept(text) ? Json::parse(text) : Json(text));
  }
  return events;
}

TEST(ApiReply, ErrorsHaveTheFourFields) {
  EXPECT_EQ(
      error_body(ApiError(404, "no \"such\" model", "model", "model_not_found")),
      R"({"error":{"message":"no \"such\" model","type":"invalid_request_error","param":"model","code":"model_not_found"}})");
  EXPECT_EQ(Json::parse(error_body(ApiError(429, "")))["error"]["type"], "rate_limit_error");
  EXPECT_EQ(Json::parse(error_body(ApiError(401, "")))["error"]["type"], "authentication_error");
  EXPECT_EQ(Json::parse(error_body(ApiError(503, "")))["error"]["type"], "server_error");
  EXPECT_EQ(Json::parse(error_body(ApiError(500, "")))["error"]["param"], nullptr);
  EXPECT_TRUE(Json::accept(error_body(ApiError(500, "bytes \xff of a judge"))));
}

TEST(ApiReply, CompletionsOfBothKinds) {
  const Completion completion{.choices = {{"a", "stop"}, {"b", "length"}},
                              .prompt_tokens = 2,
                              .completion_tokens = 3,
                              .nfe = 4};
  const Json chat = Json::parse(completion_body(kChat, completion));
  EXPECT_EQ(chat["object"], "chat.completion");
  EXPECT_EQ(chat["choices"][1]["message"]["content"], "b");
  EXPECT_EQ(chat["choices"][1]["finish_reason"], "length");
  EXPECT_EQ(chat["usage"], Json::parse(R"({"prompt_tokens": 2, "completion_tokens": 3,
                                           "total_tokens": 5, "nfe": 4})"));
  EXPECT_FALSE(chat.contains("umf"));
  const Json text = Json::parse(completion_body(kText, completion));
  EXPECT_EQ(text["object"], "text_completion");
  EXPECT_EQ(text["choices"][0]["text"], "a");
}

TEST(EventStream, AChatBeginsWithItsRoleAndEndsWithDone) {
  EventStream stream(kChat, /*include_usage=*/true);
  std::string text;
  text += stream.event(TextPiece{0, "a"});
  text += stream.event(TextPiece{0, "b"});
  text += stream.event(ChoiceEnd{0, "stop", nullptr});
  text += stream.event(Completion{.nfe = 9});
  const auto events = data_of(text);
  ASSERT_EQ(events.size(), 6);
  EXPECT_EQ(events[0]["choices"][0]["delta"]["role"], "assistant");
  EXPECT_EQ(events[1]["choices"][0]["delta"]["content"], "a");
  EXPECT_EQ(events[2]["choices"][0]["delta"], Json::parse(R"({"content": "b"})"));
  EXPECT_EQ(events[3]["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(events[4]["choices"], Json::array());
  EXPECT_EQ(events[4]["usage"]["nfe"], 9);
  EXPECT_EQ(events[5], "[DONE]");
  EXPECT_TRUE(stream.done());
}

TEST(EventStream, EveryChoiceBeginsOnce) {
  EventStream stream(kChat, false);
  EXPECT_EQ(data_of(stream.event(TextPiece{1, "a"})).size(), 2);
  EXPECT_EQ(data_of(stream.event(TextPiece{1, "a"})).size(), 1);
  EXPECT_EQ(data_of(stream.event(ChoiceEnd{2, "stop", nullptr})).size(), 2) << "an empty answer";
}

TEST(EventStream, ExtraEventsHaveNoChoices) {
  EventStream stream(kText, false);
  const std::string state = stream.event(StateNews{3, {{"text", {2, "x"}}}});
  EXPECT_TRUE(state.starts_with("event: umf.state\ndata: "));
  EXPECT_EQ(data_of(state)[0]["choices"], Json::array());
  EXPECT_EQ(data_of(state)[0]["umf"]["state"], Json::parse(R"({"text": [2, "x"], "choice": 3})"));
  const std::string rollout = stream.event(RolloutNews{{{"iteration", 1}}});
  EXPECT_EQ(data_of(rollout)[0]["umf"]["rollout"]["iteration"], 1);
}

TEST(EventStream, AnErrorEndsTheStreamWithoutDone) {
  EventStream stream(kChat, true);
  const auto events = data_of(stream.event(ApiError(504, "too long")));
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0]["error"]["message"], "too long");
  EXPECT_TRUE(stream.done());
}

}  // namespace
}  // namespace umf
