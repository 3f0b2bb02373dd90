// Configurations as models of umf serve.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kReward =
    R"({"type": "text", "checks": [{"contains": "a"}, {"contains": "e"}, {"contains": "#"}]})";

// A file with these keys beside the tiny models.
std::string with_models(const std::string& keys) {
  return R"({"model": ["dream=)" + tiny("tiny-dream") + R"(", "llada=)" + tiny("tiny-llada") +
         R"("], )" + keys + "}";
}

const std::string kRelay =
    R"("action": ["models=dream+llada,rule=relay,commit=tau:0.05", "model=llada,temperature=0.7",
                  "model=dream"],
       "closed-text": true, "window": 16, "seed": 3, "exploration": 2.5)";

class ServeConfiguration : public testing::Test {
 protected:
  std::string file(const std::string& text, const std::string& name = "tuned.json") const {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }
  // What umf solve finds with the same file.
  Json solved(const std::string& config, std::vector<std::string> more) const {
    const std::string problem =
        file(R"({"id": "p", "prompt": "Write letters.", "reward": )" + kReward + "}", "p.json");
    more.insert(more.begin(), {"solve", problem, "--config", config, "--json", "--quiet"});
    const Finished run = umf(more);
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out, nullptr, /*allow_exceptions=*/false);
  }
  static void expect_same(const HttpReply& reply, const Json& expected) {
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.text(), expected["answer"]);
    for (const char* key : {"reward", "complete", "search", "actions", "best", "why"})
      EXPECT_EQ(reply.json()["umf"][key], expected[key]) << key;
  }

  TemporaryDirectory folder_;
};

std::string judged(const std::string& fields) {
  return R"("umf": {"reward": )" + kReward + ", " + fields + "}";
}

TEST_F(ServeConfiguration, IsListedBehindTheModels) {
  const std::string tuned = file(with_models(kRelay + R"(, "about": "for letters")"));
  const std::string other =
      file(with_models(R"("name": "plain", "search": "ab-mcts-m")"), "x.json");
  const Server server({"--config", tuned, "--config", other});
  const Json list = server.get("/v1/models").json()["data"];
  std::vector<std::string> names;
  for (const Json& entry : list) names.push_back(entry["id"]);
  EXPECT_THAT(names, ElementsAre("llada", "dream", "tuned", "plain"));
  EXPECT_EQ(list[2]["object"], "model");
  EXPECT_EQ(list[2]["umf"], Json::parse(R"({"search": "unmaskfork", "models": ["dream", "llada"],
      "actions": ["models=dream+llada,rule=relay,commit=tau:0.05", "model=llada,temperature=0.7",
                  "model=dream"], "window": 16, "about": "for letters"})"));
  EXPECT_EQ(list[3]["umf"], Json::parse(R"({"search": "ab-mcts-m", "models": ["dream", "llada"],
      "actions": ["model=dream", "model=llada"], "window": 256})"));
  EXPECT_EQ(server.get("/v1/models/tuned").json(), list[2]);
  const Json about = server.get("/v1/about").json();
  EXPECT_EQ(about["models"].size(), 2) << "what can be chosen for a search";
  EXPECT_THAT(about["configurations"], ElementsAre(list[2], list[3]));
  EXPECT_EQ(server.chat("Hi", R"("max_tokens": 4)").json()["model"], "llada") << "the default";
}

TEST_F(ServeConfiguration, ASearchIsAnsweredAsBySolve) {
  const std::string config = file(with_models(kRelay));
  const Server server({"--config", config});
  const Json expected = solved(config, {"--budget", "100"});
  const std::string fields = R"("model": "tuned", "umf": {"budget": 100, "reward": )" + kReward;
  const HttpReply reply = server.chat("Write letters.", fields + "}");
  expect_same(reply, expected);
  EXPECT_EQ(reply.json()["model"], "tuned");
  expect_same(server.chat("Write letters.", fields + R"(, "search": "unmaskfork"})"), expected);
  const auto events =
      chunks_of(server.chat("Write letters.", R"("stream": true, )" + fields + "}").body);
  EXPECT_EQ(streamed_text(events, 0), expected["answer"]);
  EXPECT_EQ(events.front()["model"], "tuned");
}

TEST_F(ServeConfiguration, FieldsOfTheRequestStandAboveIt) {
  const std::string config = file(with_models(kRelay));
  const Server server({"--config", config});
  const Json expected =
      solved(config, {"--budget", "60", "--window", "12", "--seed", "5", "--stop-at-reward", "0.3",
                      "--ratios", "0.5", "--budget-policy", "skip", "--closed-text=false",
                      "--no-cache", "--exploration", "0.5"});
  const HttpReply reply = server.chat(
      "Write letters.",
      R"("model": "tuned", "max_tokens": 12, "seed": 5, )" +
          judged(R"("budget": 60, "stop_at_reward": 0.3, "ratios": "0.5", "closed_text": false,
                    "budget_policy": "skip", "cache": false, "options": {"exploration": 0.5})"));
  expect_same(reply, expected);
  expect_same(server.chat("Write letters.", R"("model": "tuned", )" + judged(R"("budget": 60)")),
              solved(config, {"--budget", "60"}));  // nothing of it stays behind
}

TEST_F(ServeConfiguration, OptionsOfItsSearchAreKept) {
  const std::string text = R"("search": "pair", "window": 8, "action":
      ["model=dream,temperature=1", "model=llada,temperature=1"], "pair-method": )";
  const std::string config = file(with_models(text + R"("dts")"));
  const Server server({"--config", config});
  const std::vector<std::string> budget = {"--budget", "80"};
  const Json expected = solved(config, budget);
  EXPECT_NE(expected["search"],
            solved(file(with_models(text + R"("best-of-n")"), "b.json"), budget)["search"]);
  expect_same(server.chat("Write letters.", R"("model": "tuned", )" + judged(R"("budget": 80)")),
              expected);
}

