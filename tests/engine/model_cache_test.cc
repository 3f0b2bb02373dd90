// Models that come and go with the memory there is.
#include "model/model_cache.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

std::vector<Prediction> ask(Model& model) {
  const std::vector<Token> tokens = sample_tokens(model.info(), 20);
  const std::vector<int> positions = masks_of(model.info(), tokens);
  const Query query{tokens, positions, {}};
  return model.predict({&query, 1}).front();
}

TEST(ModelCache, ModelsAreLoadedOnFirstUse) {
  const auto backend = make_cpu_backend(1, "");
  ModelCache model_cache(*backend, 0);
  const int llada = model_cache.add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""}));
  const int dream = model_cache.add("dream", open_checkpoint({tiny_checkpoint("tiny-dream"), ""}));
  EXPECT_EQ(model_cache.model(dream).info().family, "dream");
  EXPECT_EQ(model_cache.loads(), 0) << "a description needs no weights";
  ask(model_cache.model(llada));
  ask(model_cache.model(llada));
  EXPECT_EQ(model_cache.loads(), 1);
  ask(model_cache.model(dream));
  EXPECT_EQ(model_cache.loads(), 2);
  EXPECT_EQ(model_cache.resident_bytes(), model_cache.checkpoint(llada).weights.bytes() +
                                              model_cache.checkpoint(dream).weights.bytes());
}

TEST(ModelCache, TheIdleModelGoesWhenMemoryIsShortAndComesBackTheSame) {
  const auto backend = make_cpu_backend(1, "");
  ModelCache model_cache(*backend, 700'000);  // one tiny model fits, two do not
  const int llada = model_cache.add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""}));
  const int dream = model_cache.add("dream", open_checkpoint({tiny_checkpoint("tiny-dream"), ""}));
  const auto first = ask(model_cache.model(llada)), second = ask(model_cache.model(dream));
  EXPECT_LE(model_cache.resident_bytes(), 700'000);
  EXPECT_EQ(ask(model_cache.model(llada)), first);
  EXPECT_EQ(ask(model_cache.model(dream)), second);
  EXPECT_EQ(model_cache.loads(), 4);
}

TEST(ModelCache, ReplicasHaveTheSameModelsAndShareTheirFiles) {
  const auto backend = make_cpu_backend(1, "");
  ModelCache model_cache(*backend, 0);
  const int llada = model_cache.add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""}));
  model_cache.add_replica(make_cpu_backend(2, ""));
  const int dream = model_cache.add("dream", open_checkpoint({tiny_checkpoint("tiny-dream"), ""}));
  ASSERT_EQ(model_cache.replicas(), 2);
  for (const int number : {llada, dream}) {
    EXPECT_EQ(&model_cache.replica(1).checkpoint(number), &model_cache.checkpoint(number));
    EXPECT_NE(&model_cache.replica(1).model(number), &model_cache.model(number));
    EXPECT_EQ(ask(model_cache.replica(1).model(number)), ask(model_cache.replica(0).model(number)));
  }
}

TEST(ModelCache, AModelIsKnownByItsWeightsItsConfigurationAndItsBackend) {
  const TemporaryDirectory copy;
  std::filesystem::copy(tiny_checkpoint("tiny-llada"), copy.path(),
                        std::filesystem::copy_options::recursive);
  const auto fingerprint = [](const std::filesystem::path& place, Backend& backend) {
    ModelCache model_cache(backend, 0);
    return model_cache.model(model_cache.add("any", open_checkpoint({place, ""})))
        .info()
        .fingerprint;
  };
  const auto cpu = make_cpu_backend(1, ""), other_cpu = make_cpu_backend(2, "scalar"),
             reference = make_reference_backend();
  const std::string llada = fingerprint(tiny_checkpoint("tiny-llada"), *cpu);
  EXPECT_EQ(fingerprint(copy.path(), *cpu), llada);
  EXPECT_EQ(fingerprint(copy.path(), *other_cpu), llada) << "the same bits";
  EXPECT_NE(fingerprint(copy.path(), *reference), llada);
  EXPECT_NE(fingerprint(tiny_checkpoint("tiny-dream"), *cpu), llada);
  Json config = Json::parse(read_file(copy / "config.json"));
  config["rope_theta"] = 12345.0;
  write_file(copy / "config.json", config.dump());
  EXPECT_NE(fingerprint(copy.path(), *cpu), llada);
}

TEST(ModelCache, AModelLargerThanTheLimitStillRunsAlone) {
  const auto backend = make_cpu_backend(1, "");
  ModelCache roomy(*backend, 0), tight(*backend, 1);
  for (ModelCache* model_cache : {&roomy, &tight})
    ASSERT_EQ(model_cache->add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""})), 0);
  const std::vector<Prediction> expected = ask(roomy.model(0));
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(ask(tight.model(0)), expected);
  EXPECT_EQ(ask(tight.model(0)), expected);
  EXPECT_EQ(tight.loads(), 1) << "nothing else asks for its room";
  EXPECT_EQ(tight.resident_bytes(), tight.checkpoint(0).weights.bytes());
}

}  // namespace
}  // namespace umf
