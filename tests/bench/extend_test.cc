// umf bench --extend and --seeds as their users see them.
#include <map>
#include <set>

#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExtendCli : public BenchCli {
 protected:
  // A file of one configuration, best-of-n by that name.
  std::string another(const std::string& name) const {
    write_file(place(name), Json::array({{{"name", name},
                                          {"search", "best-of-n"},
                                          {"budget", 24},
                                          {"action", {"model=llada,temperature=0.8"}}}})
                                .dump());
    return place(name);
  }
  std::vector<std::string> adding(const std::string& out, const std::string& name) const {
    return bench(out, {"--extend", "--configs", another(name), "--quiet"});
  }
  // Lines by whoever wrote them, in all result files of a run.
  std::vector<Json> recorded(const std::string& out) const {
    std::vector<Json> lines;
    for (const auto& entry : std::filesystem::directory_iterator(place(out + "/results"))) {
      for (Json& line : lines_of(entry.path())) lines.push_back(std::move(line));
    }
    return lines;
  }
  bool has_checkpoint(const std::string& out, std::uintmax_t bytes) const {
    std::error_code absent;
    for (const auto& entry :
         std::filesystem::directory_iterator(place(out + "/checkpoints"), absent)) {
      if (entry.file_size() > bytes) return true;
    }
    return false;
  }
  std::set<std::string> configurations(const std::string& out) const {
    std::set<std::string> names;
    for (const Json& line : results(out)) names.insert(line["configuration"]);
    return names;
  }
};

TEST_F(ExtendCli, AGrownRunHasTheResultsOfOneThatBeganSo) {
  ASSERT_EQ(umf(one("run", {"--limit", "3", "--budget", "16,40"})).status, 0);
  const auto began = lines_of(place("run/results.jsonl"));
  const Finished extended = umf(one("run", {"--extend", "--budget", "100,16", "--seeds", "0,3"}));
  ASSERT_EQ(extended.status, 0) << extended.err;
  ASSERT_EQ(umf(one("whole", {"--budget", "16,40,100", "--seeds", "0,3"})).status, 0);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_EQ(results("run").size(), 5 * 3 * 2);
  EXPECT_EQ(recorded("run").size(), 5 * 3 * 2) << "nothing was searched for twice";
  const auto now = lines_of(place("run/results.jsonl"));
  for (const Json& line : began)
    EXPECT_TRUE(std::ranges::find(now, line) != now.end()) << "what was there is used";
  EXPECT_EQ(read_file(place("run/problems.jsonl")), read_file(place("whole/problems.jsonl")));
  EXPECT_TRUE(status("run")["complete"].get<bool>());
  EXPECT_EQ(status("run")["total"], 30);
  // Whoever repeats a command of the run has nothing to do.
  for (const auto& again : {one("run", {"--limit", "3", "--budget", "16,40"}),
                            one("run", {"--budget", "16,40,100", "--seeds", "0,3"})})
    EXPECT_EQ(umf(again).status, 0);
  EXPECT_EQ(lines_of(place("run/results.jsonl")), now);
}

// The first search has the configuration's budget up to 40 under way when the run gets one of 100.
TEST_F(ExtendCli, WhoeverIsAtWorkFinishesWhatItKnows) {
  Running old(one("run", {"--window", "64", "--no-cache", "--budget", "800"}));
  await([&] { return std::filesystem::exists(place("run/config.json")); });
  const Finished added = umf(adding("run", "bon"));
  EXPECT_EQ(added.status, 0) << added.err;
  const Finished finished = old.wait();
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("bon")) << "it shows the run as it is now";
  EXPECT_EQ(configurations("run"), (std::set<std::string>{"bon", "unmaskfork"}))
      << "and writes the views of all of it";
  EXPECT_EQ(recorded("run").size(), 10);
  EXPECT_TRUE(status("run")["complete"].get<bool>());
  for (const char* folder : {"leases", "workers", "checkpoints"})
    EXPECT_TRUE(std::filesystem::is_empty(place(std::string("run/") + folder))) << folder;
}