TEST_F(ServeConfiguration, APresetIsServedAsItIsSolved) {
  const std::string config =
      file(R"({"preset": "umf-code", "model": ["dream-coder=)" + tiny("tiny-dream") +
           R"(", "llada=)" + tiny("tiny-llada") + R"("], "window": 8})");
  const Server server({"--config", config}, {});
  expect_same(server.chat("Write letters.", R"("model": "tuned", )" + judged(R"("budget": 40)")),
              solved(config, {"--budget", "40"}));
  const HttpReply plain = server.chat("Write letters.", R"("model": "tuned")");
  const HttpReply named = server.chat("Write letters.", R"("max_tokens": 8, "umf": {"actions":
      [{"model": "dream-coder", "strategy": "entropy", "commit": "one", "temperature": 0.1}]})");
  EXPECT_EQ(plain.text(), named.text());
}

TEST_F(ServeConfiguration, ASolveIsThatOfUmfSolve) {
  const std::string config = file(with_models(kRelay));
  const Server server({"--config", config});
  const HttpReply started = server.post(
      "/v1/solves", R"({"problem": {"id": "p", "prompt": "Write letters.", "reward": )" + kReward +
                        R"(}, "model": "tuned", "umf": {"budget": 100}})");
  ASSERT_EQ(started.status, 201) << started.body;
  const std::string id = started.json()["id"];
  const std::string body = server.get("/v1/solves/" + id + "/events").body;
  const std::size_t end = body.find("event: end\ndata: ");
  ASSERT_NE(end, std::string::npos) << body;
  const Json last = Json::parse(body.substr(end + 17));
  const Json expected = solved(config, {"--budget", "100"});
  for (const char* key : {"answer", "reward", "search", "actions", "best"})
    EXPECT_EQ(last[key], expected[key]) << key;
}

TEST_F(ServeConfiguration, WithoutARewardItsFirstActionWrites) {
  const Server server({"--config", file(with_models(kRelay))});
  const std::string action =
      R"("seed": 3, "umf": {"actions": [{"models": ["dream", "llada"], "rule": "relay", "commit": "tau:0.05"}]})";
  for (const std::string length : {"", R"("max_tokens": 24, )"}) {
    const std::string given = length.empty() ? R"("max_tokens": 16, )" : length;
    const HttpReply named = server.chat("Write letters.", given + action);
    const HttpReply reply = server.chat("Write letters.", length + R"("model": "tuned")");
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.json()["choices"], named.json()["choices"]);
    EXPECT_EQ(reply.json()["usage"], named.json()["usage"]);
    EXPECT_EQ(reply.json()["model"], "tuned");
    const HttpReply stream =
        server.chat("Write letters.", length + R"("model": "tuned", "stream": true)");
    EXPECT_EQ(streamed_text(chunks_of(stream.body), 0), named.text());
  }
  const HttpReply text = server.post(kTextPath, R"({"prompt": "Once", "model": "tuned"})");
  EXPECT_EQ(
      text.text(),
      server.post(kTextPath, R"({"prompt": "Once", "max_tokens": 16, )" + action + "}").text());
  const Finished written =
      umf({"generate", "--model", tiny("tiny-dream"), "--model", tiny("tiny-llada"), "--length",
           "16", "--commit", "tau:0.05", "--seed", "3", "--json", "--quiet", "Write letters."});
  EXPECT_EQ(server.chat("Write letters.", R"("model": "tuned")").text(),
            Json::parse(written.out)["answer"]);
}

// Many clients send a temperature with every request.
TEST_F(ServeConfiguration, LeavesATemperatureAsideAndSaysSo) {
  const Server server({"--config", file(with_models(kRelay))});
  const HttpReply plain = server.chat("Write letters.", R"("model": "tuned")");
  const HttpReply warm =
      server.chat("Write letters.", R"("model": "tuned", "temperature": 0.9, "top_p": 0.5)");
  ASSERT_EQ(warm.status, 200) << warm.body;
  EXPECT_EQ(warm.text(), plain.text());
  EXPECT_EQ(warm.json()["umf"]["ignored"], Json({"temperature", "top_p"}));
  EXPECT_FALSE(plain.json().contains("umf"));
  const HttpReply searched = server.chat(
      "Write letters.", R"("model": "tuned", "temperature": 0, )" + judged(R"("budget": 9)"));
  EXPECT_EQ(searched.json()["umf"]["ignored"], Json({"temperature"}));
  EXPECT_EQ(searched.json()["umf"]["search"]["nfe"], 9);
}

