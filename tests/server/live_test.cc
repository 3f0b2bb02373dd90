// Solves that several people watch, over sockets.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

constexpr const char* kSolves = "/v1/solves";

std::string solve_body(const std::string& umf, const std::string& checks = R"([{"lacks": "a"}])",
                       const std::string& fields = R"("max_tokens": 16)") {
  return R"({"problem": {"id": "p", "prompt": "Write.", "reward": {"type": "text", "checks": )" +
         checks + "}}, " + fields + R"(, "umf": {)" + umf + "}}";
}

// Judged 0 for ever, with more to try than any test waits for.
std::string endless_solve() {
  return solve_body(R"("search": "best-of-n", "budget": 1000000)", R"([{"contains": "never"}])",
                    R"("max_tokens": 3000)");
}

struct Event {
  std::string kind;
  Json data;
};

std::vector<Event> events_of(const std::string& body) {
  std::vector<Event> events;
  std::istringstream lines(body);
  std::string kind;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("event: ")) kind = line.substr(7);
    if (line.starts_with("data: ")) events.push_back({kind, Json::parse(line.substr(6))});
  }
  return events;
}

std::vector<Event> without_pictures(std::vector<Event> events) {
  std::erase_if(events, [](const Event& event) { return event.kind == "state"; });
  return events;
}

std::string start(const Server& server, const std::string& body) {
  const HttpReply reply = server.post(kSolves, body);
  EXPECT_EQ(reply.status, 201) << reply.body;
  return reply.json().at("id");
}

std::string path_of(const std::string& id, const std::string& what) {
  return std::string(kSolves) + "/" + id + "/" + what;
}

TEST(ServeLive, TheEventsAreThoseOfSolve) {
  const Server server;
  const std::string id = start(
      server, solve_body(R"("search": "unmaskfork", "models": ["llada", "dream"], "budget": 80,
                            "stop_at_reward": "never")"));
  const auto events = without_pictures(events_of(server.get(path_of(id, "events")).body));
  ASSERT_GE(events.size(), 3);
  EXPECT_EQ(events.front().kind, "begin");
  EXPECT_EQ(events.front().data["problem"]["prompt"], "Write.");
  EXPECT_EQ(events.front().data["actions"][1]["model"], "dream");
  EXPECT_EQ(events.back().kind, "end");

  const TemporaryDirectory directory;
  write_file(
      directory / "problem.json",
      R"({"id": "p", "prompt": "Write.", "reward": {"type": "text", "checks": [{"lacks": "a"}]}})");
  const Finished run =
      umf({"solve", directory / "problem.json", "--model", "llada=" + tiny("tiny-llada"), "--model",
           "dream=" + tiny("tiny-dream"), "--window", "16", "--budget", "80", "--stop-at-reward",
           "never", "--json", "--quiet"});
  const Json solved = Json::parse(run.out);
  EXPECT_EQ(events.back().data["answer"], solved["answer"]);
  EXPECT_EQ(events.back().data["search"], solved["search"]);
  EXPECT_EQ(events.size(), 2 + solved["search"]["rollouts"].get<std::size_t>());
}

TEST(ServeLive, EventsSayWhatWasAskedWhatAPassWroteAndHowLongItTook) {
  const Server server;
  const std::string id =
      start(server, R"({"problem": {"id": "p", "prompt": "Write.", "system": "Be brief.",
                        "reward": {"type": "text", "checks": [{"contains": "never"}]}},
                        "max_tokens": 16, "seed": 7,
                        "umf": {"search": "best-of-n", "models": ["dream"], "budget": 1000000}})");
  Client viewer(server.port());
  viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(viewer.await("event: rollout"));
  server.post(path_of(id, "stop"), "{}");
  const auto events = events_of(viewer.reply().body);
  const Json& begin = events.front().data;
  EXPECT_EQ(begin["problem"]["system"], "Be brief.");
  EXPECT_EQ(begin["seed"], 7);
  EXPECT_EQ(begin["models"], Json({"dream"}));
  double seconds = 0;
  for (const Event& event : events) {
    if (event.kind != "state") continue;
    EXPECT_GE(event.data["seconds"], seconds);
    seconds = event.data["seconds"];
    ASSERT_EQ(event.data["written"].size(), 1) << "one cell in every pass";
    EXPECT_LT(event.data["written"][0], 16);
  }
  EXPECT_GT(seconds, 0);
  EXPECT_GE(events.back().data["seconds"], seconds);
  const Json listed = server.get(kSolves).json()["solves"][0];
  EXPECT_EQ(listed["search"], "best-of-n");
  EXPECT_EQ(listed["models"], Json({"dream"}));
}

