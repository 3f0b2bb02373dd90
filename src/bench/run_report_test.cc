#include "bench/run_report.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/inflate.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kLine =
    R"({"iteration":1,"from":0,"action":0,"draw":0,"hit":false,"passes":2,"nfe":2,"complete":true,)"
    R"("reward":1.0,"path":[1],"masks":[0],"writes":{"cells":[0,1],"texts":["a","b"]}})";

class Reports : public testing::Test {
 protected:
  Reports() {
    for (const char* folder : {"results", "leases", "workers", "checkpoints", "traces"})
      std::filesystem::create_directories(directory_ / folder);
    config_ = Json::parse(R"({"kind":"umf-run-1","version":"1","backend":"cpu","models":[],
      "dataset":{"path":"/data/set.jsonl","kind":"problems","fingerprint":"f","problems":["one","two"]},
      "configurations":[{"name":"umf","search":"unmaskfork","window":2,"budgets":[2],"actions":[""],
                         "action_names":["dream"]}]})");
    write_config();
    write_result(0);
    write_file(directory_ / "problems.jsonl", "{\"id\":\"one\",\"prompt\":\"Say ab.\"}\n");
    trace(kLine);
  }
  void write_config() { write_file(directory_ / "config.json", config_.dump()); }
  void write_result(double finished) {
    Result result;
    result.key = {"one", "umf", 2};
    result.answer = "ab";
    result.passed = true;
    result.reward = 1;
    result.finished = finished;
    write_file(directory_ / "results/w.jsonl", result_line(result));
  }
  void trace(const std::string& text) { write_file(directory_ / "traces/00000-000-2.jsonl", text); }
  std::string page(std::size_t limit_bytes = 1 << 20) {
    Report report(limit_bytes);
    add_runs(report, load_runs({directory_.path().string()}));
    left_out_ = report.searches_left_out();
    return report.html("A run");
  }
  std::string refusal() {
    try {
      page();
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  }

  TemporaryDirectory directory_;
  Json config_;
  int left_out_ = 0;
};

// The JSON of an element by its id.
Json overview(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"report\">";
  const std::size_t at = html.find(begin) + begin.size();
  return Json::parse(html.substr(at, html.find("</script>", at) - at));
}

TEST_F(Reports, ShowARunAsFarAsItIs) {
  const Json json = overview(page());
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["complete"], false) << "problem two has no result";
  EXPECT_EQ(run["groups"][0]["pass@1"], 1.0);
  EXPECT_EQ(run["problems"][0]["results"][0], Json({0, 2, true, 1.0, 0, "done"}));
  EXPECT_EQ(run["problems"][1]["results"], Json::array());
  EXPECT_EQ(run["configurations"][0]["actions"], Json({"dream"}));
  EXPECT_EQ(run["facts"]["Data set"], "set.jsonl (problems, f)") << "places are nobody's business";
}

TEST_F(Reports, AreTheSameForTheSameRun) { EXPECT_EQ(page(), page()); }

TEST_F(Reports, SayFromTheFilesOfTheRunWhenAndHowItWasMade) {
  const auto facts = [&] { return overview(page())["runs"][0]["facts"]; };
  EXPECT_FALSE(facts().contains("Made")) << "nothing tells";
  EXPECT_FALSE(facts().contains("Command"));
  write_result(3659);
  EXPECT_EQ(facts()["Made"], "1970-01-01 01:00 UTC") << "when its results came";
  config_["made_by"] = {{"command", "umf bench set.jsonl --out '<b>'"}, {"started", 60.5}};
  write_config();
  EXPECT_EQ(facts()["Made"], "1970-01-01 00:01 to 01:00 UTC");
  EXPECT_EQ(facts()["Command"], "umf bench set.jsonl --out '<b>'") << "as it was given";
  config_["made_by"]["started"] = 1e300;
  write_config();
  EXPECT_FALSE(facts().contains("Made")) << "no moment";
}

TEST_F(Reports, SayWhoMadeARunAndWhoExtendedIt) {
  config_["made_by"] = {{"command", "umf bench set"}, {"started", 60}};
  write_config();
  std::filesystem::create_directory(directory_ / "extensions");
  const auto extend = [&](int number, const Json& made_by) {
    config_["made_by"] = made_by;
    write_file(directory_ / fmt::format("extensions/000{}.json", number), config_.dump());
    return overview(page())["runs"][0]["facts"];
  };
  // As earlier versions wrote it.
  EXPECT_FALSE(extend(1, config_["made_by"]).contains("Extended by"));
  extend(2, {{"command", "umf bench set --extend"}, {"started", 120}});
  const Json facts = extend(3, {{"command", "umf bench more --extend"}, {"started", 180}});
  EXPECT_EQ(facts["Made"], "1970-01-01 00:01 UTC") << "when it was begun";
  EXPECT_EQ(facts["Command"], "umf bench set");
  EXPECT_EQ(facts["Extended by"], "umf bench set --extend; umf bench more --extend");
}

