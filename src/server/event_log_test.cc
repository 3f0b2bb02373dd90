#include "server/event_log.h"

#include <gtest/gtest.h>

#include <thread>

namespace umf {
namespace {

constexpr std::chrono::milliseconds kNow{0}, kSoon{10000};

TEST(EventLog, WhoComesLateGetsAllOfIt) {
  EventLog log(1000);
  LogPosition early, late;
  EXPECT_TRUE(log.append("rollout", "1"));
  EXPECT_EQ(log.next(early, kNow), "id: 1\nevent: rollout\ndata: 1\n\n");
  EXPECT_EQ(log.next(early, kNow), "");
  EXPECT_TRUE(log.append("rollout", "2"));
  log.end("end", "3");
  const std::string second = "id: 2\nevent: rollout\ndata: 2\n\n";
  const std::string last = "id: 3\nevent: end\ndata: 3\n\n";
  EXPECT_EQ(log.next(early, kNow), second + last);
  EXPECT_FALSE(log.over(late));
  EXPECT_EQ(log.next(late, kNow), "id: 1\nevent: rollout\ndata: 1\n\n" + second + last);
  EXPECT_TRUE(log.over(late));
}

TEST(EventLog, AViewerGoesOnBehindTheEventItNames) {
  EventLog log(1000);
  for (const char* data : {"1", "2", "3"}) log.append("rollout", data);
  LogPosition position{.events = 2};
  EXPECT_EQ(log.next(position, kNow), "id: 3\nevent: rollout\ndata: 3\n\n");
  LogPosition beyond{.events = 99};
  EXPECT_EQ(log.next(beyond, kNow), "");
  log.end("end", "");
  EXPECT_TRUE(log.over(beyond)) << "it would wait for ever";
}

TEST(EventLog, OnlyTheNewestPictureIsShownAndNoneAfterTheEnd) {
  EventLog log(1000);
  EXPECT_FALSE(log.begun());
  log.show("state", "1");
  log.show("state", "2");
  EXPECT_TRUE(log.begun());
  LogPosition position, late;
  EXPECT_EQ(log.next(position, kNow), "event: state\ndata: 2\n\n");
  EXPECT_EQ(log.next(position, kNow), "") << "seen";
  log.show("state", "3");
  EXPECT_EQ(log.next(position, kSoon), "event: state\ndata: 3\n\n");
  log.end("end", "0");
  EXPECT_EQ(log.next(late, kNow), "id: 1\nevent: end\ndata: 0\n\n");
}

TEST(EventLog, WhatDoesNotFitIsRefusedButTheEndIsKept) {
  EventLog log(60);
  EXPECT_TRUE(log.append("rollout", "1"));
  EXPECT_FALSE(log.append("rollout", std::string(60, 'x')));
  log.end("end", std::string(100, 'y'));
  LogPosition position;
  EXPECT_NE(log.next(position, kNow).find("event: end"), std::string::npos);
  EXPECT_TRUE(log.over(position));
}

TEST(EventLog, MuchIsTakenInPieces) {
  EventLog log(1 << 24);
  for (int i = 0; i < 100; ++i) log.append("rollout", std::string(10000, 'x'));
  log.end("end", "");
  LogPosition position;
  const std::string first = log.next(position, kNow);
  EXPECT_LT(first.size(), 400000u);
  EXPECT_FALSE(log.over(position));
  int pieces = 1;
  while (!log.over(position)) pieces += !log.next(position, kNow).empty();
  EXPECT_GT(pieces, 2);
}

TEST(EventLog, AWaitingViewerIsWoken) {
  EventLog log(1000);
  std::string received;
  std::thread viewer([&] {
    LogPosition position;
    received = log.next(position, kSoon);
  });
  log.append("rollout", "1");
  viewer.join();
  EXPECT_EQ(received, "id: 1\nevent: rollout\ndata: 1\n\n");
}

}  // namespace
}  // namespace umf
