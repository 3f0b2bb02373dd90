// umf serve and clients that are broken, hostile, many, slow or gone.
#include <future>

#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

TEST(ServeHostile, BodiesThatAreNoJson) {
  const Server server;
  for (const std::string body :
       {"", "{", "[1", "nul", "{\"messages\": [{\"role\": \"user\", \"content\": \"\xff\"}]}",
        "{\"a\": 1, \"a\": 2}", "\xEF\xBB\xBF", "{\"messages\": \"\\ud800\"}"}) {
    const HttpReply reply = server.post(kChatPath, body);
    EXPECT_EQ(reply.status, 400) << body;
    EXPECT_EQ(reply.json()["error"]["type"], "invalid_request_error");
  }
  EXPECT_EQ(server.post(kChatPath, std::string(100000, '[')).status, 400);
  expect_alive(server);
}

TEST(ServeHostile, WrongMethodsAndPaths) {
  const Server server;
  const auto status = [&](const std::string& method, const std::string& path) {
    return server.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").status;
  };
  EXPECT_EQ(status("GET", kChatPath), 405);
  EXPECT_EQ(server.get(kChatPath).headers.at("allow"), "POST");
  for (const char* method : {"DELETE", "PUT", "PATCH", "OPTIONS"})
    EXPECT_EQ(status(method, kChatPath), 405) << method;
  EXPECT_EQ(
      server.send("POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").status,
      405);
  for (const char* path :
       {"/page", "/v1", "/v1/", "/v1/chat/completions/", "/../../etc/passwd", "/v1/../v1/models",
        "//v1/models", "/%2e%2e/%2e%2e/etc/passwd", "/v1/models%00", "/V1/MODELS", "/index.html"})
    EXPECT_EQ(status("GET", path), 404) << path;
  EXPECT_EQ(status("BREW", "/health"), 400);
  const std::string body = chat_body("Hi", R"("max_tokens": 4, "stream": true)");
  EXPECT_EQ(server
                .send("POST /v1/chat/completions HTTP/1.0\r\nContent-Type: "
                      "application/json\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + body)
                .status,
            505);
  expect_alive(server);
}

TEST(ServeHostile, WebPagesOfOthersAreTurnedAway) {
  const Server server;
  const std::string body = chat_body("Hi", R"("max_tokens": 4)");
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const auto post = [&](const std::string& headers) {
    return server.send("POST /v1/chat/completions HTTP/1.1\r\n" + headers + length);
  };
  EXPECT_EQ(post("Host: localhost\r\nContent-Type: text/plain\r\n").status, 415);
  EXPECT_EQ(post("Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n").status,
            415);
  EXPECT_EQ(post("Host: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n").status,
            415);
  EXPECT_EQ(post("Host: localhost\r\n").status, 415);
  EXPECT_EQ(post("Host: rebound.example\r\nContent-Type: application/json\r\n").status, 403);
  EXPECT_EQ(post("Host: localhost\r\nContent-Type: application/json; charset=utf-8\r\n").status,
            200);
}

TEST(ServeHostile, LengthsThatLie) {
  const Server server({"--body-seconds", "1"});
  const auto head = [](const std::string& headers) {
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
           "application/json\r\n" +
           headers + "\r\n";
  };
  EXPECT_EQ(server.send(head("Content-Length: 1073741824\r\n")).status, 413)
      << "before a byte of it came";
  EXPECT_EQ(server.send(head("Content-Length: 99999999999999999999999\r\n")).status, 413);
  for (const char* wrong : {"-1", "abc", "1e3", "0x10", "5 5"})
    EXPECT_EQ(server.send(head("Content-Length: " + std::string(wrong) + "\r\n")).status, 400)
        << wrong;
  EXPECT_EQ(server.send(head("Content-Length: 5\r\nContent-Length: 6\r\n") + "{}xxxx").status, 400);
  EXPECT_EQ(
      server.send(head("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n").status,
      400);
  EXPECT_EQ(server.send(head("")).status, 411);
  EXPECT_EQ(server.send(head("Content-Length: 50\r\n") + "{}").status, 408)
      << "less than announced";
  Client ended(server.port());
  ended.send(head("Content-Length: 50\r\n") + "{}");
  ended.send_end();
  EXPECT_THAT(ended.reply().status, AnyOf(0, 400));
  expect_alive(server);
}

TEST(ServeHostile, BodiesOfManySmallValuesAreReadAtOnce) {
  const Server server;
  std::string many = "[{}";
  while (many.size() < 4'000'000) many += ",{}";
  EXPECT_THAT(server.post(kChatPath, many + "]").error(), HasSubstr("more than 262144 values"));
  many.resize(700'000 - 1);
  EXPECT_EQ(server.post(kChatPath, many + "]").status, 400) << "it is no object";
  expect_alive(server);
}

TEST(ServeHostile, BodiesThatAreTooLarge) {
  const Server server({"--max-body", "64"});
  const std::string megabyte(1 << 20, ' ');
  EXPECT_EQ(server.post(kChatPath, megabyte).status, 413);
  EXPECT_EQ(server.post("/nowhere", megabyte).status, 404);

  Client flood(server.port());
  flood.send(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "1000\r\n" + std::string(4096, ' ') + "\r\n";
  int sent = 0;
  while (sent < 4096 && flood.send(chunk)) ++sent;
  EXPECT_LT(sent, 4096) << "the server took 16 MB";

  Client chunks(server.port());
  chunks.send(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nxx");
  chunks.send_end();
  EXPECT_THAT(chunks.reply().status, AnyOf(0, 400, 413));
  expect_alive(server);
}

TEST(ServeHostile, ChunkedBodiesAreRead) {
  const Server server;
  const std::string body = chat_body("Hi", R"("max_tokens": 4)");
  std::string request =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char c : body) request += std::string("1\r\n") + c + "\r\n";
  const HttpReply reply = server.send(request + "0\r\n\r\n");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.text(), server.chat("Hi", R"("max_tokens": 4)").text());
}

TEST(ServeHostile, BytesThatAreNoHttp) {
  const Server server({"--header-seconds", "1"});
  const std::string inputs[] = {
      std::string(100000, 'A'),
      std::string(3000, '\0'),
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "GET\r\n\r\n",
      "GET /health\r\n\r\n",
      "GET /health HTTP/9.9\r\n\r\n",
      "\r\n\r\n\r\n",
      "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100000, 'b') + "\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost localhost\r\n\xff\xfe: 1\r\n\r\n"};
  for (const std::string& input : inputs) {
    Client client(server.port());
    client.send(input);
    client.send_end();
    const std::string answer = client.rest();
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 4") ||
                answer.starts_with("HTTP/1.1 200"))
        << answer.substr(0, 100);
  }
  std::string many = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 20000; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  Client client(server.port());
  client.send(many + "\r\n");
  client.send_end();
  EXPECT_THAT(client.rest(), testing::Not(HasSubstr(" 200 ")));
  expect_alive(server);
}

TEST(ServeHostile, SlowClientsAreCutOffAndHinderNobody) {
  const Server server({"--header-seconds", "1", "--body-seconds", "1"});
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<Client>(server.port()));
    slow.back()->send(i % 2 == 0
                          ? "GET /health HT"
                          : "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
  }
  expect_alive(server);
  // A byte now and then does not buy more time.
  bool cut = false;
  for (int i = 0; i < 300 && !cut; ++i) {
    cut = !slow[0]->send("X");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(cut);
  EXPECT_EQ(slow[1]->reply().status, 408);
  for (auto& client : slow) client->rest();
}

TEST(ServeHostile, ConnectionsBeyondTheLimitAreTurnedAway) {
  const Server server({"--connections", "3"});
  std::vector<std::unique_ptr<Client>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::make_unique<Client>(server.port()));
    held.back()->send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(held.back()->reply().status, 200) << "and stays connected";
  }
  Client refused(server.port());
  EXPECT_THAT(refused.rest(), HasSubstr("503 Service Unavailable"));
  held.clear();
  HttpReply reply;
  for (int i = 0; i < 600 && reply.status != 200; ++i) {
    reply = server.get("/health");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(reply.status, 200);
}

TEST(ServeHostile, RequestsOfOneConnectionFollowEachOther) {
  const Server server;
  Client client(server.port());
  std::string all;
  for (int i = 0; i < 5; ++i)
    all += http_post(kChatPath, chat_body("Say " + std::to_string(i), R"("max_tokens": 6)"));
  client.send(all);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(client.reply().text(),
              server.chat("Say " + std::to_string(i), R"("max_tokens": 6)").text());
  }
}

TEST(ServeHostile, FiftyClientsGetTheirOwnAnswers) {
  const Server server;
  const auto fields = [](int i) {
    return R"("model": "dream", "max_tokens": 8, "temperature": 1.0, "seed": )" + std::to_string(i);
  };
  std::vector<std::string> alone;
  for (int i = 0; i < 50; ++i)
    alone.push_back(server.chat("Hello " + std::to_string(i), fields(i)).text());
  std::vector<std::future<HttpReply>> together;
  for (int i = 0; i < 50; ++i) {
    together.push_back(std::async(std::launch::async, [&server, &fields, i] {
      return server.chat("Hello " + std::to_string(i), fields(i));
    }));
  }
  for (int i = 0; i < 50; ++i) {
    const HttpReply reply = together[i].get();
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.text(), alone[i]) << i;
  }
}

