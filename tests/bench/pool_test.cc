// umf bench --pool-budget as its users see it.
#include <chrono>
#include <map>
#include <thread>

#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

class PoolCli : public BenchCli {
 protected:
  // Some problems are solved at once, some late, some never.
  PoolCli() {
    std::string lines;
    const char* wanted[] = {"never", "", "4", "4", "never", "assistant"};
    for (int i = 0; i < 6; ++i) {
      const Json reward = {{"type", "text"}, {"checks", {{{"contains", wanted[i]}}}}};
      lines += Json{{"id", "letters/" + std::to_string(i)},
                    {"prompt", "Write letters, as number " + std::to_string(i)},
                    {"reward", reward},
                    {"hidden", reward}}
                   .dump() +
               "\n";
    }
    write_file(place("problems"), lines);
    write_file(place("configs"), R"([
      {"name": "umf", "action": ["model=dream,temperature=0.4", "model=llada"]},
      {"name": "bon", "search": "best-of-n", "action": ["model=llada,temperature=0.8"]},
      {"name": "pair", "search": "pair", "pool-budget": 0, "budget": [32],
       "action": ["model=dream,temperature=0.7", "model=llada,temperature=0.8"]}])");
  }
  std::vector<std::string> pooled(const std::string& out,
                                  const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {
        "--configs", place("configs"), "--stop-at-reward", "1", "--budget", "48", "--quiet"};
    for (const auto& [option, value] :
         {std::pair{"--pool-budget", "48"}, std::pair{"--pool-cap", "160"}}) {
      if (std::ranges::find(more, option) == more.end()) words.insert(words.end(), {option, value});
    }
    words.insert(words.end(), more.begin(), more.end());
    return bench(out, words);
  }
  Json summary(const std::string& out) const {
    return Json::parse(read_file(place(out + "/summary.json")));
  }
  // Without what differs from run to run.
  Json pools(const std::string& out) const {
    Json json = summary(out)["pools"];
    for (Json& group : json["groups"]) {
      for (const char* key : {"seconds", "passes", "peak_memory_bytes"}) group.erase(key);
    }
    return json;
  }
  // The result lines by problem of one configuration, each by budget.
  std::vector<std::map<long, Json>> by_problem(const std::string& out,
                                               const std::string& configuration) const {
    std::vector<std::map<long, Json>> problems(6);
    for (const Json& line : results(out)) {
      if (line["configuration"] != configuration) continue;
      const int problem = std::stoi(line["id"].get<std::string>().substr(8));
      problems[problem][line["budget"]] = line;
    }
    return problems;
  }
};

TEST_F(PoolCli, IsTheSameForAnyNumberOfWorkers) {
  const Finished one = umf(pooled("one"));
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(umf(pooled("three", {"--workers", "3"})).status, 0);
  EXPECT_EQ(results("three"), results("one"));
  EXPECT_EQ(pools("three"), pools("one"));
  EXPECT_EQ(read_file(place("three/samples/umf-48-pool.jsonl")),
            read_file(place("one/samples/umf-48-pool.jsonl")));
  EXPECT_EQ(lines_of(place("one/samples/umf-48-pool.jsonl")).size(), 6);
  EXPECT_EQ(lines_of(place("one/samples.jsonl")).size(), 6 * 3) << "the budgets that are reported";
  EXPECT_THAT(one.out, HasSubstr("budgets pooled over all problems"));
}

TEST_F(PoolCli, IsTheSameAfterAKillAndResume) {
  ASSERT_EQ(umf(pooled("whole")).status, 0);
  for (int i = 0; i < 4; ++i) {
    Running run(pooled("run"));
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 40 * i));
    run.send(SIGKILL);
    run.wait();
  }
  ASSERT_EQ(umf(pooled("run")).status, 0);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_EQ(pools("run"), pools("whole"));
}