TEST_F(Reports, SayWhatWasRun) {
  const auto configuration = [&] { return overview(page())["runs"][0]["configurations"][0]; };
  EXPECT_EQ(configuration()["seed"], nullptr) << "an earlier version did not write it down";
  config_["configurations"][0]["seed"] = 18446744073709551615U;
  config_["configurations"][0]["actions"] = {"model=0,temperature=0.5"};
  config_["configurations"][0]["model_names"] = {"dream"};
  write_config();
  EXPECT_EQ(configuration()["seed"], 18446744073709551615U);
  EXPECT_EQ(configuration()["window"], 2);
  EXPECT_EQ(configuration()["settings"], Json({"model=0,temperature=0.5"}));
  EXPECT_EQ(configuration()["models"], Json({"dream"}));
}

TEST_F(Reports, LeaveSearchesOutBeyondTheLimitAndCountThem) {
  const std::string whole = page();
  EXPECT_EQ(left_out_, 0);
  const std::string cut = page(100);
  EXPECT_EQ(left_out_, 1);
  EXPECT_EQ(overview(cut)["left_out"], 1);
  EXPECT_LT(cut.size(), whole.size());
}

TEST_F(Reports, DoWithoutTracesPromptsAndNamesOfActions) {
  std::filesystem::remove_all(directory_ / "traces");
  std::filesystem::remove(directory_ / "problems.jsonl");
  config_["configurations"][0].erase("action_names");
  write_config();
  EXPECT_EQ(overview(page())["runs"][0]["configurations"][0]["actions"], Json({"action 1"}));
}

TEST_F(Reports, RefuseDamagedFilesByTheirNames) {
  trace("{}\n");
  EXPECT_THAT(refusal(), HasSubstr("00000-000-2.jsonl line 1"));
  trace(kLine);
  write_file(directory_ / "problems.jsonl", "{\"id\":1}\n");
  EXPECT_THAT(refusal(), HasSubstr("problems.jsonl line 1"));
  std::filesystem::remove(directory_ / "problems.jsonl");
  for (const auto& [pointer, value] :
       std::vector<std::pair<std::string, Json>>{{"/configurations/0/window", 0},
                                                 {"/configurations/0/window", "2"},
                                                 {"/configurations/0/action_names", Json::array()},
                                                 {"/configurations/0/action_names", 1},
                                                 {"/configurations/0/model_names", 3},
                                                 {"/configurations/0/actions", {3}},
                                                 {"/configurations/0/seed", -1},
                                                 {"/configurations/0/seed", "1"},
                                                 {"/made_by", 3},
                                                 {"/made_by", {{"command", 3}}},
                                                 {"/made_by", {{"started", "now"}}},
                                                 {"/models", 3},
                                                 {"/backend", 3},
                                                 {"/dataset/path", 3}}) {
    const Json before = config_;
    config_[Json::json_pointer(pointer)] = value;
    write_config();
    EXPECT_THAT(refusal(), HasSubstr("config.json")) << pointer << " " << value;
    config_ = before;
  }
}

TEST_F(Reports, OfOneSearchNeedNoRun) {
  Report report(1 << 20);
  const nlohmann::ordered_json solution = {{"reward", 1.0},
                                           {"complete", true},
                                           {"search",
                                            {{"nfe", 2},
                                             {"rollouts", 1},
                                             {"hits", 0},
                                             {"saved_nfe", 0},
                                             {"switches", 0},
                                             {"stopped", "reward"}}},
                                           {"best", {{"path", {"dream"}}, {"iteration", 1}}}};
  report.add({.id = "<one>",
              .prompt = "Say ab.",
              .search = "unmaskfork",
              .budget = 2,
              .window = 2,
              .actions = {"dream"},
              .settings = {"model=0"},
              .models = {"dream"},
              .seed = 7,
              .made = 60,
              .command = "umf solve '<one>'",
              .solution = solution,
              .answer = "ab",
              .why = "",
              .events = kLine});
  const std::string html = report.html("<one>");
  EXPECT_THAT(html, HasSubstr("<title>&lt;one&gt;</title>"));
  EXPECT_THAT(html, Not(HasSubstr("<one>")));
  const Json run = overview(html)["runs"][0];
  EXPECT_EQ(run["groups"], Json::array());
  EXPECT_EQ(run["problems"][0]["results"][0], Json({0, 2, nullptr, 1.0, 2, "done"}));
  EXPECT_EQ(run["facts"]["Made"], "1970-01-01 00:01 UTC");
  EXPECT_EQ(run["facts"]["Command"], "umf solve '<one>'");
  EXPECT_EQ(run["configurations"][0]["seed"], 7);
  EXPECT_EQ(run["configurations"][0]["settings"], Json({"model=0"}));
}

}  // namespace
}  // namespace umf
