// Models that come and go with the memory there is.
#include "model/shelf.h"

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

TEST(Shelf, ModelsAreLoadedOnFirstUse) {
  const auto backend = make_cpu_backend(1, "");
  Shelf shelf(*backend, 0);
  const int llada = shelf.add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""}));
  const int dream = shelf.add("dream", open_checkpoint({tiny_checkpoint("tiny-dream"), ""}));
  EXPECT_EQ(shelf.model(dream).info().family, "dream");
  EXPECT_EQ(shelf.loads(), 0) << "a description needs no weights";
  ask(shelf.model(llada));
  ask(shelf.model(llada));
  EXPECT_EQ(shelf.loads(), 1);
  ask(shelf.model(dream));
  EXPECT_EQ(shelf.loads(), 2);
  EXPECT_EQ(shelf.resident_bytes(),
            shelf.checkpoint(llada).weights.bytes() + shelf.checkpoint(dream).weights.bytes());
}

TEST(Shelf, TheIdleModelGoesWhenMemoryIsShortAndComesBackTheSame) {
  const auto backend = make_cpu_backend(1, "");
  Shelf shelf(*backend, 700'000);  // one tiny model fits, two do not
  const int llada = shelf.add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""}));
  const int dream = shelf.add("dream", open_checkpoint({tiny_checkpoint("tiny-dream"), ""}));
  const auto first = ask(shelf.model(llada)), second = ask(shelf.model(dream));
  EXPECT_LE(shelf.resident_bytes(), 700'000);
  EXPECT_EQ(ask(shelf.model(llada)), first);
  EXPECT_EQ(ask(shelf.model(dream)), second);
  EXPECT_EQ(shelf.loads(), 4);
}

TEST(Shelf, ReplicasHaveTheSameModelsAndShareTheirFiles) {
  const auto backend = make_cpu_backend(1, "");
  Shelf shelf(*backend, 0);
  const int llada = shelf.add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""}));
  shelf.add_replica(make_cpu_backend(2, ""));
  const int dream = shelf.add("dream", open_checkpoint({tiny_checkpoint("tiny-dream"), ""}));
  ASSERT_EQ(shelf.replicas(), 2);
  for (const int number : {llada, dream}) {
    EXPECT_EQ(&shelf.replica(1).checkpoint(number), &shelf.checkpoint(number));
    EXPECT_NE(&shelf.replica(1).model(number), &shelf.model(number));
    EXPECT_EQ(ask(shelf.replica(1).model(number)), ask(shelf.replica(0).model(number)));
  }
}

TEST(Shelf, AModelIsKnownByItsWeightsItsConfigurationAndItsBackend) {
  const TemporaryDirectory copy;
  std::filesystem::copy(tiny_checkpoint("tiny-llada"), copy.path(),
                        std::filesystem::copy_options::recursive);
  const auto fingerprint = [](const std::filesystem::path& place, Backend& backend) {
    Shelf shelf(backend, 0);
    return shelf.model(shelf.add("any", open_checkpoint({place, ""}))).info().fingerprint;
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

TEST(Shelf, AModelLargerThanTheLimitStillRunsAlone) {
  const auto backend = make_cpu_backend(1, "");
  Shelf roomy(*backend, 0), tight(*backend, 1);
  for (Shelf* shelf : {&roomy, &tight})
    ASSERT_EQ(shelf->add("llada", open_checkpoint({tiny_checkpoint("tiny-llada"), ""})), 0);
  const std::vector<Prediction> expected = ask(roomy.model(0));
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(ask(tight.model(0)), expected);
  EXPECT_EQ(ask(tight.model(0)), expected);
  EXPECT_EQ(tight.loads(), 1) << "nothing else asks for its room";
  EXPECT_EQ(tight.resident_bytes(), tight.checkpoint(0).weights.bytes());
}

}  // namespace
}  // namespace umf
