// umf solve where it is stopped, and where judges, prompts and outputs do not do what they should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/solve_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

// A judge that gives 0.5 at first and, from its `number`-th answer on, says so and sleeps.
std::string sleeping_judge(int number, const std::string& judged, const std::string& asleep) {
  return judged_by("cat > /dev/null; echo x >> " + judged + "; test $(wc -l < " + judged +
                   ") -ge " + std::to_string(number) + " && { echo x > " + asleep +
                   "; sleep 600; }; echo 0.5");
}

TEST_F(SolveCli, ASecondSignalAtOnceIsTheSameRequestAndTheJudgeIsNotWaitedFor) {
  write_file(problem(), sleeping_judge(3, place("judged"), place("asleep")));
  Running run(two_models({"--window", "32", "--budget", "2000", "--json"}));
  await(place("asleep"));
  run.send(SIGTERM);
  sleep_ms(1);
  run.send(SIGTERM);
  const Finished stopped = run.wait();
  ASSERT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_EQ(Json::parse(stopped.out)["reward"], 0.5);
}

TEST_F(SolveCli, AnAnswerThatNobodyCouldJudgeIsPrintedWhenItIsTheOnlyOne) {
  for (const bool json : {true, false}) {
    write_file(problem(), sleeping_judge(1, place("judged"), place("asleep")));
    Running run(two_models({"--window", "32", json ? "--json" : "--threads=1"}));
    await(place("asleep"));
    run.send(SIGTERM);
    const Finished stopped = run.wait();
    ASSERT_EQ(stopped.status, 130) << stopped.err;
    if (json) {
      EXPECT_TRUE(Json::parse(stopped.out)["answer"].is_string());
      EXPECT_EQ(Json::parse(stopped.out)["reward"], nullptr);
      EXPECT_EQ(Json::parse(stopped.out)["why"], "stopped before it was judged");
    } else {
      EXPECT_NE(stopped.out, "");
      EXPECT_THAT(stopped.err, HasSubstr("no verdict: stopped before it was judged"));
    }
    std::filesystem::remove(place("asleep"));
  }
}

TEST_F(SolveCli, ABeamKeepsTheAnswerThatNobodyCouldJudge) {
  write_file(problem(), sleeping_judge(1, place("judged"), place("asleep")));
  Running run(one_model({"--window", "32", "--search", "treasure", "--json"}));
  await(place("asleep"));
  run.send(SIGINT);
  const Finished stopped = run.wait();
  ASSERT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_TRUE(Json::parse(stopped.out)["answer"].is_string());
}

TEST_F(SolveCli, NoVerdictIsRecordedOnceAStopWasAskedFor) {
  // It signals the search and then gives a verdict all the same.
  write_file(problem(), judged_by("cat > /dev/null; kill -TERM $PPID; sleep 1; echo 0.25"));
  const auto command = one_model({"--budget", "64", "--json", "--checkpoint", place("journal")});
  const Finished stopped = Running(command).wait();
  ASSERT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_EQ(read_file(place("journal")).find("verdict"), std::string::npos);
}

// ---- outputs

TEST_F(SolveCli, AMistypedOutputIsNoticedBeforeTheSearch) {
  write_file(problem(), judged_by("cat > /dev/null; echo x > " + place("judged") + "; echo 1"));
  for (const char* option : {"--trace", "--report", "--checkpoint"}) {
    expect_refusal(umf(one_model({option, place("no/such/file")})), "no/such/file");
    expect_refusal(umf(one_model({option, directory_.path().string()})), "cannot write");
    EXPECT_FALSE(std::filesystem::exists(place("judged"))) << option;
  }
  expect_refusal(umf(one_model({"--checkpoint", "-"})), "give it a file");
}

TEST_F(SolveCli, AnOutputThatFailsDoesNotCostTheAnswer) {
  std::filesystem::create_symlink("/dev/full", place("full"));
  for (const char* option : {"--trace", "--report"}) {
    const Finished run = umf(one_model({"--budget", "16", "--json", option, place("full")}));
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("No space left"));
    EXPECT_TRUE(Json::parse(run.out)["answer"].is_string());
  }
  EXPECT_TRUE(std::filesystem::is_symlink(place("full")));
}

TEST_F(SolveCli, ADashIsStdoutForOneThingAtATime) {
  const auto quiet = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--budget", "16", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return umf(one_model(words));
  };
  const std::string answer = quiet({}).out;
  const Finished trace = quiet({"--trace", "-"});
  EXPECT_EQ(Json::parse(trace.out)["iteration"], 1);
  EXPECT_EQ(trace.err, answer) << "stdout is taken";
  EXPECT_THAT(quiet({"--report", "-"}).out, HasSubstr("<html"));
  expect_refusal(quiet({"--trace", "-", "--report", "-"}), "would both go to stdout");
  expect_refusal(quiet({"--trace", "-", "--json"}), "--trace - and --json");
  EXPECT_FALSE(std::filesystem::exists("-"));
}

