#include "server/api_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api_request_testing.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ApiRequest completion(const std::string& fields) {
  return parse_completion_request("{" + fields + "}", kLimits);
}

// A search with these fields in its "umf" object.
ApiRequest search(const std::string& fields) {
  return chat(R"("umf": {"search": "unmaskfork", "reward": {"type": "text"})" +
              (fields.empty() ? "" : ", " + fields) + "}");
}

TEST(ApiRequest, MessagesKeepTheirOrderAndDevelopersAreSystem) {
  const ApiRequest request = parse_chat_request(
      R"({"messages": [{"role": "developer", "content": "Be brief."},
                       {"role": "user", "content": [{"type": "text", "text": "a"},
                                                    {"type": "text", "text": "b"}]},
                       {"role": "assistant", "content": "c", "refusal": null, "tool_calls": []},
                       {"role": "user", "content": ""}]})",
      kLimits);
  std::vector<std::string> said;
  for (const Message& message : request.messages)
    said.push_back(message.role + ":" + message.content);
  EXPECT_THAT(said, ElementsAre("system:Be brief.", "user:ab", "assistant:c", "user:"));
}

TEST(ApiRequest, FieldsArrive) {
  const ApiRequest request = chat(
      R"("model": "m", "n": 3, "seed": 18446744073709551615, "max_tokens": 7, "temperature": 0.5,
         "top_p": 0.9, "stop": ["x", "y"], "stream": true,
         "stream_options": {"include_usage": true}, "user": "u", "metadata": {"a": [1]})");
  EXPECT_EQ(request.model, "m");
  EXPECT_EQ(request.n, 3);
  EXPECT_EQ(request.seed, 18446744073709551615u);
  EXPECT_EQ(request.max_tokens, 7);
  EXPECT_EQ(request.temperature, 0.5);
  EXPECT_EQ(request.top_p, 0.9);
  EXPECT_THAT(request.stop, ElementsAre("x", "y"));
  EXPECT_TRUE(request.stream && request.include_usage);
}

TEST(ApiRequest, NullIsAbsent) {
  const ApiRequest request = chat(
      R"("model": null, "n": null, "seed": null, "max_tokens": null, "stop": null, "stream": null,
         "umf": null, "tools": null)");
  EXPECT_EQ(request.n, 1);
  EXPECT_EQ(request.max_tokens, std::nullopt);
  EXPECT_FALSE(request.stream);
}

TEST(ApiRequest, UnsupportedFieldsAreAllowedWhereTheyAskForNothing) {
  chat(R"("frequency_penalty": 0, "presence_penalty": 0.0, "logit_bias": {}, "logprobs": false,
          "tools": [], "tool_choice": "auto", "response_format": {"type": "text"}, "modalities": ["text"])");
  expect_refused([] { chat(R"("frequency_penalty": 0.5)"); }, "frequency_penalty", "not supported");
  expect_refused([] { chat(R"("tools": [{}])"); }, "tools", "not supported");
  expect_refused([] { chat(R"("logprobs": true)"); }, "logprobs", "not supported");
  completion(R"("prompt": "a", "echo": false, "best_of": 1, "suffix": "")");
  expect_refused([] { completion(R"("prompt": "a", "echo": true)"); }, "echo", "not supported");
}

TEST(ApiRequest, UnknownFieldsAreNamed) {
  expect_refused([] { chat(R"("temprature": 1)"); }, "temprature", "leave it out");
  expect_refused([] { search(R"("bugdet": 1)"); }, "umf.bugdet", "leave it out");
  expect_refused(
      [] {
        parse_chat_request(R"({"messages": [{"role": "user", "content": "", "nam": 1}]})", kLimits);
      },
      "messages[0].nam", "leave it out");
  expect_refused([] { chat(R"("stream": true, "stream_options": {"x": 1})"); }, "stream_options.x",
                 "leave it out");
}

