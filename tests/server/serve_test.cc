// umf serve as its clients see it.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

std::string generated(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"generate", "--quiet", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Finished run = umf(words);
  EXPECT_EQ(run.status, 0) << run.err;
  return Json::parse(run.out).at("answer");
}

TEST(Serve, AChatIsAnsweredAsByGenerate) {
  const Server server;
  const HttpReply reply = server.chat("Hello", R"("model": "llada", "max_tokens": 24)");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.json();
  EXPECT_EQ(reply.text(), generated({"--model", tiny("tiny-llada"), "--length", "24", "Hello"}));
  EXPECT_EQ(json["object"], "chat.completion");
  EXPECT_EQ(json["model"], "llada");
  EXPECT_EQ(json["choices"][0]["message"]["role"], "assistant");
  EXPECT_LE(json["usage"]["nfe"], 24);
  EXPECT_EQ(
      json["usage"]["total_tokens"].get<int>(),
      json["usage"]["prompt_tokens"].get<int>() + json["usage"]["completion_tokens"].get<int>());
  const HttpReply dream = server.chat("Hello", R"("model": "dream", "max_tokens": 24, "seed": 3)");
  EXPECT_EQ(dream.text(),
            generated({"--model", tiny("tiny-dream"), "--length", "24", "--seed", "3", "Hello"}));
}

TEST(Serve, ACompletionIsAnsweredAsByRawGenerate) {
  const Server server;
  const std::string expected =
      generated({"--model", tiny("tiny-llada"), "--raw", "--length", "12", "Once <|endoftext|>"});
  const HttpReply text =
      server.post(kTextPath, R"({"prompt": ["Once <|endoftext|>", "Twice"], "max_tokens": 12})");
  ASSERT_EQ(text.status, 200) << text.body;
  EXPECT_EQ(text.text(), expected);
  EXPECT_EQ(text.json()["choices"].size(), 2);
  const Finished ids = umf({"tokenize", "--model", tiny("tiny-llada")}, R"("Once <|endoftext|>")");
  const HttpReply tokens =
      server.post(kTextPath, R"({"prompt": )" + ids.out + R"(, "max_tokens": 12})");
  EXPECT_EQ(tokens.text(), expected);
}

TEST(Serve, AStreamGivesTheSameText) {
  const Server server;
  for (const std::string seed : {"1", "2", "3"}) {
    const std::string fields =
        R"("model": "dream", "max_tokens": 32, "temperature": 0.8, "seed": )" + seed;
    const HttpReply whole = server.chat("Hello", fields);
    const HttpReply stream = server.chat(
        "Hello", fields + R"(, "stream": true, "stream_options": {"include_usage": true})");
    EXPECT_EQ(stream.headers.at("content-type"), "text/event-stream");
    const auto events = chunks_of(stream.body);
    EXPECT_EQ(streamed_text(events, 0), whole.text());
    EXPECT_EQ(events.back()["usage"], whole.json()["usage"]);
    EXPECT_EQ(events.front()["choices"][0]["delta"]["role"], "assistant");
  }
}

TEST(Serve, SeveralAnswersHaveTheSeedsThatFollow) {
  const Server server;
  const std::string fields = R"("model": "dream", "max_tokens": 16, "temperature": 1.0, )";
  const HttpReply both = server.chat("Hello", fields + R"("seed": 5, "n": 2)");
  ASSERT_EQ(both.status, 200) << both.body;
  const Json choices = both.json()["choices"];
  ASSERT_EQ(choices.size(), 2);
  for (int i = 0; i < 2; ++i) {
    const HttpReply one = server.chat("Hello", fields + R"("seed": )" + std::to_string(5 + i));
    EXPECT_EQ(choices[i]["message"]["content"], one.text());
    EXPECT_EQ(choices[i]["index"], i);
  }
  EXPECT_NE(choices[0]["message"]["content"], choices[1]["message"]["content"]);
  const auto events =
      chunks_of(server.chat("Hello", fields + R"("seed": 5, "n": 2, "stream": true)").body);
  EXPECT_EQ(streamed_text(events, 1), choices[1]["message"]["content"]);
}

