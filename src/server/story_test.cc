#include "server/story.h"

#include <gtest/gtest.h>

#include <thread>

namespace umf {
namespace {

constexpr std::chrono::milliseconds kNow{0}, kSoon{10000};

TEST(Story, WhoComesLateHearsAllOfIt) {
  Story story(1000);
  StoryMark early, late;
  EXPECT_TRUE(story.tell("rollout", "1"));
  EXPECT_EQ(story.next(early, kNow), "id: 1\nevent: rollout\ndata: 1\n\n");
  EXPECT_EQ(story.next(early, kNow), "");
  EXPECT_TRUE(story.tell("rollout", "2"));
  story.end("end", "3");
  const std::string second = "id: 2\nevent: rollout\ndata: 2\n\n";
  const std::string last = "id: 3\nevent: end\ndata: 3\n\n";
  EXPECT_EQ(story.next(early, kNow), second + last);
  EXPECT_FALSE(story.over(late));
  EXPECT_EQ(story.next(late, kNow), "id: 1\nevent: rollout\ndata: 1\n\n" + second + last);
  EXPECT_TRUE(story.over(late));
}

TEST(Story, AViewerGoesOnBehindTheEventItNames) {
  Story story(1000);
  for (const char* data : {"1", "2", "3"}) story.tell("rollout", data);
  StoryMark mark{.events = 2};
  EXPECT_EQ(story.next(mark, kNow), "id: 3\nevent: rollout\ndata: 3\n\n");
  StoryMark beyond{.events = 99};
  EXPECT_EQ(story.next(beyond, kNow), "");
  story.end("end", "");
  EXPECT_TRUE(story.over(beyond)) << "it would wait for ever";
}

TEST(Story, OnlyTheNewestPictureIsShownAndNoneAfterTheEnd) {
  Story story(1000);
  EXPECT_FALSE(story.begun());
  story.show("state", "1");
  story.show("state", "2");
  EXPECT_TRUE(story.begun());
  StoryMark mark, late;
  EXPECT_EQ(story.next(mark, kNow), "event: state\ndata: 2\n\n");
  EXPECT_EQ(story.next(mark, kNow), "") << "seen";
  story.show("state", "3");
  EXPECT_EQ(story.next(mark, kSoon), "event: state\ndata: 3\n\n");
  story.end("end", "0");
  EXPECT_EQ(story.next(late, kNow), "id: 1\nevent: end\ndata: 0\n\n");
}

TEST(Story, WhatDoesNotFitIsRefusedButTheEndIsTold) {
  Story story(60);
  EXPECT_TRUE(story.tell("rollout", "1"));
  EXPECT_FALSE(story.tell("rollout", std::string(60, 'x')));
  story.end("end", std::string(100, 'y'));
  StoryMark mark;
  EXPECT_NE(story.next(mark, kNow).find("event: end"), std::string::npos);
  EXPECT_TRUE(story.over(mark));
}

TEST(Story, MuchIsTakenInPieces) {
  Story story(1 << 24);
  for (int i = 0; i < 100; ++i) story.tell("rollout", std::string(10000, 'x'));
  story.end("end", "");
  StoryMark mark;
  const std::string first = story.next(mark, kNow);
  EXPECT_LT(first.size(), 400000u);
  EXPECT_FALSE(story.over(mark));
  int pieces = 1;
  while (!story.over(mark)) pieces += !story.next(mark, kNow).empty();
  EXPECT_GT(pieces, 2);
}

TEST(Story, AWaitingViewerIsWoken) {
  Story story(1000);
  std::string heard;
  std::thread viewer([&] {
    StoryMark mark;
    heard = story.next(mark, kSoon);
  });
  story.tell("rollout", "1");
  viewer.join();
  EXPECT_EQ(heard, "id: 1\nevent: rollout\ndata: 1\n\n");
}

}  // namespace
}  // namespace umf