// What the live page asks for to show one model alone.
TEST(ServeLive, TheFirstRolloutWithOneActionIsThePlainAnswer) {
  const Server server;
  for (const std::string model : {"llada", "dream"}) {
    const std::string id = start(
        server, solve_body(R"("search": "unmaskfork", "models": [")" + model + R"("], "budget": 32,
                                                       "stop_at_reward": -1e300)"));
    const auto events = without_pictures(events_of(server.get(path_of(id, "events")).body));
    ASSERT_EQ(events.size(), 3) << "one rollout";
    const Json plain =
        server
            .post("/v1/chat/completions", R"({"model": ")" + model + R"(", "max_tokens": 16,
                                     "messages": [{"role": "user", "content": "Write."}]})")
            .json();
    EXPECT_EQ(events.back().data["answer"], plain["choices"][0]["message"]["content"]);
    EXPECT_LE(events.back().data["search"]["nfe"], 16);
  }
}

TEST(ServeLive, SeveralViewersGetTheSameAlsoWhenTheyComeLate) {
  const Server server;
  const std::string id =
      start(server, solve_body(R"("search": "best-of-n", "budget": 1000000)",
                               R"([{"contains": "never"}])", R"("max_tokens": 64)"));
  Client early[] = {Client(server.port()), Client(server.port())};
  for (Client& viewer : early) {
    viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(viewer.await("event: state")) << "who is early sees pictures, too";
    ASSERT_TRUE(viewer.await("event: rollout"));
  }
  server.post(path_of(id, "stop"), "{}");
  const auto heard = without_pictures(events_of(early[0].reply().body));
  const auto late = events_of(server.get(path_of(id, "events")).body);
  EXPECT_EQ(without_pictures(late).size(), late.size()) << "of what is over there is none";
  ASSERT_GE(heard.size(), 3);
  for (const auto& other : {without_pictures(events_of(early[1].reply().body)), late}) {
    ASSERT_EQ(other.size(), heard.size());
    for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(other[i].data, heard[i].data);
  }
}

TEST(ServeLive, PicturesTellHowManyMasksAreOfTheBlockThatIsBeingFilled) {
  const Server server;
  for (const bool blocks : {false, true}) {
    const std::string id =
        start(server, solve_body(std::string(R"("search": "best-of-n", "budget": 1000000)") +
                                     (blocks ? R"(, "block_length": 4)" : ""),
                                 R"([{"contains": "never"}])"));
    Client viewer(server.port());
    viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(viewer.await("event: state"));
    server.post(path_of(id, "stop"), "{}");
    for (const Event& event : events_of(viewer.reply().body)) {
      if (event.kind != "state") continue;
      ASSERT_EQ(event.data.contains("active"), blocks) << event.data;
      if (!blocks) continue;
      int masks = 0;
      for (const Json& cell : event.data["window"]) {
        if (cell.is_number()) masks += std::max(0, cell.get<int>());
      }
      EXPECT_EQ(event.data["active"], masks == 0 ? 0 : (masks - 1) % 4 + 1);
    }
  }
}