TEST(Serve, WithoutChanceThereIsOneAnswerAndItsPassesAreMadeOnce) {
  const Server server;
  const std::string fields = R"("max_tokens": 16, "temperature": 0)";
  const HttpReply one = server.chat("Hello", fields),
                  three = server.chat("Hello", fields + R"(, "n": 3)");
  ASSERT_EQ(three.status, 200) << three.body;
  const Json choices = three.json()["choices"];
  ASSERT_EQ(choices.size(), 3);
  for (const Json& choice : choices) EXPECT_EQ(choice["message"]["content"], one.text());
  EXPECT_EQ(three.json()["usage"]["nfe"], one.json()["usage"]["nfe"]);
  EXPECT_EQ(three.json()["umf"], Json::parse(R"({"same_as": [0, 0, 0]})"));
  EXPECT_FALSE(one.json().contains("umf"));
  const auto events = chunks_of(server.chat("Hello", fields + R"(, "n": 3, "stream": true)").body);
  EXPECT_EQ(streamed_text(events, 2), one.text());
}

TEST(Serve, APromptThatDoesNotFitIsToldSoBeforeTheSearch) {
  const Server server;
  std::string prompt;
  for (int i = 0; i < 5000; ++i) prompt += "word ";
  const std::string search = R"("max_tokens": 8, "umf": {"search": "best-of-n", "reward":
      {"type": "text", "checks": [{"contains": "x"}]}})";
  for (const std::string& fields : {std::string(R"("max_tokens": 8)"), search}) {
    for (const char* stream : {"", R"(, "stream": true)"}) {
      const HttpReply reply = server.chat(prompt, fields + stream);
      EXPECT_EQ(reply.status, 400) << reply.body;
      EXPECT_EQ(reply.code(), "context_length_exceeded");
      EXPECT_THAT(reply.error(),
                  testing::MatchesRegex(".*[0-9]+ prompt tokens (and 8 answer tokens do not fit "
                                        "the|in a) context of 4096.*"));
    }
  }
  EXPECT_EQ(server.post(kTextPath, Json{{"prompt", prompt}, {"max_tokens", 8}}.dump()).code(),
            "context_length_exceeded");
  EXPECT_EQ(server
                .post("/v1/solves",
                      Json{{"problem",
                            {{"id", "p"},
                             {"prompt", prompt},
                             {"reward", {{"type", "text"}, {"checks", {{{"contains", "x"}}}}}}}},
                           {"max_tokens", 8},
                           {"umf", {{"search", "dts"}}}}
                          .dump())
                .code(),
            "context_length_exceeded");
}

TEST(Serve, AStopStringCutsTheSameText) {
  const Server server;
  const std::string fields = R"("model": "dream", "max_tokens": 32, "seed": 9, "temperature": 1.0)";
  const std::string whole = server.chat("Hello", fields).text();
  ASSERT_GE(whole.size(), 6) << "choose another seed";
  const std::size_t middle = whole.find_last_of("abcdefghijklmnopqrstuvwxyz0123456789");
  ASSERT_NE(middle, std::string::npos) << "choose another seed";
  const std::string stop(1, whole[middle]);
  const HttpReply cut = server.chat("Hello", fields + ", \"stop\": " + Json(stop).dump());
  EXPECT_EQ(cut.text(), whole.substr(0, whole.find(stop)));
  EXPECT_EQ(cut.json()["choices"][0]["finish_reason"], "stop");
}

TEST(Serve, SeveralModelsAnswerAsByGenerate) {
  const Server server;
  const Finished written =
      umf({"generate", "--model", tiny("tiny-dream"), "--model", tiny("tiny-llada"), "--length",
           "16", "--commit", "tau:0.05", "--json", "--quiet", "Write letters."});
  ASSERT_EQ(written.status, 0) << written.err;
  const HttpReply reply = server.chat("Write letters.", R"("max_tokens": 16, "umf": {"actions": [
      {"models": ["dream", "llada"], "rule": "relay", "commit": "tau:0.05"}]})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.text(), Json::parse(written.out)["answer"]);
  for (const char* wrong : {R"({"models": []})", R"({"models": "dream"})", R"({"models": [1]})",
                            R"({"models": ["dream", "nobody"]})"}) {
    const HttpReply refused =
        server.chat("Hi", std::string(R"("max_tokens": 8, "umf": {"actions": [)") + wrong + "]}");
    EXPECT_GE(refused.status, 400) << wrong;
    EXPECT_LT(refused.status, 500) << wrong;
  }
}