TEST_F(ExtendCli, WhoIsDoneLeavesTheRestToThoseWhoKnowIt) {
  const std::vector<std::string> endless = {"--window", "64", "--no-cache", "--budget", "2000000"};
  Running old(one("run", endless));
  await([&] { return has_checkpoint("run", 20000); });
  std::vector<std::string> words = adding("run", "bon");
  std::erase(words, "--quiet");
  const Finished added = umf(words);
  EXPECT_EQ(added.status, 0) << added.err;
  EXPECT_THAT(added.err, HasSubstr("what this command names is done; the run has more"));
  EXPECT_FALSE(status("run")["complete"].get<bool>());
  old.send(SIGTERM);
  EXPECT_EQ(old.wait().status, 75);
  EXPECT_FALSE(std::filesystem::is_empty(place("run/checkpoints"))) << "another's search goes on";
  EXPECT_EQ(configurations("run"), (std::set<std::string>{"bon"}));
}

TEST_F(ExtendCli, ASearchThatWasStoppedGoesOnToALargerBudget) {
  const auto command = [&](const std::string& out, const std::string& budget) {
    return one(out, {"--limit", "1", "--window", "64", "--no-cache", "--budget", budget});
  };
  Running stopped(command("run", "1500"));
  await([&] { return has_checkpoint("run", 5000); });
  stopped.send(SIGTERM);
  ASSERT_EQ(stopped.wait().status, 75);
  std::vector<std::string> words = command("run", "1600");
  words.push_back("--extend");
  ASSERT_EQ(umf(words).status, 0);
  ASSERT_EQ(umf(command("whole", "1500,1600")).status, 0);
  EXPECT_EQ(results("run"), results("whole"));
}

TEST_F(ExtendCli, OfTwoWhoExtendAtOnceBothAreServed) {
  ASSERT_EQ(umf(one("run", {"--budget", "16"})).status, 0);
  Running first(adding("run", "bon")), second(adding("run", "bob"));
  EXPECT_EQ(first.wait().status, 0);
  EXPECT_EQ(second.wait().status, 0);
  EXPECT_EQ(configurations("run"), (std::set<std::string>{"bob", "bon", "unmaskfork"}));
  EXPECT_TRUE(status("run")["complete"].get<bool>());
}

TEST_F(ExtendCli, WhatCannotBeAddedIsRefusedAndChangesNothing) {
  expect_refusal(umf(one("run", {"--extend"})), "--extend, but there is no run");
  EXPECT_FALSE(std::filesystem::exists(place("run")));
  ASSERT_EQ(umf(one("run", {"--limit", "3", "--budget", "16"})).status, 0);
  expect_refusal(umf(one("run", {"--limit", "3", "--budget", "32"})), "add to it with --extend");
  expect_refusal(umf(one("run", {"--extend", "--resume"})), "--extend and --resume");
  expect_refusal(umf(one("run", {"--extend", "--window", "24"})),
                 "configuration 'unmaskfork': it has /window = 16, and this command 24");
  expect_refusal(umf(one("run", {"--extend", "--drop-tests", "0.5"})), "/tests/drop_rate");
  expect_refusal(umf(one("run", {"--extend", "--backend", "reference"})), "/backend");
  expect_refusal(umf(one("run", {"--seeds", "3-1"})), "ranges that go up, not '3-1'");
  expect_refusal(umf(one("run", {"--seeds", "1,x"})), "not 'x'");
  expect_refusal(umf(one("run", {"--seeds", "0-100"})), "at most 100 seeds");
  expect_refusal(umf(one("run", {"--seeds", "1,2", "--pool-budget", "32"})),
                 "a pool is of one seed");
  std::string text = read_file(place("problems"));
  write_file(place("others"), text);
  const auto others = [&](const std::string& out) {
    std::vector<std::string> words = one(out, {"--extend", "--budget", "16"});
    words[1] = place("others");
    return umf(words);
  };
  expect_refusal(others("run"), "those of 'others' cannot be added");
  text.replace(text.find("number 1"), 8, "number 7");
  write_file(place("problems"), text);
  expect_refusal(umf(one("run", {"--extend", "--budget", "16"})),
                 "its problem 'letters/1' is another one");
  EXPECT_FALSE(std::filesystem::exists(place("run/extensions")));
}