TEST(ApiRequest, NumbersHaveRanges) {
  for (const char* wrong : {"0", "5", "-1", "1.5", "\"2\"", "99999999999999999999", "true", "[]"})
    expect_refused([&] { chat(std::string(R"("n": )") + wrong); }, "n", "from 1 to 4");
  expect_refused([] { chat(R"("max_tokens": 101)"); }, "max_tokens", "from 1 to 100");
  expect_refused([] { chat(R"("max_completion_tokens": 0)"); }, "max_completion_tokens", "from 1");
  expect_refused([] { chat(R"("seed": -1)"); }, "seed", "from 0");
  expect_refused([] { chat(R"("temperature": -0.1)"); }, "temperature", "from 0");
  expect_refused([] { chat(R"("top_p": 0)"); }, "top_p", "above 0");
  expect_refused([] { search(R"("budget": 1001)"); }, "umf.budget", "from 1 to 1000");
}

TEST(ApiRequest, BothNamesOfTheLengthAreOne) {
  EXPECT_EQ(chat(R"("max_completion_tokens": 9)").max_tokens, 9);
  EXPECT_EQ(chat(R"("max_completion_tokens": 9, "max_tokens": 9)").max_tokens, 9);
  expect_refused([] { chat(R"("max_completion_tokens": 9, "max_tokens": 8)"); }, "max_tokens",
                 "differ");
}

TEST(ApiRequest, BodiesThatAreNoRequest) {
  const auto refused = [](const std::string& body, const std::string& text) {
    expect_refused([&] { parse_chat_request(body, kLimits); }, "", text);
  };
  std::string many = "[0";
  while (many.size() < 1 << 20) many += ",0";
  refused(many + "]", "more than 262144 values");
  refused("", "not valid JSON");
  refused("{", "not valid JSON");
  refused("[]", "must be a JSON object");
  refused("null", "must be a JSON object");
  refused("{\"messages\": \"\xff\"}", "not valid JSON");
  refused(R"({"n": 1, "n": 2})", "given twice");
  refused(std::string(1000, '[') + std::string(1000, ']'), "nested deeper");
}

TEST(ApiRequest, MessagesThatAreNone) {
  const auto refused = [](const std::string& messages, const std::string& param) {
    expect_refused([&] { parse_chat_request("{\"messages\": " + messages + "}", kLimits); }, param,
                   "");
  };
  refused("[]", "messages");
  refused("{}", "messages");
  refused("[1]", "messages[0]");
  refused(R"([{"content": "a"}])", "messages[0].role");
  refused(R"([{"role": "tool", "content": "a"}])", "messages[0].role");
  refused(R"([{"role": "user"}])", "messages[0].content");
  refused(R"([{"role": "user", "content": 1}])", "messages[0].content");
  refused(R"([{"role": "user", "content": [{"type": "image_url"}]}])",
          "messages[0].content[0].type");
  refused(R"([{"role": "user", "content": [{"type": "text"}]}])", "messages[0].content[0].text");
}

TEST(ApiRequest, PromptsAreTextsOrTokens) {
  EXPECT_THAT(completion(R"("prompt": "a")").prompts, ElementsAre(RawPrompt("a")));
  EXPECT_THAT(completion(R"("prompt": [1, 2])").prompts,
              ElementsAre(RawPrompt(std::vector<Token>{1, 2})));
  EXPECT_THAT(completion(R"("prompt": ["a", [3]])").prompts,
              ElementsAre(RawPrompt("a"), RawPrompt(std::vector<Token>{3})));
  for (const char* wrong : {"[]", "[[]]", "[-1]", "[1.5]", "[4294967296]", "{}", "1", "[1, \"a\"]"})
    expect_refused([&] { completion(std::string(R"("prompt": )") + wrong); }, "prompt", "must be");
  expect_refused([] { completion(R"("prompt": ["a", "b", "c"], "n": 2)"); }, "n", "at most 4");
}

