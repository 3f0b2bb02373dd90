#include "cli/status_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Ordered worker(const std::string& host, long pid, const std::string& life = "alive") {
  return {{"id", host + "-" + std::to_string(pid)},
          {"host", host},
          {"pid", pid},
          {"life", life},
          {"done", 4},
          {"per_hour", 120.0},
          {"jobs", 1},
          {"about", {{"devices", {0, 1}}, {"slurm_job", "12_3"}}}};
}

Ordered failure(const std::string& id, const std::string& why = "no room") {
  return {{"id", id}, {"configuration", "umf"}, {"budget", 64}, {"status", "failed"}, {"why", why}};
}

Ordered status_of(const std::vector<Ordered>& workers, const std::vector<Ordered>& failures = {}) {
  const auto failed = static_cast<int>(failures.size());
  return {
      {"total", 20},
      {"done", 8},
      {"judged", 8},
      {"failed", failed},
      {"left", 12 - failed},
      {"left_out", 0},
      {"running", 1},
      {"stale", 0},
      {"complete", false},
      {"per_hour", 240.0},
      {"seconds_left", 180.0},
      {"unknown", 0},
      {"jobs",
       {{{"id", "letters/3"}, {"configuration", "umf"}, {"worker", "n1-7"}, {"seconds", 40.0}}}},
      {"workers", workers},
      {"failures", failures},
      {"warnings", Ordered::array()}};
}

TEST(StatusPicture, MachinesStandWithTheirWorkersDevicesAndPace) {
  const auto lines =
      picture_of(status_of({worker("n2", 9), worker("n1", 7), worker("n1", 8)}), 200, 24);
  EXPECT_THAT(lines[0], HasSubstr("8 of 20 done"));
  EXPECT_EQ(lines[1], "n1  2 workers, 8 done, 240.0 per hour");
  EXPECT_THAT(lines[2], AllOf(HasSubstr("pid 7"), HasSubstr("4 done, 120.0 per hour"),
                              HasSubstr("letters/3 umf for 40 s"), HasSubstr("devices [0,1]"),
                              HasSubstr("slurm_job 12_3")));
  EXPECT_EQ(lines[4], "n2  1 worker, 4 done, 120.0 per hour");
}

TEST(StatusPicture, APictureFitsIntoEveryTerminal) {
  std::vector<Ordered> workers, failures;
  for (int i = 0; i < 40; ++i) workers.push_back(worker("n" + std::to_string(i / 4), i));
  for (int i = 0; i < 30; ++i) failures.push_back(failure("letters/" + std::to_string(i)));
  for (const int rows : {0, 1, 3, 4, 8, 24, 60, 200}) {
    const auto lines = picture_of(status_of(workers, failures), 40, rows);
    EXPECT_LT(lines.size(), rows == 0 ? 24 : std::max(rows, 4)) << rows;
    for (const std::string& line : lines) EXPECT_LT(line.size(), 40u);
  }
  const auto large = picture_of(status_of(workers, failures), 200, 200);
  EXPECT_THAT(large, SizeIs(1 + 10 + 40 + 30));
  const auto medium = picture_of(status_of(workers, failures), 200, 24);
  EXPECT_THAT(medium, Not(testing::Contains(HasSubstr("pid")))) << "machines alone";
  EXPECT_THAT(medium, testing::Contains(HasSubstr("n9  4 workers, 16 done, 480.0 per hour")));
  EXPECT_THAT(medium.back(), HasSubstr("more troubles"));
}

TEST(StatusPicture, WhatModelsSayDoesNotCommandTheTerminal) {
  const Ordered status = status_of({}, {failure("letters/1", "\x1b[2J\nnext\tline")});
  EXPECT_THAT(picture_of(status, 200, 24), Each(Not(HasSubstr("\x1b"))));
  EXPECT_THAT(news_of(nullptr, status), Each(AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\n")))));
}

TEST(StatusPicture, AtFirstEverythingIsNews) {
  EXPECT_THAT(news_of(nullptr, status_of({worker("n1", 7)}, {failure("letters/1")})),
              ElementsAre("n1 pid 7 is at work: devices [0,1], slurm_job 12_3",
                          "failed   letters/1 umf at 64: no room", HasSubstr("8 of 20 done")));
}

TEST(StatusPicture, LaterOnlyChangesAre) {
  const Ordered before = status_of({worker("n1", 7), worker("n1", 8), worker("n2", 9, "dead")});
  EXPECT_THAT(news_of(before, before), IsEmpty());
  Ordered now = status_of({worker("n1", 7, "dead"), worker("n2", 9), worker("n3", 5)});
  EXPECT_THAT(news_of(before, now),
              ElementsAre("n1 pid 7 is dead or cut off: its jobs are free", "n2 pid 9 is back",
                          HasSubstr("n3 pid 5 is at work"), "n1 pid 8 has left"));
  now = before;
  now["done"] = 9;
  EXPECT_THAT(news_of(before, now), ElementsAre(HasSubstr("9 of 20 done")));
  now = before;
  now["total"] = 30;
  EXPECT_THAT(news_of(before, now), ElementsAre(HasSubstr("8 of 30 done"))) << "it was extended";
  now = status_of({worker("n1", 7), worker("n1", 8), worker("n2", 9, "dead")}, {failure("a")});
  EXPECT_THAT(news_of(before, now), ElementsAre(HasSubstr("a umf at 64"), HasSubstr("1 failed")));
}

TEST(StatusPicture, ARunIsOverWhenNothingMoreWillComeByItself) {
  Ordered status = status_of({worker("n1", 7)}, {failure("a")});
  EXPECT_FALSE(is_over(status));
  status["left"] = 0;
  EXPECT_FALSE(is_over(status)) << "somebody is at work";
  status["workers"] = {worker("n1", 7, "dead")};
  EXPECT_TRUE(is_over(status));
  status["left"] = 2;
  EXPECT_FALSE(is_over(status)) << "somebody may come";
  status["complete"] = true;
  EXPECT_TRUE(is_over(status));
}

}  // namespace
}  // namespace umf
