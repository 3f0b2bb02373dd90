// umf serve on two devices. Here the cpu backend's only one is listed twice: each time it is a
// device of its own.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kTwo = {"--backend", "cpu", "--devices", "0,0"};

std::string running(int device, int jobs) {
  return "umf_device_jobs_running{device=\"" + std::to_string(device) + "\"} " +
         std::to_string(jobs);
}

// A request that keeps a device busy until its client leaves.
struct Endless {
  explicit Endless(const Server& server) : client(server.port()) {
    client.send(http_post(kChatPath, endless_body()));
  }
  Client client;
};

// Which device a server's only job is on.
int busy_device(const Server& server) {
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 1"));
  return server.shows(running(0, 1)) ? 0 : 1;
}

const std::string kSearch =
    R"("model": "dream", "max_tokens": 12, "umf": {"search": "unmaskfork", "budget": 60,
        "models": ["dream", "llada"], "stop_at_reward": "never",
        "reward": {"type": "text", "checks": [{"contains": "a"}]}})";

// Answers without what differs from request to request.
Json answer(const HttpReply& reply) {
  EXPECT_EQ(reply.status, 200) << reply.body;
  Json json = reply.json();
  for (const char* key : {"id", "created"}) json.erase(key);
  if (json.contains("umf")) json["umf"].erase("seconds");
  return json;
}

std::vector<Json> answers(const Server& server) {
  std::vector<Json> all;
  for (const std::string& fields :
       {std::string(R"("model": "llada", "max_tokens": 24, "temperature": 0.8, "seed": 3)"),
        std::string(R"("model": "dream", "max_tokens": 24, "n": 2)"), kSearch})
    all.push_back(answer(server.chat("Hello", fields)));
  return all;
}

TEST(ServeDevices, TwoRequestsRunAtOnceAndTheThirdWaits) {
  const Server server(kTwo);
  Endless one(server), other(server);
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 2"));
  EXPECT_TRUE(server.shows(running(0, 1)));
  EXPECT_TRUE(server.shows(running(1, 1)));
  Client third(server.port());
  third.send(http_post(kChatPath, chat_body("Hi", R"("max_tokens": 4)")));
  EXPECT_TRUE(server.comes_to_show("umf_jobs_waiting 1"));
  EXPECT_TRUE(server.shows("umf_jobs_running 2"));
  one.client.leave();
  EXPECT_EQ(third.reply().status, 200) << "on the device that became free";
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 1")) << "the other one goes on";
}

TEST(ServeDevices, AnswersDependNeitherOnTheDeviceNorOnWhatRunsBesideThem) {
  const std::vector<Json> expected = answers(Server({"--backend", "cpu"}));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--place", "dream=1,llada=0"}}) {
    std::vector<std::string> words = kTwo;
    words.insert(words.end(), more.begin(), more.end());
    const Server server(words);
    EXPECT_EQ(answers(server), expected) << "one after the other";
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 0"));
    auto busy = std::make_unique<Endless>(server);
    const int first = busy_device(server);
    EXPECT_EQ(answers(server), expected) << "on the other device";
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 1"));
    auto second = std::make_unique<Endless>(server);
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 2"));
    busy.reset();
    EXPECT_TRUE(server.comes_to_show(running(first, 0)));
    EXPECT_EQ(answers(server), expected) << "on this one";
    EXPECT_TRUE(server.shows(running(1 - first, 1)));
  }
}

TEST(ServeDevices, WhatFailsOnOneDeviceDoesNotDisturbTheOther) {
  std::vector<std::string> words = kTwo;
  words.insert(words.end(), {"--allow-reward", "command"});
  const Server server(words);
  Endless steady(server);
  const int busy = busy_device(server);
  // Found out on the device: the judge cannot judge, or the client leaves.
  const std::string broken = R"("max_tokens": 8, "umf": {"search": "best-of-n", "budget": 16,
      "reward": {"type": "command", "argv": ["/no/such/judge"]}})";
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(server.chat("Hi", broken).status, 400);
    Endless left(server);
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 2"));
    left.client.leave();
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 1"));
  }
  expect_alive(server);
  EXPECT_TRUE(server.shows(running(busy, 1)));
}

TEST(ServeDevices, ShutdownEndsTheRequestsOfAllDevices) {
  std::vector<std::string> words = kTwo;
  words.insert(words.end(), {"--grace-seconds", "0"});
  Server server(words);
  Endless one(server), other(server), waiting(server);
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 2"));
  EXPECT_TRUE(server.comes_to_show("umf_jobs_waiting 1"));
  server.process().send(SIGTERM);
  for (Endless* client : {&one, &other, &waiting}) {
    const HttpReply reply = client->client.reply();
    EXPECT_EQ(reply.status, 503) << reply.body;
  }
}

TEST(ServeDevices, SolvesOfTheLivePageRunBesideEachOther) {
  const Server server(kTwo);
  const auto solve = [](int budget, const std::string& length) {
    return R"({"problem": {"id": "p", "prompt": "Write.", "reward": {"type": "text",
        "checks": [{"contains": "never"}]}}, "max_tokens": )" +
           length + R"(, "umf": {"search": "best-of-n", "budget": )" + std::to_string(budget) +
           "}}";
  };
  const std::string endless =
      server.post("/v1/solves", solve(1000000, "3000")).json().at("id").get<std::string>();
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 1"));
  const std::string brief =
      server.post("/v1/solves", solve(16, "8")).json().at("id").get<std::string>();
  EXPECT_THAT(server.get("/v1/solves/" + brief + "/events").body, HasSubstr("event: end"));
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 1"));
  const Json solves = server.get("/v1/solves").json().at("solves");
  ASSERT_EQ(solves.size(), 2);
  EXPECT_EQ(solves[0].at("phase"), "over");
  EXPECT_NE(solves[1].at("phase"), "over") << "the first goes on";
  EXPECT_EQ(server.post("/v1/solves/" + endless + "/stop", "").status, 200);
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 0"));
}

TEST(ServeDevices, MistakesEndTheStart) {
  const std::string model = "llada=" + tiny("tiny-llada");
  expect_refusal(
      umf({"serve", "--port", "0", "--model", model, "--backend", "cpu", "--devices", "0,1"}),
      "backend 'cpu' has no device 1 here; it has 0 (");
  expect_refusal(umf({"serve", "--port", "0", "--model", model, "--backend", "cpu", "--devices",
                      "0,0", "--place", "dream=1"}),
                 "there is no model 'dream'; the models are llada");
}

}  // namespace
}  // namespace umf