TEST(ApiRequest, StopsAreFewAndShort) {
  EXPECT_THAT(chat(R"("stop": "x")").stop, ElementsAre("x"));
  std::string sixteen = R"("1")";
  for (int i = 0; i < 15; ++i) sixteen += R"(, "1")";
  EXPECT_EQ(chat("\"stop\": [" + sixteen + "]").stop.size(), 16);
  expect_refused([&] { chat("\"stop\": [" + sixteen + R"(, "1"])"); }, "stop", "up to 16");
  expect_refused([] { chat(R"("stop": [""])"); }, "stop", "1 to 256 bytes");
  expect_refused([] { chat("\"stop\": \"" + std::string(257, 'x') + "\""); }, "stop", "1 to 256");
}

TEST(ApiRequest, ActionsAreSpelledAsOnTheCommandLine) {
  const ApiRequest request = search(
      R"("actions": [{"model": "a", "temperature": 0.1, "strategy": "entropy"},
                     {"eos-last": true, "top-k": 5}])");
  ASSERT_EQ(request.umf.actions.size(), 2);
  EXPECT_EQ(request.umf.actions[0].model, "a");
  EXPECT_EQ(request.umf.actions[0].fields, "strategy=entropy,temperature=0.1");
  EXPECT_EQ(request.umf.actions[1].fields, "eos-last=true,top-k=5");
  expect_refused([] { search(R"("actions": [{"stratgy": "entropy"}])"); }, "umf.actions[0].stratgy",
                 "no key");
  expect_refused([] { search(R"("actions": [{"temperature": -1}])"); },
                 "umf.actions[0].temperature", "0 or more");
  expect_refused([] { search(R"("actions": [{"strategy": {}}])"); }, "umf.actions[0].strategy",
                 "must be a string");
}

TEST(ApiRequest, TestsAreShortForTheRewardThatRunsThem) {
  const ApiRequest request = chat(R"("umf": {"search": "dts", "tests": [{"assert": "f() == 1"}]})");
  EXPECT_EQ(request.umf.reward,
            Json::parse(R"({"type": "python-tests", "tests": [{"assert": "f() == 1"}]})"));
  expect_refused([] { search(R"("tests": [])"); }, "umf.tests", "exclude");
  expect_refused([] { chat(R"("umf": {"search": "dts", "reward": {}})"); }, "umf.reward", "'type'");
}

TEST(ApiRequest, FieldsThatWouldDoNothingAreMistakes) {
  expect_refused([] { chat(R"("umf": {"budget": 10})"); }, "umf.budget", "set 'umf.search'");
  expect_refused([] { search(R"("per_step": 2)"); }, "umf.per_step", "plain");
  expect_refused([] { chat(R"("umf": {"stream_state": true})"); }, "umf.stream_state", "'stream'");
  expect_refused([] { chat(R"("stream_options": {})"); }, "stream_options", "'stream'");
  expect_refused([] { chat(R"("umf": {"actions": [{}, {}]})"); }, "umf.actions", "only a search");
  expect_refused([] { chat(R"("temperature": 1, "umf": {"actions": [{}]})"); }, "umf.actions",
                 "exclude");
}

TEST(ApiRequest, SearchesAnswerOneQuestionOnce) {
  EXPECT_EQ(search("").umf.search, "unmaskfork");
  EXPECT_EQ(search("").umf.stop_at_reward, 1.0);
  EXPECT_EQ(search(R"("stop_at_reward": "never")").umf.stop_at_reward, std::nullopt);
  const std::string umf = R"("umf": {"search": "dts", "reward": {"type": "text"}})";
  expect_refused([&] { chat(R"("n": 2, )" + umf); }, "n", "one answer");
  expect_refused([&] { chat(R"("stop": "x", )" + umf); }, "stop", "whole answers");
  expect_refused([&] { completion(R"("prompt": "a", )" + umf); }, "umf.search", "conversation");
  expect_refused([] { chat(R"("umf": {"search": "dts"})"); }, "umf.reward", "missing");
  expect_refused([] { search(R"("ratios": "0.5,0.9")"); }, "umf.ratios", "");
  expect_refused([] { search(R"("budget_policy": "waste")"); }, "umf.budget_policy", "choose cut");
}

