// Checkpoints as people have them: other forms of the files, leftovers, contradictions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/files.h"
#include "base/json.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Edit = std::function<void(Json&)>;

void edit_json(const std::filesystem::path& file, const Edit& edit) {
  Json json = parse_json(read_file(file), file.string());
  edit(json);
  write_file(file, json.dump());
}

// A tiny checkpoint of its own, to be changed.
class Changed {
 public:
  explicit Changed(const std::string& name, const TinyOptions& options = {}) {
    write_tiny_model(name, place(), options);
  }
  std::filesystem::path place() const { return directory_ / "model"; }
  Changed& config(const Edit& edit) { return file("config.json", edit); }
  Checkpoint open(UnknownKeys unknown = UnknownKeys::kIgnore) const {
    return open_checkpoint({place(), ""}, unknown);
  }

 private:
  Changed& file(const char* name, const Edit& edit) {
    edit_json(place() / name, edit);
    return *this;
  }
  TemporaryDirectory directory_;
};

std::vector<float> logits(const std::filesystem::path& place) {
  Loaded loaded(place, make_cpu_backend(1, ""));
  const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 12);
  std::vector<int> positions(tokens.size());
  std::iota(positions.begin(), positions.end(), 0);
  return loaded.model.logits(tokens, positions);
}

TEST(Checkpoints, TheFormOfTransformers5GivesTheSameNumbers) {
  for (const char* name : kDiffusionModels) {
    const auto renewed = tiny_checkpoint(name, {.transformers5 = true});
    EXPECT_EQ(logits(renewed), logits(tiny_checkpoint(name))) << name;
    const Checkpoint opened = open_checkpoint({renewed, ""}, UnknownKeys::kRefuse);
    EXPECT_THAT(opened.warnings, IsEmpty()) << name;
    EXPECT_EQ(opened.fingerprint(), open_checkpoint({tiny_checkpoint(name), ""}).fingerprint());
  }
  const auto backend = make_cpu_backend(1, "");
  ProcessRewardModel(open_checkpoint({tiny_checkpoint("tiny-prm", {.transformers5 = true}), ""}),
                     *backend);
}

TEST(Checkpoints, ANestedTextConfigurationGivesTheSameNumbers) {
  Changed nested("tiny-dream");
  nested.config([](Json& json) {
    json = {{"architectures", json["architectures"]},
            {"model_type", json["model_type"]},
            {"text_config", json}};
  });
  EXPECT_EQ(logits(nested.place()), logits(tiny_checkpoint("tiny-dream")));
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
