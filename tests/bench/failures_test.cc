// umf bench where judges, searches, files and disks fail.
#include <sys/stat.h>

#include <tuple>

#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

std::ptrdiff_t lines_of_text(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST_F(BenchCli, AFailedJudgeIsNeverAWrongAnswerAndIsAskedAgain) {
  const std::string judge = "cat > /dev/null; test -e " + place("works") + " && echo 1";
  problems(3, {{"type", "command"}, {"argv", {"sh", "-c", judge}}});
  const Finished first = umf(one("run", {"--budget", "16,40"}));
  EXPECT_EQ(first.status, 1) << first.err;
  EXPECT_THAT(first.out, testing::ContainsRegex("failed\nunmaskfork .* 3\n"));
  for (const Json& line : results("run")) {
    EXPECT_EQ(line["status"], "unjudged");
    EXPECT_EQ(line["passed"], nullptr);
  }
  const Json now = status("run");
  EXPECT_EQ(now["failed"], 6);
  EXPECT_EQ(now["complete"], false);
  EXPECT_THAT(now["failures"][0]["why"].get<std::string>(), HasSubstr("judge"));
  EXPECT_EQ(Json::parse(read_file(place("run/summary.json")))["groups"][0]["pass@1"], nullptr);

  EXPECT_EQ(umf(one("run", {"--budget", "16,40"})).status, 1) << "tried again, in vain";
  EXPECT_EQ(results("run")[0]["tries"], 2);
  write_file(place("works"), "");
  std::filesystem::remove_all(place("run/traces"));  // a search would need it
  const Finished second = umf(one("run", {"--budget", "16,40"}));
  EXPECT_EQ(second.status, 0) << second.err;
  for (const Json& line : results("run")) {
    EXPECT_EQ(line["passed"], true);
    EXPECT_EQ(line["tries"], 3);
  }
}

TEST_F(BenchCli, ASearchThatBreaksDownIsRecordedAndTriedAgain) {
  std::string lines = read_file(place("problems"));
  write_file(place("problems"),
             lines +
                 Json{{"id", "broken"},
                      {"prompt", "x"},
                      {"reward", {{"type", "command"}, {"argv", {place("judge")}}}},
                      {"hidden", nullptr}}
                     .dump() +
                 "\n");
  const Finished first = umf(one("run", {"--budget", "16"}));
  EXPECT_EQ(first.status, 1) << first.err;
  EXPECT_EQ(results("run").back()["status"], "failed");
  EXPECT_THAT(results("run").back()["why"].get<std::string>(), HasSubstr(place("judge")));
  write_file(place("judge"), "#!/bin/sh\ncat > /dev/null\necho 0.5\n");
  ASSERT_EQ(::chmod(place("judge").c_str(), 0755), 0);
  EXPECT_EQ(umf(one("run", {"--budget", "16"})).status, 0);
  EXPECT_EQ(results("run").back()["reward"], 0.5);
  EXPECT_EQ(results("run").back()["passed"], nullptr) << "there are no hidden tests";
}

TEST_F(BenchCli, AProblemWhosePromptDoesNotFitFailsAndIsNeverWrong) {
  std::string lines;
  for (const std::string& prompt : {std::string(20000, 'q'), std::string("short")}) {
    lines += Json{{"id", prompt.substr(0, 5)},
                  {"prompt", prompt},
                  {"reward", text_checks("ae")},
                  {"hidden", text_checks("ae")}}
                 .dump() +
             "\n";
  }
  write_file(place("problems"), lines);
  write_file(place("llada"), R"([{"name": "llada", "action": ["model=llada"]}])");
  const Finished run =
      umf(bench("run", {"--budget", "16,40", "--configs", place("llada"), "--quiet"}));
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 of 2"));
  EXPECT_THAT(run.out, testing::ContainsRegex("failed\nllada .* 1\n"));
  for (const Json& line : results("run")) {
    const bool fits = line["id"] == "short";
    EXPECT_EQ(line["status"], fits ? "done" : "failed");
    EXPECT_EQ(line["passed"].is_null(), !fits);
    EXPECT_EQ(line["why"].get<std::string>().starts_with("the prompt leaves no room"), !fits);
  }
  const Json now = status("run");
  EXPECT_EQ(now["judged"], 2);
  EXPECT_EQ(now["failed"], 2);
}

TEST_F(BenchCli, TablesSayHowManyProblemsWereLeftOut) {
  write_file(place("problems"), read_file(place("problems")) + "{\n{\"id\": 7}\n");
  const Finished run = umf(one("run", {"--budget", "16", "--skip-bad"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("2 malformed problems of the data set were left out"));
  EXPECT_EQ(Json::parse(read_file(place("run/summary.json")))["left_out"], 2);
}

TEST_F(BenchCli, TestsThatCanNeverRunFailTheirProblemBeforeTheFirstPass) {
  const Json broken = {{"type", "python-tests"}, {"tests", {{{"assert", "f(1 =="}}}}};
  std::string lines;
  for (const auto& [id, reward, hidden] : {std::tuple{"fine", text_checks("a"), text_checks("a")},
                                           std::tuple{"visible", broken, text_checks("a")},
                                           std::tuple{"hidden", text_checks("a"), broken}}) {
    lines +=
        Json{{"id", id}, {"prompt", "x"}, {"reward", reward}, {"hidden", hidden}}.dump() + "\n";
  }
  write_file(place("problems"), lines);
  const Finished run = umf(one("run", {"--budget", "16"}));
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 of 3"));
  EXPECT_THAT(run.out, testing::ContainsRegex("failed\nunmaskfork .* 2\n"));
  for (const Json& line : lines_of(place("run/results.jsonl"))) {
    const bool fine = line["id"] == "fine";
    EXPECT_EQ(line["status"], fine ? "done" : "failed") << line["id"];
    EXPECT_EQ(line["passes"] > 0, fine);
    EXPECT_EQ(line["why"].get<std::string>().find("f(1 ==") == std::string::npos, fine);
  }
}

TEST_F(BenchCli, AJudgeThatAlwaysFailsEndsItsSearchAndNotTheRun) {
  std::string lines = read_file(place("problems"));
  const std::string judge = "cat > /dev/null; echo x >> " + place("judged") + "; exit 3";
  write_file(place("problems"),
             lines +
                 Json{{"id", "unjudged"},
                      {"prompt", "x"},
                      {"reward", {{"type", "command"}, {"argv", {"sh", "-c", judge}}}},
                      {"hidden", text_checks("a")}}
                     .dump() +
                 "\n");
  const Finished run = umf(one("run", {"--budget", "400"}));
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(results("run").back()["status"], "failed");
  EXPECT_THAT(results("run").back()["why"].get<std::string>(),
              HasSubstr("the judge failed 3 times in a row"));
  EXPECT_LE(lines_of_text(read_file(place("judged"))), 4);
  EXPECT_EQ(status("run")["done"], 5);
}

TEST_F(BenchCli, ATornResultIsDoneAgain) {
  ASSERT_EQ(umf(one("run")).status, 0);
  const auto whole = results("run");
  const auto file = std::filesystem::directory_iterator(place("run/results"))->path();
  const std::string text = read_file(file);
  write_file(file, text.substr(0, text.size() - 30));
  EXPECT_EQ(status("run")["left"], 1);
  ASSERT_EQ(umf(one("run")).status, 0);
  EXPECT_EQ(results("run"), whole);
}

TEST_F(BenchCli, AFullDiskIsAnErrorAndDamagesNothing) {
  ASSERT_EQ(umf(three("whole")).status, 0);
  for (const char* blocks : {"1", "2", "4", "8", "16", "40"}) {  // of 512 bytes
    const std::string limit = std::string("trap '' XFSZ; ulimit -f ") + blocks + ";";
    expect_refusal(umf(three("run"), "", limit), "cannot write");
  }
  ASSERT_EQ(umf(three("run")).status, 0);
  auto lines = results("run");
  EXPECT_EQ(lines.size(), results("whole").size());
  for (Json& line : lines) line["tries"] = 1;  // a search that could not be saved was a failure
  EXPECT_EQ(lines, results("whole"));
}

TEST_F(BenchCli, ADirectoryThatCannotBeUsedIsNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  ASSERT_EQ(umf(one("run")).status, 0);
  for (const char* folder : {"run/results", "run/leases", "run/workers"}) {
    std::filesystem::permissions(place(folder), std::filesystem::perms::none);
    expect_refusal(umf(one("run")), folder);
    std::filesystem::permissions(place(folder), std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(umf(one("run")).status, 0);
}

TEST_F(BenchCli, ALogOnAFullDiskStopsNobody) {
  write_file(place("problems"), read_file(place("problems")) + "not a problem\n");
  std::string command = quoted(UMF_BINARY);
  for (const std::string& word :
       bench("run", {"--skip-bad", "--action", "model=dream", "--budget", "16"}))
    command += " " + quoted(word);
  const int status = std::system((command + " >/dev/null 2>/dev/full").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "what was left out could not be told";
  EXPECT_EQ(results("run").size(), 5u);
}

}  // namespace
}  // namespace umf