ApiRequest solve(const std::string& fields) {
  return parse_solve_request(
      R"({"problem": {"id": "p", "prompt": "Write f.", "prefill": "def", "reward": {"type": "text"}})" +
          (fields.empty() ? "" : ", " + fields) + "}",
      {});
}

TEST(ApiRequest, ASolveHasAProblemAndItsReward) {
  const ApiRequest request = solve(R"("max_tokens": 9, "umf": {"search": "dts", "budget": 7})");
  const Problem problem = request.problem.value_or(Problem());
  EXPECT_EQ(problem.id, "p");
  EXPECT_EQ(problem.prefill, "def");
  EXPECT_EQ(request.messages.back().content, "Write f.");
  EXPECT_EQ(request.umf.reward, Json::parse(R"({"type": "text"})"));
  EXPECT_EQ(request.max_tokens, 9);
  EXPECT_TRUE(request.umf.stream_state && request.umf.stream_rollouts);
  expect_refused([] { solve(""); }, "umf.search", "missing");
  expect_refused([] { solve(R"("umf": {"search": "dts", "tests": []})"); }, "umf.reward", "own");
  expect_refused([] { solve(R"("stream": true, "umf": {"search": "dts"})"); }, "stream", "path");
  expect_refused([] { solve(R"("messages": [], "umf": {"search": "dts"})"); }, "messages", "");
  expect_refused([] { parse_solve_request("{}", {}); }, "problem", "missing");
  expect_refused([] { parse_solve_request(R"({"problem": {"id": 1}})", {}); }, "problem", "'id'");
  expect_refused([] { parse_solve_request(R"({"problem": []})", {}); }, "problem", "object");
}

TEST(ApiRequest, AJsonFormatMakesASearch) {
  const ApiRequest object = chat(R"("response_format": {"type": "json_object"})");
  EXPECT_EQ(object.umf.search, "unmaskfork");
  EXPECT_TRUE(object.umf.varied);
  EXPECT_EQ(object.umf.reward, Json::parse(R"({"type": "json", "schema": {"type": "object"}})"));
  EXPECT_EQ(object.format, object.umf.reward);
  EXPECT_EQ(object.messages.size(), chat("").messages.size()) << "its client told the model";
  const ApiRequest schema = chat(R"("response_format": {"type": "json_schema", "json_schema":
      {"name": "n", "strict": true, "schema": {"type": "array"}}}, "umf": {"budget": 9})");
  EXPECT_EQ(schema.umf.reward, Json::parse(R"({"type": "json", "schema": {"type": "array"}})"));
  EXPECT_EQ(schema.umf.budget, 9);
  EXPECT_EQ(schema.messages[0].role, "system");
  EXPECT_THAT(schema.messages[0].content, HasSubstr(R"({"type":"array"})"));
  const ApiRequest both = chat(R"("response_format": {"type": "json_object"}, "umf":
      {"search": "dts", "reward": {"type": "text"}, "budget": 9})");
  EXPECT_EQ(both.umf.reward["type"], "all");
  EXPECT_EQ(both.umf.reward["of"].size(), 2);
  EXPECT_FALSE(both.umf.varied) << "it has a search of its own";
  EXPECT_EQ(chat(R"("response_format": {"type": "text"})").umf.search, "");
}

TEST(ApiRequest, MistakesInAFormatAreNamed) {
  const auto format = [](const std::string& text) { chat("\"response_format\": " + text); };
  expect_refused([&] { format(R"({"type": "xml"})"); }, "response_format.type", "json_object");
  expect_refused([&] { format(R"({"type": "json_schema"})"); }, "response_format.json_schema",
                 "missing");
  expect_refused([&] { format(R"({"type": "json_schema", "json_schema": {"name": "n"}})"); },
                 "response_format.json_schema.schema", "missing");
  expect_refused([&] { format(R"({"type": "json_object", "x": 1})"); }, "response_format.x",
                 "leave it out");
  expect_refused([] { chat(R"("n": 2, "response_format": {"type": "json_object"})"); }, "n",
                 "a JSON format");
  expect_refused([] { chat(R"("stop": "x", "response_format": {"type": "json_object"})"); }, "stop",
                 "a JSON format");
}