TEST(ServeLive, ALostViewerGoesOnWhereItWas) {
  const Server server;
  const std::string id = start(server, solve_body(R"("search": "best-of-n", "budget": 64,
                                                     "stop_at_reward": "never")"));
  const auto all = without_pictures(events_of(server.get(path_of(id, "events")).body));
  const auto ask = [&](const std::string& last) {
    return server.send("GET " + path_of(id, "events") +
                       " HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: " + last + "\r\n\r\n");
  };
  EXPECT_EQ(events_of(ask("2").body).size(), all.size() - 2);
  EXPECT_EQ(events_of(ask("999999").body).size(), 0);
  for (const char* wrong : {"-1", "x", "1x", "99999999999999999999999"})
    EXPECT_EQ(ask(wrong).status, 400) << wrong;
}

TEST(ServeLive, ASolveOutlivesItsViewersUntilItIsStopped) {
  const Server server;
  const std::string id = start(server, endless_solve());
  {
    Client viewer(server.port());
    viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(viewer.await("event: state"));
  }
  EXPECT_EQ(server.get(kSolves).json()["solves"][0]["phase"], "running");
  EXPECT_EQ(server.post(path_of(id, "stop"), "{}").status, 200);
  const auto events = events_of(server.get(path_of(id, "events")).body);
  EXPECT_EQ(events.back().kind, "end");
  EXPECT_EQ(events.back().data["error"]["code"], "stopped") << "before the first answer";
  EXPECT_EQ(server.get(kSolves).json()["solves"][0]["phase"], "over");
  EXPECT_EQ(server.post(path_of(id, "stop"), "{}").status, 200) << "it is over already";
  EXPECT_TRUE(server.comes_to_show("umf_jobs_running 0"));
}

TEST(ServeLive, ASolveWithoutAnAnswerSaysWhatItCost) {
  const Server server;
  const std::string id = start(server, endless_solve());
  Client viewer(server.port());
  viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(viewer.await("event: state"));
  server.post(path_of(id, "stop"), "{}");
  const auto events = events_of(viewer.reply().body);
  long passes = 0;
  for (const Event& event : events)
    if (event.kind == "state") passes = event.data["nfe"];
  const Json& end = events.back().data;
  EXPECT_EQ(end["error"]["code"], "stopped");
  EXPECT_GT(passes, 0);
  EXPECT_GE(end["search"]["nfe"], passes);
  EXPECT_EQ(end["search"]["rollouts"], 0);
  EXPECT_EQ(end["search"]["stopped"], "interrupted");
  EXPECT_GT(end["seconds"], 0);

  const std::string first = start(server, endless_solve()),
                    waiting = start(server, endless_solve());
  server.post(path_of(waiting, "stop"), "{}");
  const Json never_begun = events_of(server.get(path_of(waiting, "events")).body).back().data;
  EXPECT_FALSE(never_begun.contains("search")) << "it cost nothing";
  server.post(path_of(first, "stop"), "{}");
}

TEST(ServeLive, AStoppedSolveKeepsTheBestAnswer) {
  const Server server;
  const std::string id =
      start(server, solve_body(R"("search": "best-of-n", "budget": 1000000)",
                               R"([{"contains": "never"}, {"lacks": "never"}])"));
  Client viewer(server.port());
  viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(viewer.await("event: rollout"));
  server.post(path_of(id, "stop"), "{}");
  ASSERT_TRUE(viewer.await("event: end"));
  const auto events = events_of(server.get(path_of(id, "events")).body);
  EXPECT_EQ(events.back().data["search"]["stopped"], "interrupted");
  EXPECT_EQ(events.back().data["reward"], 0.5);
}

TEST(ServeLive, AWaitingSolveCanBeStopped) {
  const Server server;
  const std::string first = start(server, endless_solve());
  const std::string second = start(server, endless_solve());
  EXPECT_EQ(server.get(kSolves).json()["solves"][0]["phase"], "waiting");
  server.post(path_of(second, "stop"), "{}");
  EXPECT_EQ(events_of(server.get(path_of(second, "events")).body).back().kind, "end");
  server.post(path_of(first, "stop"), "{}");
  EXPECT_EQ(events_of(server.get(path_of(first, "events")).body).back().kind, "end");
}

TEST(ServeLive, ShutdownEndsEverySolve) {
  Server server({"--grace-seconds", "0"});
  const std::string running = start(server, endless_solve());
  const std::string waiting = start(server, endless_solve());
  Client viewers[2] = {Client(server.port()), Client(server.port())};
  for (int i = 0; i < 2; ++i) {
    viewers[i].send("GET " + path_of(i == 0 ? running : waiting, "events") +
                    " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(viewers[i].await("event: begin"));
  }
  server.process().send(SIGTERM);
  for (Client& viewer : viewers) EXPECT_TRUE(viewer.await("shutting_down"));
  EXPECT_EQ(server.process().wait().status, 0);
}

TEST(ServeLive, ThePageRunsItsOwnScriptAlone) {
  const Server server({"--api-key", "secret"});
  const HttpReply page = server.get("/");
  ASSERT_EQ(page.status, 200) << "the page asks for the key, not the server for it";
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  const std::string policy = page.headers.at("content-security-policy");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe")));
  for (const char* load : {" src=", "<link rel=\"stylesheet", "@import", "url("})
    EXPECT_THAT(page.body, testing::Not(HasSubstr(load))) << "nothing is loaded beside it";
  EXPECT_EQ(server.send("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 405);
}

TEST(ServeLive, TheReportIsAFileOfWhatIsOver) {
  const Server server;
  const std::string id = start(server, endless_solve());
  const HttpReply early = server.get(path_of(id, "report"));
  EXPECT_EQ(early.code(), "not_over");
  EXPECT_FALSE(early.headers.contains("content-disposition")) << "a message is no file";
  server.post(path_of(id, "stop"), "{}");
  server.get(path_of(id, "events"));
  EXPECT_EQ(server.get(path_of(id, "report")).code(), "no_answer");
  const std::string solved = start(
      server, solve_body(R"("search": "best-of-n", "budget": 40, "stop_at_reward": "never")"));
  server.get(path_of(solved, "events"));
  const HttpReply report = server.get(path_of(solved, "report"));
  EXPECT_EQ(report.status, 200) << report.body;
  EXPECT_EQ(report.headers.at("content-disposition"),
            "attachment; filename=\"" + solved + ".html\"");
  EXPECT_EQ(report.headers.at("content-security-policy"), "sandbox");
  EXPECT_TRUE(report.body.starts_with("<!doctype html>"));
}

TEST(ServeLive, PicturesTellWhoWroteWhat) {
  const Server server;
  const std::string id = start(server, endless_solve());
  Client viewer(server.port());
  viewer.send("GET " + path_of(id, "events") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(viewer.await("event: state"));
  ASSERT_TRUE(viewer.await("\"window\":"));
  server.post(path_of(id, "stop"), "{}");
  ASSERT_TRUE(viewer.await("event: end"));
  std::string heard = viewer.rest_so_far();
  heard = heard.substr(heard.find("event: state"));
  heard = heard.substr(0, heard.find("\n\n") + 2);
  const Json state = events_of(heard).at(0).data;
  EXPECT_EQ(state["from"], 0);
  EXPECT_EQ(state["action"], 0);
  int cells = 0, authored = 0;
  for (const Json& run : state["by"]) {
    cells += run[1].get<int>();
    authored += run[0] == 0 ? run[1].get<int>() : 0;
  }
  EXPECT_EQ(cells, 3000);
  EXPECT_GE(authored, 1);
}

TEST(ServeLive, MistakesAreExplained) {
  const Server server;
  EXPECT_EQ(server.get(path_of("nothing", "events")).status, 404);
  EXPECT_EQ(server.post(path_of("nothing", "stop"), "{}").status, 404);
  EXPECT_EQ(server.get(path_of("nothing", "stop")).status, 405);
  EXPECT_EQ(server.post(kSolves, "{}").status, 400);
  EXPECT_EQ(server.post(kSolves, solve_body(R"("search": "nothing")")).status, 400);
  EXPECT_EQ(server.post(kSolves, solve_body(R"("search": "dts", "models": ["x"])")).status, 404);
  const HttpReply command = server.post(
      kSolves, R"({"problem": {"id": "p", "prompt": "x", "reward": {"type": "command", "argv":
                  ["/bin/echo", "1"]}}, "umf": {"search": "dts"}})");
  EXPECT_EQ(command.code(), "reward_not_allowed");
  EXPECT_EQ(server.get(kSolves).json()["solves"].size(), 0);
}

TEST(ServeLive, NothingWithoutTheKeyWhereThereIsOne) {
  const Server server({"--api-key", "secret"});
  for (const char* path : {"/v1/about", kSolves, "/v1/solves/x/events"})
    EXPECT_EQ(server.get(path).status, 401) << path;
  EXPECT_EQ(server.post(kSolves, endless_solve()).status, 401);
}

}  // namespace
}  // namespace umf