TEST(ServeHostile, AClientThatLeavesFreesTheDevice) {
  const Server server;
  const std::string whole = R"("max_tokens": 3000)", stream = whole + R"(, "stream": true)",
                    search =
                        whole + R"(, "umf": {"search": "best-of-n", "budget": 1000000, "reward":
                        {"type": "text", "checks": [{"contains": "never this"}]}})";
  for (const std::string& fields : {whole, stream, search}) {
    Client running(server.port()), waiting(server.port());
    running.send(http_post(kChatPath, chat_body("Go on.", fields)));
    ASSERT_TRUE(server.comes_to_show("umf_jobs_running 1"));
    waiting.send(http_post(kChatPath, endless_body()));
    ASSERT_TRUE(server.comes_to_show("umf_jobs_waiting 1"));
    waiting.leave();
    EXPECT_TRUE(server.comes_to_show("umf_jobs_waiting 0"));
    running.leave();
    EXPECT_TRUE(server.comes_to_show("umf_jobs_running 0"));
    expect_alive(server);
  }
  EXPECT_TRUE(server.shows("umf_jobs_total{end=\"cancelled\"} 6"));
}

TEST(ServeHostile, AFullQueueSaysWhenToComeBack) {
  const Server server({"--queue", "1"});
  Client running(server.port()), waiting(server.port());
  running.send(http_post(kChatPath, endless_body()));
  ASSERT_TRUE(server.comes_to_show("umf_jobs_running 1"));
  waiting.send(http_post(kChatPath, endless_body()));
  ASSERT_TRUE(server.comes_to_show("umf_jobs_waiting 1"));
  const HttpReply refused = server.chat("Hi");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "queue_full");
  EXPECT_GE(std::stoi(refused.headers.at("retry-after")), 1);
  EXPECT_EQ(server.get("/health").status, 200);
}

