#include "server/text_stream.h"

#include <gtest/gtest.h>

#include "tokenizer/tokenizer.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

// The pieces joined, when the bytes come `step` at a time. Every piece must be text itself.
std::string streamed(const std::string& bytes, std::size_t step,
                     const std::vector<std::string>& stop = {}) {
  TextStream stream(stop);
  std::string joined;
  const auto take = [&](const std::string& piece) {
    EXPECT_EQ(valid_utf8_end(piece, 0), piece.size()) << "a piece that is not UTF-8";
    joined += piece;
  };
  for (std::size_t at = 0; at < bytes.size(); at += step) take(stream.push(bytes.substr(at, step)));
  take(stream.finish());
  return joined;
}

TEST(TextStream, PiecesJoinToTheWholeTextHoweverTheyAreCut) {
  const std::string texts[] = {"plain",
                               "h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80!",
                               "\xF0\x9F\x98",
                               "a\xFF\xFE"
                               "b\xC3",
                               "\xE2\x82"
                               "a\xF0\x9F\x98\xE2\x82\xAC",
                               "\xED\xA0\x80 \xC0\xAF",
                               ""};
  for (const std::string& text : texts) {
    for (std::size_t step = 1; step <= 5; ++step)
      EXPECT_EQ(streamed(text, step), to_valid_utf8(text)) << "step " << step;
  }
}

TEST(TextStream, CharactersWaitUntilTheyAreWhole) {
  TextStream stream({});
  EXPECT_EQ(stream.push("a\xE2\x82"), "a");
  EXPECT_EQ(stream.push("\xAC"), "\xE2\x82\xAC");
  EXPECT_EQ(stream.push("\xE2"), "");
  EXPECT_EQ(stream.push("b"),
            "\xEF\xBF\xBD"
            "b");
}

TEST(TextStream, StopsCutTheTextHoweverItIsCut) {
  for (std::size_t step = 1; step <= 12; ++step) {
    EXPECT_EQ(streamed("one two three", step, {"two"}), "one ");
    EXPECT_EQ(streamed("one two three", step, {"three", "two"}), "one ") << "the first in the text";
    EXPECT_EQ(streamed("aab aaab", step, {"aaab"}), "aab ");
    EXPECT_EQ(streamed("one tw", step, {"two"}), "one tw") << "begun but not there";
    EXPECT_EQ(streamed("x\xE2\x82\xAC"
                       "y",
                       step, {"\xE2\x82\xAC"}),
              "x");
  }
}

TEST(TextStream, WhatMayBecomeAStopWaits) {
  TextStream stream({"END"});
  EXPECT_EQ(stream.push("abE"), "ab");
  EXPECT_EQ(stream.push("N"), "");
  EXPECT_EQ(stream.push("X"), "ENX");
  EXPECT_EQ(stream.push("END more"), "");
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.push("never"), "");
  EXPECT_EQ(stream.finish(), "");
}

}  // namespace
}  // namespace umf
