// umf report and umf solve --report as their users see them; tests/browser looks at the pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const kProblem =
    R"({"id": "letters", "prompt": "Say something.",
        "reward": {"type": "text", "checks": [{"contains": "a"}, {"contains": "e"}]}})";

class ReportCli : public testing::Test {
 protected:
  std::string place(const std::string& name) const { return (directory_ / name).string(); }
  TemporaryDirectory directory_;
};

TEST_F(ReportCli, WritesOnePageOfARun) {
  write_file(place("problems"), std::string(Json::parse(kProblem).dump()) + "\n");
  const Finished bench = umf(
      {"bench", place("problems"), "--out", place("run"), "--model", "dream=" + tiny("tiny-dream"),
       "--model", "llada=" + tiny("tiny-llada"), "--window", "16", "--budget", "16,64"});
  ASSERT_EQ(bench.status, 0) << bench.err;
  const Finished report =
      umf({"report", place("run"), "--out", place("page.html"), "--title", "T & T"});
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_EQ(report.out, "");
  EXPECT_EQ(report.err, "");
  const std::string page = read_file(place("page.html"));
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("<title>T &amp; T</title>"));
  EXPECT_THAT(page, HasSubstr("\"actions\":[\"dream\",\"llada\"]"));
  EXPECT_THAT(page,
              HasSubstr("umf bench " + place("problems") + " --out " + place("run") + " --model"))
      << "how the run was made";
  ASSERT_EQ(umf({"report", place("run"), "--out", place("again.html"), "--title", "T & T"}).status,
            0);
  EXPECT_EQ(read_file(place("again.html")), page) << "of the same run the same bytes";
  EXPECT_THAT(read_file(place("run/problems.jsonl")),
              testing::Eq("{\"id\":\"letters\",\"prompt\":\"Say something.\"}\n"));
}

TEST_F(ReportCli, SaysWhatIsMissing) {
  expect_refusal(umf({"report"}), "needs the directories");
  expect_refusal(umf({"report", place("")}), "needs --out");
  expect_refusal(umf({"report", place("nothing"), "--out", place("x")}), "there is no run in");
  expect_refusal(umf({"report", place(""), "--out", place("x"), "--limit-mb", "0"}), "--limit-mb");
  EXPECT_FALSE(std::filesystem::exists(place("x")));
}

TEST_F(ReportCli, SolveWritesThePageOfItsSearchAndTheSameTrace) {
  write_file(place("problem"), kProblem);
  const std::vector<std::string> words = {"solve",    place("problem"),
                                          "--model",  "dream=" + tiny("tiny-dream"),
                                          "--window", "16",
                                          "--budget", "40",
                                          "--quiet"};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    const Finished solve = umf(more);
    EXPECT_EQ(solve.status, 0) << solve.err;
    return solve.out;
  };
  const std::string plain = run({"--trace", place("plain")});
  EXPECT_EQ(run({"--trace", place("trace"), "--report", place("page.html")}), plain);
  EXPECT_EQ(read_file(place("trace")), read_file(place("plain")));
  const std::string page = read_file(place("page.html"));
  EXPECT_THAT(page, HasSubstr("<title>letters</title>"));
  EXPECT_THAT(page, HasSubstr("umf solve " + place("problem") + " --model dream="))
      << "its command";
  EXPECT_THAT(page, HasSubstr("\"Made\":\"2"));
}

}  // namespace
}  // namespace umf