// Their seeds would not follow: under one name workers would search otherwise.
TEST_F(ExtendCli, ActionsWithSeedsOfTheirOwnHaveOneSeed) {
  const auto command = [&](const std::string& action, std::vector<std::string> more) {
    more.insert(more.end(), {"--budget", "16", "--limit", "2", "--quiet", "--search", "best-of-n",
                             "--action", "model=dream,temperature=1" + action});
    return umf(bench("run", more));
  };
  expect_refusal(command(",seed=4", {"--seeds", "4,5"}), "a seed or a number of passes of its own");
  ASSERT_EQ(command(",seed=0", {}).status, 0);
  ASSERT_EQ(command("", {"--extend", "--seeds", "1"}).status, 0);
  expect_refusal(command(",seed=0", {}), "a seed or a number of passes of its own");
}

TEST_F(ExtendCli, PoolsAreThoseOfARunThatBeganSo) {
  const auto pooled = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.end(), {"--pool-budget", "32", "--pool-cap", "64"});
    return umf(one(out, more));
  };
  ASSERT_EQ(pooled("run", {"--limit", "3", "--budget", "16"}).status, 0);
  ASSERT_EQ(pooled("run", {"--extend", "--budget", "40"}).status, 0);
  ASSERT_EQ(pooled("whole", {"--budget", "16,40"}).status, 0);
  EXPECT_EQ(results("run"), results("whole"));
  const auto pool = [&](const std::string& out) {
    return Json::parse(read_file(place(out + "/summary.json")))["pools"]["groups"][0]["pool"];
  };
  EXPECT_EQ(pool("run"), pool("whole"));
  EXPECT_EQ(pool("run")["budgets"].size(), 5);
  expect_refusal(umf(one("run", {"--extend", "--pool-budget", "32", "--pool-cap", "96"})),
                 "its pool is");
}

// As a version without seeds and fingerprints left it.
TEST_F(ExtendCli, ARunOfAnEarlierVersionGoesOnAndGrows) {
  ASSERT_EQ(umf(one("run", {"--budget", "16", "--seed", "7", "--limit", "3"})).status, 0);
  const auto before = results("run");
  Json config = Json::parse(read_file(place("run/config.json")));
  config["dataset"].erase("problem_fingerprints");
  write_file(place("run/config.json"), config.dump(1));
  for (const auto& entry : std::filesystem::directory_iterator(place("run/results"))) {
    std::string lines;
    for (Json line : lines_of(entry.path())) {
      line.erase("seed");
      line.erase("made_for");
      lines += line.dump() + "\n";
    }
    write_file(entry.path(), lines);
  }
  ASSERT_EQ(umf(one("run", {"--budget", "16", "--seed", "7", "--limit", "3"})).status, 0);
  EXPECT_EQ(recorded("run").size(), 3) << "there was nothing to do";
  EXPECT_EQ(results("run"), before);
  ASSERT_EQ(umf(one("run", {"--extend", "--budget", "32", "--seed", "7", "--limit", "3"})).status,
            0);
  EXPECT_EQ(results("run").size(), 6);
  expect_refusal(umf(one("run", {"--extend", "--budget", "16", "--seed", "7"})),
                 "begun by an earlier version");
}

