// Models that come and go with the memory there is.
#include "model/model_cache.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"

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

// Tiny models on entries of a list of devices, which are all this machine.
struct Spread {
  std::unique_ptr<Backend> first = make_cpu_backend(1, "");
  ModelCache model_cache;
  std::vector<std::pair<int, int>> made;  // worker and place in the list

  Spread(std::vector<int> devices, int replicas, std::uint64_t limit = 0,
         std::map<std::string, int> places = {})
      : model_cache(*first, limit) {
    const auto make = [this](int worker, int at) {
      made.emplace_back(worker, at);
      return make_cpu_backend(1, "");
    };
    model_cache.spread({std::move(devices), make, std::move(places)}, replicas);
  }
  int add(const std::string& name) {
    return model_cache.add(name, open_checkpoint({tiny_checkpoint("tiny-" + name), ""}));
  }
  std::string standing() const {
    std::string text;
    for (const StandingModel& model : model_cache.standing())
      text += model.name + std::to_string(model.device) + " ";
    return text;
  }
};

std::vector<Prediction> alone(const std::string& name) {
  Loaded loaded(tiny_checkpoint("tiny-" + name), make_cpu_backend(2, ""));
  return ask(loaded.model);
}

constexpr std::uint64_t kOne = 700'000;  // bytes: one tiny model fits, two do not

TEST(ModelCache, ModelsStandWhereTheyWereSentAndGiveTheSameBytes) {
  Spread spread({4, 7, 7}, 1, 0, {{"dream", 2}, {"llada", 1}});
  const int llada = spread.add("llada"), dream = spread.add("dream"), sdar = spread.add("sdar");
  EXPECT_EQ(spread.standing(), "llada7 dream7 sdar4 ");
  EXPECT_EQ(spread.model_cache.groups(), 1);
  EXPECT_EQ(ask(spread.model_cache.model(llada)), alone("llada"));
  EXPECT_EQ(ask(spread.model_cache.model(dream)), alone("dream"));
  EXPECT_EQ(ask(spread.model_cache.model(sdar)), alone("sdar"));
  EXPECT_EQ(spread.made, (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}}))
      << "a backend for every entry, one alone for the first";
}

TEST(ModelCache, ModelsThatDoNotFitOneDeviceAreSpreadAndStay) {
  Spread spread({0, 1}, 1, kOne);
  const int llada = spread.add("llada");
  EXPECT_EQ(spread.model_cache.groups(), 2);
  const auto first = ask(spread.model_cache.model(llada));
  const int dream = spread.add("dream");
  EXPECT_EQ(spread.standing(), "llada0 dream1 ");
  EXPECT_EQ(spread.model_cache.groups(), 1);
  EXPECT_EQ(ask(spread.model_cache.model(dream)), alone("dream"));
  EXPECT_EQ(ask(spread.model_cache.model(llada)), first);
  EXPECT_EQ(first, alone("llada"));
  EXPECT_EQ(spread.model_cache.loads(), 2) << "the limit is that of each device";
  EXPECT_GT(spread.model_cache.resident_bytes(), kOne);
}

TEST(ModelCache, OneMoreThanFitsTakesTurnsWhereItIsPut) {
  Spread spread({0, 1}, 1, kOne);
  std::vector<int> numbers;
  for (const char* name : {"llada", "dream", "sdar"}) numbers.push_back(spread.add(name));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ask(spread.model_cache.model(numbers[0])), alone("llada"));
    EXPECT_EQ(ask(spread.model_cache.model(numbers[1])), alone("dream"));
    EXPECT_EQ(ask(spread.model_cache.model(numbers[2])), alone("sdar"));
    EXPECT_LE(spread.model_cache.resident_bytes(), 2 * kOne);
  }
}

TEST(ModelCache, ReplicasGoFromGroupToGroup) {
  Spread spread({0, 1, 2, 3}, 3);
  spread.add("llada");
  ASSERT_EQ(spread.model_cache.replicas(), 3);
  for (int worker = 0; worker < 3; ++worker) {
    const ModelCache& replica = spread.model_cache.replica(worker);
    EXPECT_EQ(replica.standing().front().device, worker);
    EXPECT_EQ(ask(spread.model_cache.replica(worker).model(0)), alone("llada"));
  }
}

TEST(ModelCache, AReplicaMovesWhenALaterModelNeedsItsDevice) {
  Spread spread({0, 1}, 2, kOne);
  spread.add("llada");
  EXPECT_EQ(spread.model_cache.replica(1).standing().front().device, 1);
  const auto before = ask(spread.model_cache.replica(1).model(0));
  spread.add("dream");
  for (int worker = 0; worker < 2; ++worker) {
    ModelCache& replica = spread.model_cache.replica(worker);
    EXPECT_EQ(replica.standing()[0].device, 0);
    EXPECT_EQ(replica.standing()[1].device, 1);
    EXPECT_EQ(ask(replica.model(0)), before);
    EXPECT_EQ(ask(replica.model(1)), alone("dream"));
  }
  EXPECT_ERROR(spread.add("sdar"), "several workers keep all of them busy");
  EXPECT_EQ(spread.model_cache.size(), 2) << "what was refused left nothing behind";
  EXPECT_EQ(spread.model_cache.replica(1).size(), 2);
  EXPECT_EQ(ask(spread.model_cache.replica(1).model(1)), alone("dream"));
}

TEST(ModelCache, AGuestTakesADeviceForAsLongAsItIsThere) {
  Spread spread({5, 6}, 1, kOne, {{"prm", 1}});
  auto sent = spread.model_cache.device_for_guest("prm", 100);
  EXPECT_EQ(*sent, 6);
  auto guest = spread.model_cache.device_for_guest("other", kOne - 100);
  EXPECT_EQ(*guest, 5);
  spread.add("llada");
  EXPECT_EQ(spread.standing(), "llada6 ") << "the guest has the first device";
  guest.reset();
  spread.add("dream");
  EXPECT_EQ(spread.standing(), "llada5 dream6 ");
  EXPECT_EQ(spread.model_cache.unused_places(), std::vector<std::string>{"prm"});
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