// The rounds once more, by hand and from the lines of the results.
TEST_F(PoolCli, SpendsWhatSolvedProblemsLeaveAndNeverMore) {
  ASSERT_EQ(umf(pooled("run")).status, 0);
  const Json all = summary("run");
  EXPECT_EQ(all["complete"], true);
  EXPECT_EQ(all["groups"].size(), 3) << "steps of the pool are no groups";
  ASSERT_EQ(all["pools"]["groups"].size(), 2) << "the pair has none";
  EXPECT_EQ(all["pools"]["comparisons"].size(), 1);
  for (const Json& group : all["pools"]["groups"]) {
    const auto problems = by_problem("run", group["configuration"]);
    std::vector<long> budgets(6, 0);
    long spent = 0;
    for (bool more = true; more;) {
      more = false;
      for (int p = 0; p < 6; ++p) {
        const bool open =
            budgets[p] == 0 ||
            (problems[p].at(budgets[p])["search"]["stopped"] == "budget" && budgets[p] + 16 <= 160);
        if (!open) continue;
        const long before =
            budgets[p] == 0 ? 0 : problems[p].at(budgets[p])["search"]["nfe"].get<long>();
        if (spent + 16 > 6 * 48) {
          more = false;
          break;
        }
        more = true;
        budgets[p] += 16;
        spent += problems[p].at(budgets[p])["search"]["nfe"].get<long>() - before;
      }
    }
    EXPECT_EQ(group["pool"]["budgets"], Json(budgets));
    EXPECT_EQ(group["pool"]["spent"], spent);
    EXPECT_EQ(group["pool"]["passes"], 6 * 48);
    EXPECT_LE(spent, 6 * 48);
    EXPECT_GE(group["passes"], spent) << "searches went on to the cap";
    EXPECT_NEAR(group["nfe"], spent / 6.0, 1e-9);
    EXPECT_GT(*std::ranges::max_element(budgets), 48) << "nothing was left to anyone";
    int passed = 0;
    for (int p = 0; p < 6; ++p) passed += problems[p].at(budgets[p])["passed"] == true;
    EXPECT_EQ(group["passed"], passed);
  }
}

TEST_F(PoolCli, AProblemGetsWhatASearchWithItsBudgetGives) {
  ASSERT_EQ(umf(pooled("run")).status, 0);
  const Json budgets = summary("run")["pools"]["groups"][0]["pool"]["budgets"];
  const std::string budget = budgets[0].dump();
  ASSERT_EQ(umf(bench("alone", {"--configs", place("configs"), "--stop-at-reward", "1", "--budget",
                                budget, "--limit", "1", "--quiet"}))
                .status,
            0);
  EXPECT_EQ(results("alone")[0], by_problem("run", "umf")[0].at(std::stol(budget)));
}

TEST_F(PoolCli, WithoutABudgetPerProblemThatOfThePoolIsReported) {
  const std::vector<std::string> words = {"bench",     place("problems"),
                                          "--out",     place("run"),
                                          "--model",   "dream=" + tiny("tiny-dream"),
                                          "--window",  "16",
                                          "--threads", "1",
                                          "--limit",   "2",
                                          "--quiet",   "--pool-budget",
                                          "32",        "--pool-quantum",
                                          "8"};
  const Finished run = umf(words);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(summary("run")["groups"][0]["budget"], 32);
  const Json config = Json::parse(read_file(place("run/config.json")));
  EXPECT_EQ(config["configurations"][0]["pool"],
            (Json{{"budget", 32}, {"quantum", 8}, {"cap", 256}}));
  std::vector<std::string> page = {"report", place("run"), "--out", place("page.html")};
  EXPECT_EQ(umf(page).status, 0);
}

TEST_F(PoolCli, RefusesWhatCannotBe) {
  expect_refusal(umf(pooled("run", {"--pool-budget", "8"})), "one quantum of 16 passes");
  expect_refusal(umf(pooled("run", {"--pool-budget", "-3"})), "--pool-budget is at least 1");
  expect_refusal(umf(pooled("run", {"--pool-cap", "20"})), "--pool-cap 20 is below");
  expect_refusal(umf(one("run", {"--pool-cap", "96"})), "need a --pool-budget");
  expect_refusal(umf(pooled("run", {"--budget-policy", "finish"})), "goes beyond it");
  write_file(place("configs"), R"([{"name": "p", "search": "pair",
       "action": ["model=dream,temperature=0.7", "model=llada,temperature=0.8"]}])");
  expect_refusal(umf(pooled("run")), "give its configuration \"pool-budget\": 0");
  EXPECT_FALSE(std::filesystem::exists(place("run"))) << "nothing was begun";
}

TEST_F(PoolCli, AnotherPoolIsAnotherRun) {
  ASSERT_EQ(umf(pooled("run", {"--limit", "1"})).status, 0);
  expect_refusal(umf(pooled("run", {"--limit", "1", "--pool-cap", "176"})),
                 "/configurations/0/pool/cap = 160");
}

}  // namespace
}  // namespace umf
