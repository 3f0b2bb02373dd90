#include "server/response_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace umf {
namespace {

using testing::ElementsAre;

const ReplyHead kHead{true, "resp-1", "m", "umf-test", 5};

Completion completion(const std::string& finish) {
  return {.choices = {{"ab", finish}}, .prompt_tokens = 2, .completion_tokens = 3, .nfe = 4};
}

// The events by name, each with its data.
std::vector<std::pair<std::string, Json>> events_of(const std::string& stream) {
  std::vector<std::pair<std::string, Json>> events;
  std::istringstream lines(stream);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("event: ")) events.push_back({line.substr(7), nullptr});
    if (line.starts_with("data: ")) events.back().second = Json::parse(line.substr(6));
  }
  return events;
}

TEST(ResponseReply, HasOneMessageWithItsText) {
  const Json json =
      Json::parse(response_body(kHead, response_echo(ApiRequest()), completion("stop")));
  EXPECT_EQ(json["object"], "response");
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["output"][0]["content"][0]["text"], "ab");
  EXPECT_EQ(json["output"][0]["role"], "assistant");
  EXPECT_EQ(json["usage"]["input_tokens"], 2);
  EXPECT_EQ(json["usage"]["output_tokens"], 3);
  EXPECT_EQ(json["usage"]["total_tokens"], 5);
  EXPECT_EQ(json["usage"]["nfe"], 4);
  EXPECT_EQ(json["incomplete_details"], nullptr);
}

TEST(ResponseReply, IsIncompleteWhereTheWindowEnded) {
  const Json json =
      Json::parse(response_body(kHead, response_echo(ApiRequest()), completion("length")));
  EXPECT_EQ(json["status"], "incomplete");
  EXPECT_EQ(json["incomplete_details"]["reason"], "max_output_tokens");
}

TEST(ResponseStream, TellsThePartsInOrder) {
  ResponseStream stream(kHead, response_echo(ApiRequest()));
  std::string text;
  text += stream.event(TextPiece{0, "a"});
  text += stream.event(TextPiece{0, "b"});
  text += stream.event(ChoiceEnd{0, "stop", nullptr});
  EXPECT_FALSE(stream.done());
  text += stream.event(completion("stop"));
  EXPECT_TRUE(stream.done());
  const auto events = events_of(text);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < events.size(); ++i) {
    names.push_back(events[i].first);
    EXPECT_EQ(events[i].second["type"], events[i].first);
    EXPECT_EQ(events[i].second["sequence_number"], i);
  }
  EXPECT_THAT(names, ElementsAre("response.created", "response.in_progress",
                                 "response.output_item.added", "response.content_part.added",
                                 "response.output_text.delta", "response.output_text.delta",
                                 "response.output_text.done", "response.content_part.done",
                                 "response.output_item.done", "response.completed"));
  EXPECT_EQ(events[4].second["delta"], "a");
  EXPECT_EQ(events[6].second["text"], "ab");
  EXPECT_EQ(events[9].second["response"]["output"][0]["content"][0]["text"], "ab");
  EXPECT_EQ(events[9].second["response"]["usage"]["total_tokens"], 5);
}

TEST(ResponseStream, EndsWithAnError) {
  ResponseStream stream(kHead, response_echo(ApiRequest()));
  const auto events = events_of(stream.event(ApiError(500, "broken", "", "c")));
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0].first, "error");
  EXPECT_EQ(events[0].second["type"], "error");
  EXPECT_EQ(events[0].second["message"], "broken");
  EXPECT_EQ(events[0].second["error"]["code"], "c");
  EXPECT_TRUE(stream.done());
}

}  // namespace
}  // namespace umf