TEST(ServeHostile, AJobThatTakesTooLongIsEnded) {
  const Server server({"--job-seconds", "1"});
  const HttpReply whole = server.post(kChatPath, endless_body());
  EXPECT_EQ(whole.status, 504);
  EXPECT_EQ(whole.code(), "time_limit");
  // A busy machine needs a moment to begin.
  const HttpReply stream =
      Server({"--job-seconds", "3"}).chat("Go on.", R"("max_tokens": 3000, "stream": true)");
  EXPECT_EQ(stream.status, 200) << "the limit came after the answer began";
  EXPECT_THAT(stream.body, HasSubstr("time_limit"));
  EXPECT_THAT(stream.body, testing::Not(HasSubstr("[DONE]")));
  expect_alive(server);
}

TEST(ServeHostile, ASearchThatTakesTooLongGivesTheBestItFound) {
  const Server server({"--job-seconds", "3"});
  const HttpReply reply = server.chat("Write.", R"("max_tokens": 16, "umf": {"search": "best-of-n",
      "budget": 1000000, "actions": [{"temperature": 1}],
      "reward": {"type": "text", "checks": [{"lacks": "\u0000"}, {"contains": "never this"}]}})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.json()["umf"]["search"]["stopped"], "interrupted");
  EXPECT_EQ(reply.json()["umf"]["reward"], 0.5);
  expect_alive(server);
}

TEST(ServeHostile, ShutdownAnswersEverybody) {
  Server server({"--grace-seconds", "1"});
  Client running(server.port()), waiting(server.port()), idle(server.port()), half(server.port());
  running.send(http_post(kChatPath, endless_body()));
  ASSERT_TRUE(server.comes_to_show("umf_jobs_running 1"));
  waiting.send(http_post(kChatPath, endless_body()));
  ASSERT_TRUE(server.comes_to_show("umf_jobs_waiting 1"));
  half.send("GET /hea");
  server.process().send(SIGTERM);
  EXPECT_EQ(waiting.reply().code(), "shutting_down");
  EXPECT_EQ(running.reply().code(), "shutting_down");
  const Finished run = server.process().wait();
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(ServeHostile, ShutdownLetsTheRunningRequestEnd) {
  Server server({"--grace-seconds", "60"});
  Client client(server.port());
  client.send(http_post(kChatPath, chat_body("Go on.", R"("max_tokens": 200, "stream": true)")));
  ASSERT_TRUE(client.await("data:"));
  server.process().send(SIGINT);
  EXPECT_FALSE(chunks_of(client.reply().body).empty());
  EXPECT_EQ(server.process().wait().status, 0);
}

}  // namespace
}  // namespace umf
