// umf serve and judges that take long, or could never judge.
#include <algorithm>

#include "sandbox/sandbox.h"
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Tests whose setup sleeps for longer than any test here waits.
constexpr const char* kSleepingReward =
    R"x({"type": "python-tests", "timeout_ms": 250000, "setup": "import time\ntime.sleep(100000)",
         "tests": [{"assert": "True"}]})x";

std::string judged_by(const std::string& reward) {
  return R"("max_tokens": 8, "umf": {"search": "best-of-n", "budget": 64, "actions":
      [{"temperature": 1}], "reward": )" +
         reward + "}";
}

std::string sleeping_body(const std::string& fields = "") {
  return chat_body("Write.", judged_by(kSleepingReward) + fields);
}

// Passes are made in no time, so that a search with this many is being judged.
bool comes_to_judge(const Server& server) {
  if (!server.comes_to_show("umf_jobs_running 1")) return false;
  std::this_thread::sleep_for(std::chrono::seconds(2));
  return server.shows("umf_jobs_running 1");
}

class ServeJudging : public testing::Test {
 protected:
  void SetUp() override {
    const auto usable = [](const Isolation& isolation) { return isolation.objection.empty(); };
    if (std::ranges::none_of(isolations(), usable)) GTEST_SKIP() << "no sandbox on this machine";
  }
};

TEST_F(ServeJudging, AClientThatLeavesTakesItsJudgeAlong) {
  const Server server;
  for (const char* fields : {"", R"(, "stream": true)"}) {
    Client client(server.port());
    client.send(http_post(kChatPath, sleeping_body(fields)));
    ASSERT_TRUE(comes_to_judge(server));
    client.leave();
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 0"));
  }
  expect_alive(server);
}

TEST_F(ServeJudging, TheTimeLimitOfAJobHoldsWhileItIsJudged) {
  const Server server({"--job-seconds", "3"});
  const HttpReply reply = server.post(kChatPath, sleeping_body());
  EXPECT_THAT(reply.status, AnyOf(504, 200)) << reply.body;  // 200: an answer that nobody judged
  expect_alive(server);
}

TEST_F(ServeJudging, AStoppedSolveEndsItsJudge) {
  const Server server;
  const HttpReply begun = server.post(
      "/v1/solves", std::string(R"({"problem": {"id": "p", "prompt": "x", "reward": )") +
                        kSleepingReward + R"(}, "max_tokens": 8, "umf": {"search": "dts"}})");
  ASSERT_EQ(begun.status, 201) << begun.body;
  ASSERT_TRUE(comes_to_judge(server));
  const std::string path = "/v1/solves/" + begun.json()["id"].get<std::string>();
  EXPECT_EQ(server.post(path + "/stop", "{}").status, 200);
  EXPECT_THAT(server.get(path + "/events").body, HasSubstr("event: end"));
  expect_alive(server);
}

TEST_F(ServeJudging, ShutdownDoesNotWaitForAJudge) {
  Server server({"--grace-seconds", "1"});
  Client client(server.port());
  client.send(http_post(kChatPath, sleeping_body()));
  ASSERT_TRUE(comes_to_judge(server));
  server.process().send(SIGTERM);
  EXPECT_THAT(client.reply().status, AnyOf(503, 200));
  EXPECT_EQ(server.process().wait().status, 0);
}

TEST_F(ServeJudging, TestsThatCouldTakeTooLongAreRefused) {
  const Server server({"--judge-seconds", "30"});
  const auto refused = [&](const std::string& reward, const std::string& param) {
    const HttpReply reply = server.chat("Hi", judged_by(reward));
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_EQ(reply.json()["error"]["param"], param) << reply.body;
  };
  const std::string test = R"({"assert": "True"})";
  refused(R"({"type": "python-tests", "timeout_ms": 16000, "tests": [)" + test + "]}",
          "umf.reward.timeout_ms");
  std::string tests = test;
  for (int i = 0; i < 5; ++i) tests += ", " + test;
  refused(R"({"type": "python-tests", "tests": [)" + tests + "]}", "umf.reward.timeout_ms");
  const std::string half =
      R"({"type": "python-tests", "timeout_ms": 8000, "tests": [)" + test + "]}";
  refused(R"({"type": "all", "of": [)" + half + ", " + half + "]}", "umf.reward.timeout_ms");
  for (int i = 0; i < 1000; ++i) tests += ", " + test;
  refused(R"({"type": "python-tests", "timeout_ms": 1, "tests": [)" + tests + "]}",
          "umf.reward.tests");
  EXPECT_EQ(server.chat("Hi", judged_by(half)).status, 200);
}

}  // namespace
}  // namespace umf
