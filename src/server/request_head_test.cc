#include "server/request_head.h"

#include <gtest/gtest.h>

#include <limits>

#include "server/api_error.h"
#include "server/chunked_body.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const std::string kHead = "POST /v1/x?y=1 HTTP/1.1\r\nHost: localhost\r\n";

RequestHead with(const std::string& headers) { return parse_head(kHead + headers + "\r\n"); }

void expect_refused(const std::string& head, const std::string& reason) {
  EXPECT_ERROR(parse_head(head), reason);
}

TEST(RequestHead, HeadersAreKeptAsTheyWereSent) {
  const RequestHead head = with("X-Key:  a%20b \t\r\nEmpty:\r\nX-KEY: second\r\n");
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/v1/x?y=1");
  EXPECT_EQ(head.version, "HTTP/1.1");
  EXPECT_EQ(head.value("host"), "localhost");
  EXPECT_EQ(head.value("x-key"), "a%20b") << "the first, without blanks around it";
  EXPECT_EQ(head.value("empty"), "");
  EXPECT_EQ(head.value("absent"), "");
}

TEST(RequestHead, SaysWhereTheBodyEnds) {
  EXPECT_FALSE(with("").body.expects_body());
  EXPECT_FALSE(with("").body.length);
  EXPECT_FALSE(with("Content-Length: 0\r\n").body.expects_body());
  EXPECT_EQ(with("content-LENGTH:\t17 \r\n").body.length, 17);
  EXPECT_EQ(with("Content-Length: 99999999999999999999999\r\n").body.length,
            std::numeric_limits<std::size_t>::max());
  EXPECT_TRUE(with("Transfer-Encoding: Chunked\r\n").body.chunked);
}

TEST(RequestHead, LengthsThatTwoReadersCouldReadDifferentlyAreRefused) {
  for (const char* length : {"", "+5", "-5", "0x5", "5 5", "5,5", "05", "00", "5.0", "1e3", "%35"})
    expect_refused(kHead + "Content-Length: " + length + "\r\n\r\n", "Content-Length");
  for (const char* coding :
       {"", "identity", "chunked, identity", "identity, chunked", "chunked,", "gzip, chunked",
        "chunked chunked", "xchunked", "\"chunked\"", "chunke%64", "chunked\t;q=1"})
    expect_refused(kHead + "Transfer-Encoding: " + coding + "\r\n\r\n", "Transfer-Encoding");
  expect_refused(kHead + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", "given twice");
  expect_refused(kHead + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                 "given twice");
  expect_refused(kHead + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", "a body has");
  expect_refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "in HTTP/1.1");
}

TEST(RequestHead, LinesThatAreNoHeadersAreRefused) {
  for (const char* line :
       {" Folded: 1", "\tFolded: 1", "Name : 1", "Na me: 1", ": 1", "no colon", "N\xC3\xA9: 1",
        "A: 1\nB: 2", "A: 1\rB: 2", "A: \x01", "A: \x7F", "(A): 1", "A\t: 1"})
    expect_refused(kHead + line + "\r\n\r\n", "a header must be");
  expect_refused(kHead + "A: " + std::string(1, '\0') + "\r\n\r\n", "a header must be");
  expect_refused("GET / HTTP/1.1\r\n Host: localhost\r\n\r\n", "a header must be");
  expect_refused("GET / HTTP/1.1\nHost: localhost\n\n", "does not end");
  expect_refused(kHead, "does not end");
  expect_refused(kHead + "\r\nGET", "behind its end");
}

TEST(RequestHead, FirstLinesThatAreNoneAreRefused) {
  for (const char* line :
       {"", "GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
        "GET\t/\tHTTP/1.1", "G(T / HTTP/1.1", "GET /\x01 HTTP/1.1", "GET /\xC3\xA9 HTTP/1.1",
        "GET / /x HTTP/1.1", "GET / HTTP/1.2", "GET / HTTP/0.9", "GET / HTTP/2.0", "GET / http/1.1",
        "GET / HTTP/1.10"})
    expect_refused(std::string(line) + "\r\nHost: localhost\r\n\r\n", "");
  expect_refused("GET / HTTP/1.1\r\n\r\n", "has a Host");
  expect_refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "'host' is given twice");
  EXPECT_EQ(parse_head("GET / HTTP/1.0\r\n\r\n").version, "HTTP/1.0");
}

// The body, or how it failed; `left` is what stands behind it.
struct Chunks {
  BodyEnd end{};
  std::string body;
  std::string_view left;
};

Chunks chunks(std::string_view text, std::size_t limit = 100) {
  Chunks result{.left = text};
  const auto source = [&](char* to, std::size_t size) {
    const std::size_t count = result.left.copy(to, std::min<std::size_t>(size, 3));
    result.left.remove_prefix(count);
    return static_cast<ssize_t>(count);
  };
  result.end = read_chunks(source, limit, result.body);
  return result;
}

TEST(ChunkedBody, NothingIsTakenFromBehindItsEnd) {
  const Chunks read = chunks("4\r\nabcd\r\n0A;x=\"y\"\r\n0123456789\r\n000\r\nT: 1\r\n\r\nGET");
  EXPECT_EQ(read.end, BodyEnd::kWhole);
  EXPECT_EQ(read.body, "abcd0123456789");
  EXPECT_EQ(read.left, "GET");
}

TEST(ChunkedBody, SizesHaveDigitsOnly) {
  for (const char* size :
       {"0x4", "+4", "-4", " 4", "4 ", "\t4", "", ";", "4g", "4 ;x", "4\r", "4\n",
        "00000000000000004", "10000000000000000", "4;\x01", "4;\x7F", "4\r\nx"})
    EXPECT_ERROR(chunks(std::string(size) + "\r\nabcd\r\n0\r\n\r\n"), "not framed");
  EXPECT_ERROR(chunks("4\nabcd\r\n0\r\n\r\n"), "not framed");
  EXPECT_ERROR(chunks("4\r\nabcde\r\n0\r\n\r\n"), "not framed");
  EXPECT_ERROR(chunks("4\r\nabcd\n0\r\n\r\n"), "not framed");
  EXPECT_ERROR(chunks("0\r\n folded: 1\r\n\r\n"), "not framed");
  EXPECT_ERROR(chunks("0\r\n0\r\n\r\n"), "not framed");
}

TEST(ChunkedBody, WhatIsTooMuchEndsIt) {
  EXPECT_EQ(chunks("65\r\n").end, BodyEnd::kTooLarge);
  EXPECT_EQ(chunks("ffffffffffffffff\r\n").end, BodyEnd::kTooLarge);
  EXPECT_EQ(chunks("3c\r\n" + std::string(60, 'a') + "\r\n29\r\n").end, BodyEnd::kTooLarge);
  EXPECT_ERROR(chunks("4;" + std::string(2000, 'x') + "\r\nabcd\r\n"), "not framed");
  std::string trailers = "0\r\n";
  for (int i = 0; i < 100; ++i) trailers += "T: 1\r\n";
  EXPECT_ERROR(chunks(trailers + "\r\n"), "not framed");
  for (const char* early : {"", "4", "4\r\n", "4\r\nab", "4\r\nabcd", "4\r\nabcd\r\n", "0\r\n"})
    EXPECT_EQ(chunks(early).end, BodyEnd::kEarly) << early;
}

}  // namespace
}  // namespace umf
