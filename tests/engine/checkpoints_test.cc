// Checkpoints as people have them: with leftovers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/engine_fixture.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> logits(const std::filesystem::path& place) {
  Loaded loaded(place, make_cpu_backend(1, ""));
  const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 12);
  std::vector<int> positions(tokens.size());
  std::iota(positions.begin(), positions.end(), 0);
  return loaded.model.logits(tokens, positions);
}

TEST(Checkpoints, LeftoversChangeNothingAndAreTold) {
  for (const char* name : kDiffusionModels) {
    const auto place = tiny_checkpoint(name, {.leftovers = true});
    const Checkpoint opened = open_checkpoint({place, ""});
    EXPECT_THAT(opened.ignored_keys, ElementsAre(kTinyLeftovers[0], kTinyLeftovers[1]));
    EXPECT_THAT(opened.warnings, ElementsAre(HasSubstr("keys 'exported_by', 'training_notes' are "
                                                       "not known for this family and ignored")));
    EXPECT_EQ(logits(place), logits(tiny_checkpoint(name))) << name;
    EXPECT_ERROR(open_checkpoint({place, ""}, UnknownKeys::kRefuse),
                 "keys 'exported_by', 'training_notes' are not known for this family; they might");
  }
}

}  // namespace
}  // namespace umf
