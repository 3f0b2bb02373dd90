#include "bench/result_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/files.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

Result result(const std::string& id, long budget, ResultStatus status = ResultStatus::kDone) {
  Result r;
  r.key = {id, "umf", budget};
  r.status = status;
  r.answer = "\xCE\xB1\n\"quoted\"";
  if (status == ResultStatus::kDone) r.passed = true;
  r.reward = 0.625;
  r.path = {"dream", "llada"};
  r.nfe = 768;
  r.peak_memory_bytes = 1ull << 40;
  r.worker = "w";
  return r;
}

class ResultLog : public testing::Test {
 protected:
  ResultIndex read() const {
    ResultIndex index(directory_.path());
    index.refresh();
    return index;
  }
  TemporaryDirectory directory_;
};

TEST_F(ResultLog, ALineSurvivesTheFile) {
  const Result r = result("a/1", 16);
  const std::string line = result_line(r);
  EXPECT_EQ(result_line(parse_result(line.substr(0, line.size() - 1), "here")), line);
}

TEST_F(ResultLog, AllReadWhatEachAppends) {
  ResultWriter one(directory_ / "one.jsonl"), two(directory_ / "two.jsonl");
  ResultIndex index(directory_.path());
  one.append(result("a", 16));
  index.refresh();
  EXPECT_EQ(index.all().size(), 1);
  two.append(result("b", 16));
  one.append(result("a", 32));
  index.refresh();
  EXPECT_EQ(index.all().size(), 3);
  ASSERT_TRUE(index.find({"b", "umf", 16}));
  EXPECT_FALSE(index.find({"b", "umf", 32}));
}

TEST_F(ResultLog, ATornLastLineIsNotThereUntilItIsWhole) {
  const std::string whole = result_line(result("a", 16)), next = result_line(result("b", 16));
  for (std::size_t size = 0; size < next.size(); size += 7) {
    write_file(directory_ / "w.jsonl", whole + next.substr(0, size));
    EXPECT_EQ(read().all().size(), 1) << size;
  }
  ResultIndex index(directory_.path());
  index.refresh();
  write_file(directory_ / "w.jsonl", whole + next);
  index.refresh();
  EXPECT_EQ(index.all().size(), 2);
}

TEST_F(ResultLog, DamageInsideIsAnErrorThatNamesThePlace) {
  write_file(directory_ / "w.jsonl", result_line(result("a", 16)) + "{\"id\": 3}\n");
  EXPECT_ERROR(read(), "w.jsonl' at byte");
}

TEST_F(ResultLog, ASettledResultBeatsAFailureAndIsKeptOnce) {
  ResultWriter one(directory_ / "one.jsonl"), two(directory_ / "two.jsonl");
  one.append(result("a", 16, ResultStatus::kUnjudged));
  two.append(result("a", 16));
  two.append(result("a", 16));
  one.append(result("a", 16, ResultStatus::kFailed));
  EXPECT_EQ(read().all().size(), 1);
  EXPECT_TRUE(read().find({"a", "umf", 16})->settled());
}

TEST_F(ResultLog, AFullDiskIsAnErrorAndLeavesWholeLinesOnly) {
  ResultWriter writer(directory_ / "w.jsonl");
  writer.append(result("a", 16));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{result_line(result("a", 16)).size() + 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  EXPECT_ERROR(writer.append(result("b", 16)), "cannot write");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(directory_ / "w.jsonl"), result_line(result("a", 16)));
  writer.append(result("b", 16));
  EXPECT_EQ(read().all().size(), 2);
}

// Over a network a line may have its size before it has its bytes.
TEST_F(ResultLog, ABadLineIsTriedAgainByThoseWhoWork) {
  const std::string first = result_line(result("a", 16)), second = result_line(result("b", 16)),
                    third = result_line(result("c", 16));
  ResultIndex index(directory_.path(), BadLines::kAreWarnings);
  write_file(directory_ / "w.jsonl", first + std::string(second.size() - 1, '\0') + "\n" + third);
  index.refresh();
  EXPECT_EQ(index.all().size(), 2);
  ASSERT_EQ(index.warnings().size(), 1);
  EXPECT_THAT(index.warnings()[0], testing::HasSubstr("w.jsonl' at byte"));
  write_file(directory_ / "w.jsonl", first + second + third);
  index.refresh();
  EXPECT_EQ(index.all().size(), 3);
  EXPECT_TRUE(index.warnings().empty());
}

TEST_F(ResultLog, ZerosThatSwallowALineGiveItBack) {
  const std::string first = result_line(result("a", 16)), second = result_line(result("b", 16));
  ResultIndex index(directory_.path(), BadLines::kAreWarnings);
  write_file(directory_ / "w.jsonl", std::string(first.size(), '\0') + second);
  index.refresh();
  EXPECT_EQ(index.all().size(), 0);
  write_file(directory_ / "w.jsonl", first + second);
  index.refresh();
  EXPECT_EQ(index.all().size(), 2);
  EXPECT_TRUE(index.warnings().empty());
}

TEST_F(ResultLog, ALineThatIsNotAsItWasWrittenIsNoResult) {
  std::string line = result_line(result("a", 16));
  line.replace(line.find("\"passed\":true"), 13, "\"passed\":null");
  write_file(directory_ / "w.jsonl", line);
  EXPECT_ERROR(read(), "is damaged");
}

TEST_F(ResultLog, LinesOfEarlierVersionsHaveNoChecksum) {
  write_file(directory_ / "w.jsonl", result_row(result("a", 16)));
  EXPECT_EQ(read().all().size(), 1);
}

TEST_F(ResultLog, FilesOfThoseWhoLeftAreReadOnce) {
  ResultWriter gone(directory_ / "gone.jsonl"), here(directory_ / "here.jsonl");
  gone.append(result("a", 16));
  here.append(result("b", 16));
  ResultIndex index(directory_.path());
  const auto has_left = [](const std::string& worker) { return worker == "gone"; };
  index.refresh(has_left);
  EXPECT_EQ(index.all().size(), 2);
  const long before = index.operations();
  index.refresh(has_left);
  EXPECT_EQ(index.operations(), before + 2) << "a listing, and a look at the other file";
  gone.append(result("c", 16));  // it was taken for one who left
  index.refresh_all();
  EXPECT_EQ(index.all().size(), 3);
}

}  // namespace
}  // namespace umf
