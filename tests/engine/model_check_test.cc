// The fingerprint by which two people compare their models.
#include "model/model_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/files.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"

namespace umf {
namespace {

ModelCheck check(const std::filesystem::path& place, std::unique_ptr<Backend> backend) {
  Loaded loaded(place, std::move(backend));
  return check_model(loaded.model);
}

TEST(ModelCheck, TheInputNeedsNothingButTheModel) {
  const std::vector<Token> input = check_input(320, 4096, 290);
  ASSERT_EQ(input.size(), 32);
  EXPECT_THAT(std::vector(input.begin(), input.begin() + 4), testing::ElementsAre(10, 30, 50, 70));
  EXPECT_EQ(input[15], 310);
  EXPECT_EQ(std::count(input.begin(), input.end(), 290), 17) << "15 * 20 - 10 is one, too";
  EXPECT_EQ(check_input(152064, 32768, 5).at(15), 147312);
  EXPECT_EQ(check_input(1 << 24, 8, 5).size(), 8);
}

// Recorded once: where they change, what everybody computes has changed.
TEST(ModelCheck, FingerprintsAreTheSameOnEveryMachine) {
  for (const auto& [name, expected] :
       {std::pair{"tiny-llada", "5df7352f3b140f3e"}, std::pair{"tiny-dream", "4e085fad8a9c616f"},
        std::pair{"tiny-sdc", "25f2cbadd11ab99b"},
        std::pair{"tiny-nemotron", "725ee70845cef8b3"}}) {
    for (const int threads : {1, 3})
      EXPECT_EQ(check(tiny_checkpoint(name), make_cpu_backend(threads, "")).fingerprint, expected)
          << name;
    EXPECT_EQ(check(tiny_checkpoint(name), make_cpu_backend(1, "scalar")).fingerprint, expected);
  }
}

TEST(ModelCheck, OtherWeightsHaveAnotherFingerprint) {
  const TemporaryDirectory directory;
  write_tiny_model("tiny-llada", directory / "other", {.seed = 3});
  const ModelCheck one = check(tiny_checkpoint("tiny-llada"), make_cpu_backend(1, ""));
  EXPECT_NE(check(directory / "other", make_cpu_backend(1, "")).fingerprint, one.fingerprint);
  EXPECT_EQ(one.backend, "cpu");
}

TEST(ModelCheck, BackendsAgreeInTheTokens) {
  const auto place = tiny_checkpoint("tiny-dream");
  const ModelCheck fast = check(place, make_cpu_backend(1, ""));
  const ModelCheck plain = check(place, make_reference_backend());
  EXPECT_EQ(fast.tokens, plain.tokens);
  EXPECT_EQ(fast.tokens.size(), 16);
}

TEST(ModelCheck, ARewardModelHasOneToo) {
  const auto of = [](int threads) {
    const auto backend = make_cpu_backend(threads, "");
    ProcessRewardModel model(open_checkpoint({tiny_checkpoint("tiny-prm"), ""}), *backend);
    return check_model(model);
  };
  EXPECT_EQ(of(1).fingerprint, of(2).fingerprint);
  EXPECT_EQ(of(1).fingerprint, "a856b87652cc7920");
  EXPECT_TRUE(of(1).tokens.empty());
}

TEST(ModelCheck, WeightsThatGiveNoNumbersAreToldAsDamaged) {
  const TemporaryDirectory directory;
  write_tiny_model("tiny-llada", directory / "m");
  std::string bytes = read_file(directory / "m" / "model.safetensors");
  const std::vector<float> nans(64 * 320, std::nanf(""));  // the embedding, which comes last
  std::memcpy(bytes.data() + bytes.size() - 4 * nans.size(), nans.data(), 4 * nans.size());
  write_file(directory / "m" / "model.safetensors", bytes);
  Loaded loaded(directory / "m", make_cpu_backend(1, ""));
  EXPECT_ERROR(check_model(loaded.model), "no numbers; the weights are damaged");
}

}  // namespace
}  // namespace umf
