// umf serve without options: the embedded models, and the search that is recommended for them.
#include "server/serve_fixture.h"

namespace umf {
namespace {

using testing::ElementsAre;

TEST(EmbeddedServe, TheRecommendedSearchIsAModelBehindTheOthers) {
  const Server server({}, {});
  const Json list = server.get("/v1/models").json()["data"];
  std::vector<std::string> names;
  for (const Json& entry : list) names.push_back(entry["id"]);
  EXPECT_THAT(names, ElementsAre("dream", "llada", "diffcoder", "umf"));
  EXPECT_THAT(list[3]["umf"]["models"], ElementsAre("dream", "llada", "diffcoder"));
  EXPECT_EQ(server.chat("Write f(x).", R"("max_tokens": 8)").json()["model"], "dream");
  const Server chosen({}, {"--model", "llada"});
  EXPECT_EQ(chosen.get("/v1/models").json()["data"].size(), 1) << "others have no recommendation";
}

TEST(EmbeddedServe, ItSearchesAsSolveDoesWithoutOptions) {
  const Json problem =
      Json::parse(read_file(std::filesystem::path(UMF_SOURCE_DIR) / "examples/last-two-loud.json"));
  const TemporaryDirectory folder;
  write_file(
      folder / "p.json",
      Json{{"id", "p"}, {"prompt", problem["prompt"]}, {"reward", problem["reward"]}}.dump());
  const Finished run = umf({"solve", folder / "p.json", "--json", "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json expected = Json::parse(run.out);
  const Server server({}, {});
  const HttpReply reply = server.chat(
      problem["prompt"], R"("model": "umf", "umf": {"reward": )" + problem["reward"].dump() + "}");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.text(), expected["answer"]);
  for (const char* key : {"reward", "complete", "search", "actions", "best", "why"})
    EXPECT_EQ(reply.json()["umf"][key], expected[key]) << key;
  const HttpReply plain = server.chat(problem["prompt"], R"("model": "umf")");
  const HttpReply relay = server.chat(problem["prompt"], R"("umf": {"actions": [
      {"models": ["dream", "llada", "diffcoder"], "rule": "relay", "commit": "tau:0.99"}]})");
  EXPECT_EQ(plain.json()["choices"], relay.json()["choices"]);
  EXPECT_EQ(plain.json()["usage"], relay.json()["usage"]);
}

}  // namespace
}  // namespace umf