TEST_F(ServeConfiguration, MistakesOfRequestsNameTheField) {
  const Server server(
      {"--config", file(with_models(kRelay)), "--config",
       file(with_models(R"("search": "remdm", "action": ["model=dream,remask=cap"])"), "r.json")});
  const auto refused = [&](const std::string& fields, const std::string& param,
                           const std::string& text) {
    const HttpReply reply = server.chat("Hi", R"("model": "tuned", )" + fields);
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_EQ(reply.json()["error"]["param"], param);
    EXPECT_THAT(reply.error(), HasSubstr(text));
  };
  refused(judged(R"("models": ["dream"])"), "umf.models", "the configuration");
  refused(judged(R"("actions": [{"model": "dream"}])"), "umf.actions", "the configuration");
  refused(judged(R"("search": "dts")"), "umf.search", "the configuration");
  refused(R"("umf": {"budget": 9})", "umf.budget", "for searches");
  refused(R"("umf": {"search": "unmaskfork"})", "umf.reward", "missing");
  refused(judged(R"("options": {"x": 1})"), "umf.options", "does not know");
  refused(judged(R"("options": {"exploration": "much"})"), "umf.options.exploration", "a number");
  EXPECT_EQ(server.post(kTextPath, R"({"prompt": [1, 2], "model": "tuned"})").status, 400)
      << "several models read it";
  EXPECT_THAT(server.chat("Hi", R"("model": "r")").error(), HasSubstr("remasking is for"));
  // It is no model of a search.
  for (const char* fields : {R"("search": "dts", "models": ["tuned"])",
                             R"("search": "dts", "actions": [{"model": "tuned"}])"})
    EXPECT_EQ(server.chat("Hi", judged(fields)).code(), "model_not_found") << fields;
}

TEST_F(ServeConfiguration, ItsModelsAreServedToo) {
  const Server server({"--config", file(with_models(kRelay))}, {});
  const Json list = server.get("/v1/models").json()["data"];
  ASSERT_EQ(list.size(), 3);
  EXPECT_EQ(list[0]["id"], "dream");
  EXPECT_EQ(list[1]["id"], "llada");
  EXPECT_EQ(server.chat("Hi", R"("max_tokens": 4)").json()["model"], "dream");
  // The same place by another name, or by another path, is the same model.
  const Server more({"--model", "d=" + tiny("tiny-dream"), "--model",
                     "llada=" + tiny("tiny-llada") + "/.", "--config", file(with_models(kRelay))},
                    {});
  EXPECT_EQ(more.get("/v1/models").json()["data"].size(), 4);
}

TEST_F(ServeConfiguration, MistakesOfTheOperatorNameTheFile) {
  const auto refused = [&](const std::string& text, const std::string& what,
                           std::vector<std::string> more = {},
                           const std::string& name = "tuned.json") {
    more.insert(more.begin(), {"serve", "--port", "0", "--config", file(text, name)});
    expect_refusal(umf(more), what);
  };
  const std::string llada = tiny("tiny-llada"), whole = with_models(kRelay);
  refused("[]", "tuned.json must be an object of options");
  refused("{", "tuned.json");
  refused(R"({"bugdet": 1})", "bugdet");
  refused(R"({"budget": 1})", "budget");
  refused(R"({"window": -1})", "tuned.json: --window must not be negative");
  refused(R"({"model": ["a=/nowhere"]})", "/nowhere");
  refused(R"({"preset": "none"})", "there is no preset 'none'");
  refused(with_models(R"("search": "none")"), "none");
  refused(with_models(R"("ratios": "2")"), "tuned.json: '2' is no ratio");
  refused(with_models(R"("action": ["model=nobody"])"), "no --model is called 'nobody'");
  refused(with_models(R"("action": ["model=dream,stratgy=x"])"), "stratgy");
  refused(with_models(R"("action": ["strategy=random"])"), "needs model=NAME");
  refused(with_models(R"("name": 1)"), "'name' must be text");
  refused(with_models(R"("name": "a b")"), "'a b' is none");
  refused(whole, "'my tuned' is none", {}, "my tuned.json");
  refused(with_models(R"("name": "llada")"), "called 'llada', too");
  refused(whole, "called 'tuned', too", {"--model", "tuned=" + llada});
  refused(whole, "called 'tuned', too", {"--config", (folder_ / "tuned.json").string()});
  refused(whole, "tuned.json: model 'dream' is " + tiny("tiny-dream"),
          {"--model", "dream=" + llada});
  refused(whole, "model 'dream' is " + llada,
          {"--config", file(R"({"model": ["dream=)" + llada + R"("]})", "other.json")});
  expect_refusal(umf({"serve", "--config", "/nowhere.json"}), "/nowhere.json");
}

}  // namespace
}  // namespace umf