TEST(ApiRequest, AResponseIsAChatInOtherWords) {
  const ApiRequest text = parse_response_request(
      R"({"model": "m", "input": "Hi", "instructions": "Be brief.", "max_output_tokens": 7,
          "store": true, "tools": [], "tool_choice": "auto", "include": [], "reasoning": {}})",
      kLimits);
  EXPECT_EQ(text.kind, ApiRequest::Kind::kResponse);
  ASSERT_EQ(text.messages.size(), 2);
  EXPECT_EQ(text.messages[0].role, "system");
  EXPECT_EQ(text.messages[1].content, "Hi");
  EXPECT_EQ(text.max_tokens, 7);
  const ApiRequest list = parse_response_request(
      R"({"input": [{"role": "developer", "content": "Be brief."},
          {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
          {"type": "message", "id": "msg", "status": "completed", "role": "assistant",
           "content": [{"type": "output_text", "text": "b", "annotations": []}]},
          {"role": "user", "content": "c"}],
          "text": {"format": {"type": "json_schema", "name": "n", "strict": true,
                              "schema": {"type": "array"}}, "verbosity": "low"}})",
      kLimits);
  EXPECT_EQ(list.messages.size(), 4);
  EXPECT_EQ(list.umf.reward["schema"]["type"], "array");
  EXPECT_THAT(list.messages[0].content, HasSubstr("Be brief.\n\nAnswer with JSON"));
}

TEST(ApiRequest, MistakesInAResponseAreNamed) {
  const auto ask = [](const std::string& fields) {
    parse_response_request("{" + fields + "}", kLimits);
  };
  expect_refused([&] { ask(""); }, "input", "a string or a list");
  expect_refused([&] { ask(R"("input": [])"); }, "input", "a string or a list");
  expect_refused([&] { ask(R"("input": "a", "previous_response_id": "r")"); },
                 "previous_response_id", "keeps no responses");
  expect_refused([&] { ask(R"("input": [{"type": "item_reference", "id": "x"}])"); }, "input[0].id",
                 "keeps no responses");
  expect_refused([&] { ask(R"("input": [{"type": "function_call_output"}])"); }, "input[0].type",
                 "only text");
  expect_refused(
      [&] { ask(R"("input": [{"role": "user", "content": [{"type": "input_image"}]}])"); },
      "input[0].content[0].type", "input_text");
  expect_refused([&] { ask(R"("input": "a", "tools": [{}])"); }, "tools", "not supported");
  expect_refused([&] { ask(R"("input": "a", "background": true)"); }, "background",
                 "not supported");
  expect_refused([&] { ask(R"("input": "a", "n": 2)"); }, "n", "one answer");
  expect_refused([&] { ask(R"("input": "a", "max_output_tokens": 101)"); }, "max_output_tokens",
                 "from 1 to 100");
  expect_refused([&] { ask(R"("input": "a", "inptu": 1)"); }, "inptu", "leave it out");
}

// lm-eval's form.
TEST(ApiRequest, MessagesMayHaveATypeAndAName) {
  const ApiRequest request = parse_chat_request(
      R"({"messages": [{"role": "user", "content": "Hi", "type": "text", "name": "Ann"}]})",
      kLimits);
  EXPECT_EQ(request.messages[0].content, "Hi");
  expect_refused(
      [] {
        parse_chat_request(R"({"messages": [{"role": "user", "content": "Hi", "type": "image"}]})",
                           kLimits);
      },
      "messages[0].type", "not supported");
}

}  // namespace
}  // namespace umf
