// umf serve and requests whose end is in doubt.
#include "server/serve_fixture.h"

namespace umf {
namespace {

// Everything that the server answers to these bytes and to a request behind them, until it closes.
std::string answers_to(const Server& server, const std::string& bytes) {
  Client client(server.port());
  client.send(bytes + "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  client.send_end();
  return client.rest();
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Where client, proxy and server could disagree about the end of a request, what one takes for a
// body is a request to another.
TEST(ServeFraming, NothingIsAnsweredBehindARequestWhoseEndIsInDoubt) {
  const Server server;
  const std::string json = chat_body("Hi", R"("max_tokens": 4)");
  const std::string length = "Content-Length: " + std::to_string(json.size());
  const std::string line = "POST /v1/chat/completions HTTP/1.1\r\n", host = "Host: localhost\r\n",
                    type = "Content-Type: application/json\r\n", post = line + host + type,
                    chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string nul(1, '\0');
  char size[20];
  std::snprintf(size, sizeof(size), "%zx", json.size());
  const auto one_chunk = [&](const std::string& digits) {
    return chunked + digits + "\r\n" + json + "\r\n0\r\n\r\n";
  };
  struct Case {
    const char* what;
    std::string bytes;
    int status;
  };
  const Case cases[] = {
      {"no length", post + "\r\n" + json, 411},
      {"no length, and nothing", post + "\r\n", 411},
      {"a sign before the size of a chunk", one_chunk("+" + std::string(size)), 400},
      {"a hexadecimal prefix", one_chunk("0x" + std::string(size)), 400},
      {"a negative size", one_chunk("-" + std::string(size)), 400},
      {"a blank before the size", one_chunk(" " + std::string(size)), 400},
      {"a blank behind the size", one_chunk(std::string(size) + " "), 400},
      {"a size that wraps around", one_chunk("1000000000000000" + std::string(size)), 400},
      {"the largest size", one_chunk("ffffffffffffffff"), 413},
      {"an endless extension", one_chunk(std::string(size) + ";" + std::string(9000, 'x')), 400},
      {"an extension beyond ASCII", one_chunk(std::string(size) + ";a=\xC3\xA9"), 400},
      {"LF behind the size", chunked + size + "\n" + json + "\r\n0\r\n\r\n", 400},
      {"a chunk longer than its size", chunked + "1\r\n" + json + "\r\n0\r\n\r\n", 400},
      {"a folded trailer", chunked + size + "\r\n" + json + "\r\n0\r\n x: 1\r\n\r\n", 400},
      {"a NUL in Host",
       line + "Host: localhost" + nul + ".example\r\n" + type + length + "\r\n\r\n" + json, 400},
      {"a NUL in Host, escaped",
       line + "Host: 127.0.0.1%00.example\r\n" + type + length + "\r\n\r\n" + json, 403},
      {"no Host", line + type + length + "\r\n\r\n" + json, 400},
      {"two Hosts", line + host + host + type + length + "\r\n\r\n" + json, 400},
      {"a blank before the colon", post + "Content-Length : 5\r\n\r\n" + json, 400},
      {"a folded length", post + "Content-Length:\r\n 5\r\n\r\n" + json, 400},
      {"a length in the continuation of a line", post + "X: 1\r\n " + length + "\r\n\r\n" + json,
       400},
      {"a line before the first header", line + " " + host + type + length + "\r\n\r\n" + json,
       400},
      {"two lengths", post + length + "\r\nContent-Length: 0\r\n\r\n" + json, 400},
      {"the same length twice", post + length + "\r\n" + length + "\r\n\r\n" + json, 400},
      {"a list of lengths", post + length + ", 0\r\n\r\n" + json, 400},
      {"a sign before the length", post + "Content-Length: +5\r\n\r\n" + json, 400},
      {"a zero before the length", post + "Content-Length: 010\r\n\r\n" + json, 400},
      {"an escaped length", post + "Content-Length: %30\r\n\r\n" + json, 400},
      {"a length and chunks", post + length + "\r\nTransfer-Encoding: chunked\r\n\r\n" + json, 400},
      {"chunks and something else", post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
       400},
      {"something else and chunks", post + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
       400},
      {"an unknown coding", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400},
      {"chunks twice",
       post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"a coding behind a vertical tab",
       post + "Transfer-Encoding: \x0b"
              "chunked\r\n\r\n0\r\n\r\n",
       400},
      {"chunks over HTTP/1.0",
       "POST /v1/chat/completions HTTP/1.0\r\n" + type +
           "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       400},
      {"lines that end in LF", "GET /health HTTP/1.1\nHost: localhost\n\n", 400},
      {"one line that ends in LF", "GET /health HTTP/1.1\r\nHost: localhost\nX: 1\r\n\r\n", 400},
      {"a line that ends in CR", "GET /health HTTP/1.1\r\nHost: localhost\rX: 1\r\n\r\n", 400},
      {"a header's name with a blank", "GET /health HTTP/1.1\r\nHost: localhost\r\nA B: 1\r\n\r\n",
       400},
      {"HTTP/0.9", "GET /health\r\n\r\n", 400},
      {"HTTP/1.2", "GET /health HTTP/1.2\r\nHost: localhost\r\n\r\n", 400},
      {"an empty line before the request", "\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
       400},
      {"too many headers",
       "GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(40000, 'x') + "\r\n\r\n",
       431},
      // Requests that are well-formed and refused: their bodies lie in the way.
      {"a body for nobody", "POST /nowhere HTTP/1.1\r\n" + host + type + length + "\r\n\r\n" + json,
       404},
      {"a body of another kind", line + host + length + "\r\n\r\n" + json, 415},
      {"a body of another's page",
       line + "Host: rebound.example\r\n" + type + length + "\r\n\r\n" + json, 403},
      {"a body of a GET", "GET /health HTTP/1.1\r\n" + host + length + "\r\n\r\n" + json, 200},
      {"a body that is too large", post + "Content-Length: 1073741824\r\n\r\n" + json, 413},
  };
  for (const Case& test : cases) {
    const std::string answers = answers_to(server, test.bytes);
    EXPECT_TRUE(answers.starts_with("HTTP/1.1 " + std::to_string(test.status) + " "))
        << test.what << ": " << answers.substr(0, 300);
    EXPECT_EQ(count(answers, "\r\n\r\n"), 1) << test.what << ": " << answers;
    EXPECT_EQ(count(answers, "Connection: close"), 1) << test.what << ": " << answers;
  }
  // Behind these it is not in doubt.
  for (const std::string& bytes :
       {one_chunk(size), one_chunk("000" + std::string(size) + ";name=\"value\""),
        post + length + "\r\n\r\n" + json, post + "Content-Length: 0\r\n\r\n",
        chunked + "0\r\nChecksum: 1\r\n\r\n",
        post + length + "0\r\n\r\n" + json + std::string(9 * json.size(), ' ')})
    EXPECT_EQ(count(answers_to(server, bytes), "\r\n\r\n"), 2) << bytes.substr(0, 300);
  expect_alive(server);
}

TEST(ServeFraming, KeysAreComparedAsTheyWereSent) {
  const Server server({"--api-key", "a%41b"});
  const auto status = [&](const std::string& headers) {
    return server.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n").status;
  };
  EXPECT_EQ(status("Authorization: Bearer a%41b\r\n"), 200);
  EXPECT_EQ(status("Authorization: Bearer aAb\r\n"), 401);
  EXPECT_EQ(status("Authorization: Bearer x\r\nAuthorization: Bearer a%41b\r\n"), 400);
}

}  // namespace
}  // namespace umf