TEST(Serve, ASearchIsAnsweredAsBySolve) {
  const std::string reward =
      R"({"type": "text", "checks": [{"contains": "a"}, {"contains": "e"}, {"lacks": "q"}, {"contains": "#"}]})";
  const TemporaryDirectory folder;
  write_file(folder / "problem.json",
             R"({"id": "p", "prompt": "Write letters.", "reward": )" + reward + "}");
  const Finished solved = umf({"solve", (folder / "problem.json").string(), "--json", "--quiet",
                               "--model", "dream=" + tiny("tiny-dream"), "--model",
                               "llada=" + tiny("tiny-llada"), "--window", "16", "--budget", "120"});
  ASSERT_EQ(solved.status, 0) << solved.err;
  const Json expected = Json::parse(solved.out);
  const Server server;
  const std::string fields = R"("max_tokens": 16, "umf": {"search": "unmaskfork", "budget": 120,
      "models": ["dream", "llada"], "reward": )" +
                             reward;
  const HttpReply reply = server.chat("Write letters.", fields + "}");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.text(), expected["answer"]);
  for (const char* key : {"reward", "complete", "search", "actions", "best", "why"})
    EXPECT_EQ(reply.json()["umf"][key], expected[key]) << key;
  EXPECT_EQ(reply.json()["usage"]["nfe"], expected["search"]["nfe"]);

  const auto events = chunks_of(
      server
          .chat("Write letters.", R"("stream": true, )" + fields +
                                      R"(, "stream_rollouts": true, "stream_state": true})")
          .body);
  EXPECT_EQ(streamed_text(events, 0), expected["answer"]);
  long rollouts = 0, nfe = 0;
  for (const Json& event : events) {
    if (!event.contains("umf") || !event["umf"].contains("rollout")) continue;
    const Json& rollout = event["umf"]["rollout"];
    EXPECT_EQ(rollout["iteration"], ++rollouts);
    nfe += rollout["passes"].get<long>();
    EXPECT_EQ(rollout["nfe"], nfe);
  }
  EXPECT_EQ(rollouts, expected["search"]["rollouts"]);
}

TEST(Serve, StatesOfASearchInBlocksTellHowManyMasksAreActive) {
  const Server server;
  const auto active_masks = [&](const std::string& fields) {
    std::vector<Json> told;
    const HttpReply reply = server.chat("Write.", R"("max_tokens": 8, "stream": true,
        "umf": {"search": "best-of-n", "budget": 8, "stream_state": true, )" +
                                                      fields + R"(
        "reward": {"type": "text", "checks": [{"contains": "never"}]}})");
    for (const Json& event : chunks_of(reply.body)) {
      if (event.contains("umf") && event["umf"].contains("state"))
        told.push_back(event["umf"]["state"].value("active", Json()));
    }
    return told;
  };
  using testing::AnyOf, testing::Each, testing::IsEmpty;
  // Which of the states are seen depends on how fast they are read.
  EXPECT_THAT(active_masks(R"("block_length": 2,)"), AllOf(Not(IsEmpty()), Each(AnyOf(0, 1, 2))));
  EXPECT_THAT(active_masks(""), AllOf(Not(IsEmpty()), Each(Json()))) << "without blocks";
}

TEST(Serve, EverySearchRuns) {
  const Server server;
  const std::pair<const char*, const char*> searches[] = {{"unmaskfork", R"(["llada", "dream"])"},
                                                          {"pair", R"(["llada", "dream"])"},
                                                          {"ab-mcts-m", R"(["llada", "dream"])"},
                                                          {"ab-mcts-a", R"(["llada", "dream"])"},
                                                          {"best-of-n", R"(["llada"])"},
                                                          {"dts", R"(["llada"])"},
                                                          {"remdm", R"(["llada"])"},
                                                          {"treasure", R"(["llada"])"}};
  for (const auto& [search, models] : searches) {
    const HttpReply reply = server.chat(
        "Write.", std::string(R"("max_tokens": 8, "umf": {"search": ")") + search +
                      R"(", "budget": 32, "models": )" + models +
                      R"(, "reward": {"type": "text", "checks": [{"contains": "zz"}]}})");
    EXPECT_EQ(reply.status, 200) << search << ": " << reply.body;
  }
}

TEST(Serve, EarlierTurnsReachTheSearch) {
  const Server server;
  const auto ask = [&](const std::string& before) {
    return server.post(kChatPath,
                       R"({"messages": [)" + before + R"({"role": "user", "content": "And?"}],
        "max_tokens": 16, "umf": {"search": "best-of-n", "budget": 16,
        "reward": {"type": "text", "checks": [{"contains": "zz"}]}}})");
  };
  const HttpReply alone = ask(""), later = ask(R"({"role": "user", "content": "One."},
                                                  {"role": "assistant", "content": "Two."},)");
  ASSERT_EQ(later.status, 200) << later.body;
  EXPECT_GT(later.json()["usage"]["prompt_tokens"], alone.json()["usage"]["prompt_tokens"]);
}

