// A running `umf serve`, and clients that speak to it over plain sockets.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {

struct HttpReply {
  int status = 0;  // 0: the server closed the connection without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  std::string error() const { return json().at("error").at("message"); }
  std::string code() const {
    const auto code = json().at("error").at("code");
    return code.is_null() ? "" : code.get<std::string>();
  }
  std::string text() const {
    const auto choice = json().at("choices").at(0);
    return choice.contains("text") ? choice["text"] : choice["message"]["content"];
  }
};

// One connection. Waiting ends after a minute: a test that hangs fails.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    const timeval minute{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &minute, sizeof(minute));
  }
  ~Client() { leave(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  void leave() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  // False when the server has gone.
  bool send(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t took = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (took <= 0) return false;
      sent += static_cast<std::size_t>(took);
    }
    return true;
  }
  void send_end() { ::shutdown(socket_, SHUT_WR); }

  // Everything until the server closes.
  std::string rest() {
    while (receive()) {
    }
    return std::exchange(received_, "");
  }
  const std::string& rest_so_far() const { return received_; }  // what no reply has taken
  // Until what came contains `text`; false when the server closed before.
  bool await(const std::string& text) {
    while (received_.find(text) == std::string::npos) {
      if (!receive()) return false;
    }
    return true;
  }

  HttpReply reply() {
    HttpReply reply;
    if (!await("\r\n\r\n")) return reply;
    parse_head(take(received_.find("\r\n\r\n") + 4), reply);
    if (reply.headers["transfer-encoding"] == "chunked") {
      for (std::string chunk; !(chunk = next_chunk()).empty();) reply.body += chunk;
    } else {
      const auto length = std::stoul("0" + reply.headers["content-length"]);
      while (received_.size() < length && receive()) {
      }
      reply.body = take(length);
    }
    return reply;
  }

 private:
  bool receive() {
    char buffer[16384];
    const ssize_t got = ::recv(socket_, buffer, sizeof(buffer), 0);
    if (got > 0) received_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }
  std::string take(std::size_t count) {
    std::string taken = received_.substr(0, count);
    received_.erase(0, count);
    return taken;
  }
  std::string next_chunk() {
    if (!await("\r\n")) return "";
    const std::size_t size = std::stoul(take(received_.find("\r\n") + 2), nullptr, 16);
    while (received_.size() < size + 2 && receive()) {
    }
    std::string chunk = take(size);
    take(2);
    return chunk;
  }
  static void parse_head(const std::string& head, HttpReply& reply) {
    reply.status = std::stoi(head.substr(head.find(' ') + 1));
    for (std::size_t at = head.find("\r\n") + 2; at + 2 < head.size();) {
      const std::size_t end = head.find("\r\n", at), colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      for (char& c : name) c = static_cast<char>(std::tolower(c));
      reply.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
  }

  int socket_;
  bool connected_ = false;
  std::string received_;
};

inline std::string http_post(const std::string& path, const std::string& body,
                             const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

constexpr const char* kChatPath = "/v1/chat/completions";
constexpr const char* kTextPath = "/v1/completions";

// A chat request: one user message, and these fields beside it.
inline std::string chat_body(const std::string& message, const std::string& fields) {
  return R"({"messages": [{"role": "user", "content": )" + nlohmann::json(message).dump() + "}]" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

// Takes far longer than any test on these models, unless it is cancelled.
inline std::string endless_body() { return chat_body("Go on.", R"("max_tokens": 3000)"); }

class Server {
 public:
  explicit Server(const std::vector<std::string>& more = {},
                  const std::vector<std::string>& models = tiny_models())
      : running_(arguments(models, more)) {
    for (int i = 0; i < 3000 && running_.out().find('\n') == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const std::string line = running_.out();
    if (!line.starts_with("listening on http://127.0.0.1:"))
      throw std::runtime_error("no server: " + line);
    port_ = std::stoi(line.substr(line.rfind(':') + 1));
  }

  int port() const { return port_; }
  HttpReply send(const std::string& request) const {
    Client client(port_);
    client.send(request);
    return client.reply();
  }
  HttpReply get(const std::string& path) const {
    return send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  HttpReply post(const std::string& path, const std::string& body) const {
    return send(http_post(path, body));
  }
  HttpReply chat(const std::string& message, const std::string& fields = "") const {
    return post(kChatPath, chat_body(message, fields));
  }
  // A line of /metrics, as "name value".
  bool shows(const std::string& metric) const {
    return get("/metrics").body.find("\n" + metric + "\n") != std::string::npos;
  }
  // Waits for it.
  bool comes_to_show(const std::string& metric) const {
    for (int i = 0; i < 600; ++i) {
      if (shows(metric)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  Running& process() { return running_; }

 private:
  static std::vector<std::string> tiny_models() {
    return {"--model", "llada=" + tiny("tiny-llada"), "--model", "dream=" + tiny("tiny-dream")};
  }
  static std::vector<std::string> arguments(const std::vector<std::string>& models,
                                            const std::vector<std::string>& more) {
    std::vector<std::string> words = {"serve", "--port", "0"};
    words.insert(words.end(), models.begin(), models.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Running running_;
  int port_ = 0;
};

// The JSON events of a stream; `[DONE]` must be the last.
inline std::vector<Json> chunks_of(const std::string& body) {
  std::vector<Json> events;
  std::istringstream lines(body);
  bool done = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("data: ")) continue;
    EXPECT_FALSE(done) << "something behind [DONE]";
    done = line == "data: [DONE]";
    if (!done) events.push_back(Json::parse(line.substr(6)));
  }
  EXPECT_TRUE(done);
  return events;
}

inline std::string streamed_text(const std::vector<Json>& events, int choice) {
  std::string text;
  for (const Json& event : events) {
    for (const Json& delta : event["choices"]) {
      if (delta["index"] == choice) text += delta["delta"].value("content", "");
    }
  }
  return text;
}

inline void expect_alive(const Server& server) {
  const HttpReply reply = server.chat("Hi", R"("max_tokens": 4)");
  EXPECT_EQ(reply.status, 200) << reply.body;
}

}  // namespace umf