// ---- prompts and judges

TEST_F(SolveCli, APromptThatDoesNotFitIsSaidBeforeTheFirstPass) {
  for (const char* search : {"unmaskfork", "best-of-n", "treasure"}) {
    const Finished run = umf(one_model({"--window", "5000", "--search", search}));
    expect_refusal(run, "the prompt leaves no room for a window of 5000 tokens");
    EXPECT_THAT(run.err, HasSubstr("in a context of 4096 (llada)"));
    EXPECT_THAT(run.err, HasSubstr("take a window of at most 40"));
  }
}

TEST_F(SolveCli, AModelThatHasNoRoomLeavesTheSearchToTheOthers) {
  const Finished run = umf(two_models({"--window", "5000", "--budget", "2", "--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["actions"][0]["nfe"], 2) << "dream has a longer context";
  EXPECT_EQ(json["actions"][1]["nfe"], 0);
}

TEST_F(SolveCli, AJudgeThatAlwaysFailsEndsTheSearch) {
  const std::string script = "cat > /dev/null; echo x >> " + place("judged") + "; test -e " +
                             place("works") + " && echo 0.5";
  write_file(problem(), judged_by(script));
  for (const char* search : {"best-of-n", "treasure"}) {
    std::filesystem::remove(place("judged"));
    const Finished run = umf(
        one_model({"--action", "temperature=1", "--budget", "640", "--json", "--search", search}));
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("the judge failed 3 times in a row"));
    EXPECT_THAT(run.err, HasSubstr("the judge ended with status 1"));
    EXPECT_EQ(Json::parse(run.out)["search"]["stopped"], "error");
    const std::string judged = read_file(place("judged"));
    EXPECT_GE(std::ranges::count(judged, '\n'), 3);
    // A search of one walker looks at most four walks ahead.
    EXPECT_LE(std::ranges::count(judged, '\n'), 3 + 4) << "some may have been begun ahead";
  }
}

TEST_F(SolveCli, ATestThatIsNoPythonIsRefusedBeforeTheFirstPass) {
  const Json problem = {
      {"id", "p"},
      {"prompt", "Write f."},
      {"reward",
       {{"type", "python-tests"}, {"tests", {{{"assert", "f(1) == 1"}}, {{"assert", "f(1 =="}}}}}}};
  const Finished run = solve_text(problem.dump(), {"--budget", "16", "--checkpoint", place("j")});
  expect_refusal(run, "f(1 ==");
  EXPECT_FALSE(std::filesystem::exists(place("j")));
}

TEST_F(SolveCli, AJudgeThatWasMendedIsAskedAgain) {
  const std::string script = "cat > /dev/null; test -e " + place("works") + " && echo 0.5";
  write_file(problem(), judged_by(script));
  const auto command = [&](const std::string& checkpoint) {
    return two_models({"--budget", "160", "--json", "--checkpoint", place(checkpoint)});
  };
  EXPECT_EQ(umf(command("broken")).status, 2);
  write_file(place("works"), "");
  const Finished mended = umf(command("broken"));
  ASSERT_EQ(mended.status, 0) << mended.err;
  EXPECT_EQ(without_seconds(mended.out), without_seconds(umf(command("whole")).out));
}

// ---- checkpoints

TEST_F(SolveCli, TwoSearchesDoNotShareACheckpoint) {
  write_file(problem(), sleeping_judge(1, place("judged"), place("asleep")));
  const auto command = one_model({"--budget", "64", "--json", "--checkpoint", place("journal")});
  Running first(command);
  await(place("asleep"));
  const Finished second = umf(command);
  expect_refusal(second, "is the checkpoint of a search that is still running");
  EXPECT_THAT(second.err, HasSubstr(place("journal")));
  first.send(SIGTERM);
  EXPECT_EQ(first.wait().status, 130);
}

TEST_F(SolveCli, ReplayedWorkKeepsItsSeconds) {
  write_file(problem(), judged_by("cat > /dev/null; sleep 0.2; echo 0.5"));
  const auto command = two_models({"--budget", "48", "--json", "--checkpoint", place("journal")});
  const Json first = Json::parse(umf(command).out), again = Json::parse(umf(command).out);
  EXPECT_GE(again["seconds"]["reward"], 0.2);
  const double judging = first["seconds"]["reward"];
  EXPECT_NEAR(again["seconds"]["reward"].get<double>(), judging, judging / 2);
  EXPECT_GT(again["seconds"]["unmask"], 0);
}

}  // namespace
}  // namespace umf