TEST(Serve, ModelsAndHealth) {
  const Server server;
  EXPECT_EQ(server.get("/health").body, R"({"status":"ok"})");
  const Json list = server.get("/v1/models").json();
  EXPECT_EQ(list["data"][0]["id"], "llada");
  EXPECT_EQ(list["data"][1]["id"], "dream");
  EXPECT_EQ(server.get("/v1/models/dream").json()["umf"]["family"], "dream");
  EXPECT_EQ(server.get("/v1/models/other").code(), "model_not_found");
  EXPECT_EQ(server.get("/v1/models/..%2f..%2fetc%2fpasswd").status, 404);
}

TEST(Serve, MistakesAreExplained) {
  const Server server;
  const auto refused = [&](const std::string& fields, int status, const std::string& text) {
    const HttpReply reply = server.chat("Hi", fields);
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_THAT(reply.error(), HasSubstr(text));
  };
  refused(R"("model": "gpt-4")", 404, "no model of that name");
  refused(R"("max_tokens": 4096)", 400, "do not fit the context of 4096");
  refused(R"("umf": {"actions": [{"remask": "cap"}]})", 400, "remasking is for umf solve");
  refused(R"("umf": {"block_length": 5})", 400, "not a multiple");
  refused(R"("umf": {"search": "umaskfork", "reward": {"type": "text"}})", 400, "must be one of");
  refused(R"("umf": {"search": "dts", "reward": {"type": "text"}})", 400, "'checks'");
  refused(
      R"("umf": {"search": "dts", "options": {"x": 1}, "reward": {"type": "text", "checks": [{"lacks": "a"}]}})",
      400, "does not know");
  refused(R"("umf": {"search": "dts", "models": ["llada", "llada"], "reward": {"type": "text"}})",
          400, "twice");
  EXPECT_EQ(server.post(kTextPath, R"({"prompt": [319, 320]})").json()["error"]["param"], "prompt");
  EXPECT_EQ(server.post(kTextPath, R"({"prompt": [290], "max_tokens": 4})").status, 400)
      << "the mask";
}

TEST(Serve, RewardsThatRunThingsNeedTheOperator) {
  const std::string fields = R"("max_tokens": 8, "umf": {"search": "best-of-n", "budget": 8,
      "reward": {"type": "command", "argv": ["/bin/echo", "1"]}})";
  const HttpReply refused = Server().chat("Hi", fields);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.code(), "reward_not_allowed");
  const HttpReply inside = Server().chat("Hi", R"("umf": {"search": "best-of-n", "reward":
      {"type": "all", "of": [{"type": "text", "checks": [{"lacks": "a"}]},
                             {"type": "all", "of": [{"type": "command", "argv": ["/bin/echo", "1"]}]}]}})");
  EXPECT_EQ(inside.code(), "reward_not_allowed");
  const HttpReply allowed = Server({"--allow-reward", "command"}).chat("Hi", fields);
  EXPECT_EQ(allowed.status, 200) << allowed.body;
  EXPECT_EQ(allowed.json()["umf"]["reward"], 1.0);
}

TEST(Serve, AKeyIsAskedForWhereThereIsOne) {
  const Server server({"--api-key", "secret"});
  EXPECT_EQ(server.get("/health").status, 200);
  for (const char* path : {"/v1/models", "/metrics", "/nowhere"})
    EXPECT_EQ(server.get(path).status, 401) << path;
  EXPECT_EQ(server.chat("Hi").code(), "invalid_api_key");
  const HttpReply reply = server.send(
      "GET /v1/models HTTP/1.1\r\nHost: elsewhere.example\r\nAuthorization: Bearer secret\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
}

TEST(Serve, OtherAddressesNeedAKey) {
  const std::string model = tiny("tiny-llada");
  expect_refusal(umf({"serve", "--model", model, "--host", "0.0.0.0", "--port", "0"}),
                 "without a key");
  expect_refusal(umf({"serve", "--model", model, "--host", "0.0.0.0", "--api-key", ""}),
                 "without a key");
  expect_refusal(umf({"serve", "--model", model, "--allow-reward", "comand"}),
                 "--allow-reward takes python-tests, prm, command, evalplus, humaneval, mbpp, "
                 "livecodebench, not 'comand'");
  expect_refusal(umf({"serve", "--model", model, "--port", "70000"}), "--port must be from 0");
  expect_refusal(umf({"serve", "--model", "a=" + model, "--model", "a=" + model}), "called 'a'");
}

TEST(Serve, APortThatIsTakenIsAnError) {
  const Server server;
  expect_refusal(
      umf({"serve", "--model", tiny("tiny-llada"), "--port", std::to_string(server.port())}),
      "cannot listen");
}

}  // namespace
}  // namespace umf