TEST_F(ExtendCli, SeveralSeedsAreOneConfigurationWhoseSearchesAreThoseOfEach) {
  const auto random = [&](const std::string& out, std::vector<std::string> more) {
    more.insert(more.end(), {"--configs", place("configs"), "--quiet", "--limit", "3"});
    return umf(bench(out, more));
  };
  ASSERT_EQ(random("both", {"--seeds", "2,5"}).status, 0);
  for (const char* seed : {"2", "5"}) {
    ASSERT_EQ(random(seed, {"--seed", seed}).status, 0);
    std::vector<Json> own = results("both");
    std::erase_if(own, [&](const Json& line) { return line["seed"].dump() != seed; });
    EXPECT_EQ(own, results(seed)) << seed;
  }
  EXPECT_NE(read_file(place("2/samples.jsonl")), read_file(place("5/samples.jsonl")));
  EXPECT_EQ(lines_of(place("both/samples/umf-40.jsonl")).size(), 3);
  EXPECT_EQ(read_file(place("both/samples/umf-40-s5.jsonl")),
            read_file(place("5/samples/umf-40.jsonl")));
  EXPECT_TRUE(std::filesystem::exists(place("both/traces/00000-000s5-100.jsonl")));
  const Json summary = Json::parse(read_file(place("both/summary.json")));
  EXPECT_EQ(summary["groups"].size(), 8);
  EXPECT_EQ(summary["groups"][0]["seeds"][1]["seed"], 5);
  EXPECT_EQ(summary["comparisons"][0]["test"], "sign-flip");
  EXPECT_EQ(summary["comparisons"][0]["problems"], 3) << "seeds are no further problems";

  const Finished compared = umf({"compare", place("both")});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("2 seeds"));
  EXPECT_THAT(compared.out, HasSubstr("sign-flip"));
  const Finished across = umf({"compare", place("both"), place("2"), "--json"});
  EXPECT_EQ(across.status, 0) << across.err;
  EXPECT_THAT(across.out, HasSubstr("2 and 1 seeds"));
  const Finished report = umf(
      {"report", place("both"), "--export", place("paper"), "--out", place("page.html"), "--json"});
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(read_file(place("paper/seeds.csv")), HasSubstr("umf,40,5,3,"));
  EXPECT_THAT(read_file(place("paper/problems.csv")), HasSubstr("nfe,seed\n"));
  EXPECT_THAT(read_file(place("page.html")), HasSubstr("\"seeds\":[2,5]"));
  EXPECT_EQ(status("both")["total"], 48);
}

// No GPU is needed to look at a run that was made on two kinds.
TEST_F(ExtendCli, MixedDevicesAreMarkedWhereverARunIsShown) {
  ASSERT_EQ(umf(one("run", {"--budget", "16"})).status, 0);
  Json config = Json::parse(read_file(place("run/config.json")));
  EXPECT_FALSE(config.contains("devices")) << "processors give the same bits everywhere";
  config["devices"] = {"GPU A", "GPU B"};
  write_file(place("run/config.json"), config.dump(1));
  EXPECT_TRUE(status("run")["mixed_devices"].get<bool>());
  EXPECT_THAT(umf({"status", place("run")}).out, HasSubstr("mixed devices"));
  EXPECT_THAT(umf(one("run", {"--budget", "16"})).out, HasSubstr("mixed devices: GPU A; GPU B"));
  EXPECT_TRUE(Json::parse(read_file(place("run/summary.json")))["mixed_devices"].get<bool>());
  ASSERT_EQ(umf({"report", place("run"), "--out", place("page.html")}).status, 0);
  EXPECT_THAT(read_file(place("page.html")), HasSubstr("Devices, mixed"));
}

TEST_F(ExtendCli, AConfigurationThatWasChangedByHandIsNotMixedWithItsResults) {
  ASSERT_EQ(umf(one("run", {"--budget", "16"})).status, 0);
  Json config = Json::parse(read_file(place("run/config.json")));
  config["configurations"][0]["cache"] = false;
  write_file(place("run/config.json"), config.dump(1));
  expect_refusal(umf({"status", place("run")}), "its config.json was changed");
  expect_refusal(umf(one("run", {"--budget", "16", "--no-cache"})), "its config.json was changed");
}

}  // namespace
}  // namespace umf
