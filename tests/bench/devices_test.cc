// Runs on several devices. Here the cpu backend's only one is listed twice: each time it is a
// device of its own.
#include <set>

#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

class BenchDevices : public BenchCli {
 protected:
  std::vector<std::string> on_two(std::vector<std::string> words,
                                  const std::vector<std::string>& more = {}) const {
    words.insert(words.end(), {"--backend", "cpu", "--devices", "0,0"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::set<std::string> workers(const std::string& out) const {
    std::set<std::string> names;
    for (const Json& line : lines_of(place(out + "/results.jsonl"))) names.insert(line["worker"]);
    return names;
  }
};

TEST_F(BenchDevices, EachDeviceHasAWorkerAndTheResultsAreThoseOfOne) {
  std::vector<std::string> words = three("one");
  words.insert(words.end(), {"--backend", "cpu", "--device", "0"});
  ASSERT_EQ(umf(words).status, 0);
  const Finished two = umf(on_two(three("two")));
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(results("two"), results("one"));
  EXPECT_EQ(workers("one").size(), 1);
  EXPECT_EQ(workers("two").size(), 2);
  const Finished again = umf(on_two(three("one")));
  EXPECT_EQ(again.status, 0) << "devices are no part of a run: it goes on with others" << again.err;
  EXPECT_EQ(results("one"), results("two"));
}

TEST_F(BenchDevices, ModelsOnDifferentDevicesGiveTheSameResults) {
  ASSERT_EQ(umf(one("one")).status, 0);
  const Finished placed = umf(on_two(one("placed"), {"--place", "dream=1,llada=0"}));
  ASSERT_EQ(placed.status, 0) << placed.err;
  EXPECT_EQ(results("placed"), results("one"));
  const Finished spread = umf(on_two(one("spread"), {"--memory-limit", "0.0007"}));
  ASSERT_EQ(spread.status, 0) << spread.err;
  EXPECT_EQ(results("spread"), results("one"));
}

TEST_F(BenchDevices, AWorkerSaysOnWhichDeviceItIs) {
  const auto about = [&](const std::string& out, const std::vector<std::string>& devices) {
    std::vector<std::string> words = {"--window",   "64",        "--budget", "2000000",
                                      "--no-cache", "--backend", "cpu"};
    words.insert(words.end(), devices.begin(), devices.end());
    Running worker(one(out, words));
    Json workers = Json::array();
    await([&] {
      if (std::filesystem::exists(place(out + "/config.json"))) workers = status(out)["workers"];
      return !workers.empty();
    });
    return workers.at(0)["about"];
  };
  EXPECT_EQ(about("one", {"--device", "0"})["device"], "0");
  EXPECT_EQ(about("listed", {"--devices", "0"})["devices"], "dream on 0, llada on 0");
  EXPECT_FALSE(about("any", {}).contains("device")) << "nobody said so";
}

TEST_F(BenchDevices, APlaceThatNoModelHasIsRefusedBeforeAnythingIsWritten) {
  expect_refusal(umf(on_two(one("run"), {"--place", "draem=1"})), "there is no model 'draem'");
  EXPECT_FALSE(std::filesystem::exists(place("run")));
}

TEST_F(BenchDevices, TuningOnTwoDevicesFindsTheSame) {
  problems(3, text_checks("a"));
  const auto tuned = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"tune",      place("problems"),
                                      "--out",     place(out),
                                      "--model",   "dream=" + tiny("tiny-dream"),
                                      "--model",   "llada=" + tiny("tiny-llada"),
                                      "--window",  "16",
                                      "--threads", "1",
                                      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished run = umf(words);
    EXPECT_EQ(run.status, 0) << run.err;
    return read_file(place(out + "/tuned.json"));
  };
  EXPECT_EQ(tuned("two", {"--backend", "cpu", "--devices", "0,0", "--place", "dream=1"}),
            tuned("one", {"--backend", "cpu"}));
}

}  // namespace
}  // namespace umf
