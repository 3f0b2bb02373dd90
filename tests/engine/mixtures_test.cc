// Checkpoints with experts as people have them: in one tensor, in another order, broken.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "base/files.h"
#include "base/json.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"
#include "tiny/safetensors_writer.h"

namespace umf {
namespace {

using Tensors = std::map<std::string, TensorBytes>;

Tensors tensors_of(const std::filesystem::path& place) {
  Tensors tensors;
  const Weights weights = Weights::open(place);
  for (const auto& [name, tensor] : weights.tensors())
    tensors[name] = {
        {name, tensor.type, tensor.shape},
        std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size())};
  return tensors;
}

// A copy of a tiny checkpoint whose tensors can be changed.
class Edited {
 public:
  explicit Edited(const std::string& tiny) {
    write_tiny_model(tiny, place());
    tensors = tensors_of(place());
  }
  std::filesystem::path place() const { return directory_ / "model"; }
  void config(const std::string& key, const Json& value) {
    Json json = parse_json(read_file(place() / "config.json"), "config.json");
    json[key] = value;
    write_file(place() / "config.json", json.dump());
  }
  std::vector<float> logits() const {
    std::vector<TensorBytes> list;
    for (const auto& [name, tensor] : tensors) list.push_back(tensor);
    write_safetensors(place() / "model.safetensors", list);
    Loaded loaded(place(), make_cpu_backend(1, ""));
    const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 19);
    std::vector<int> positions(tokens.size());
    std::iota(positions.begin(), positions.end(), 0);
    return loaded.model.logits(tokens, positions);
  }

  Tensors tensors;

 private:
  TemporaryDirectory directory_;
};

std::string expert(int layer, int n, const std::string& matrix) {
  return "model.layers." + std::to_string(layer) + ".mlp.experts." + std::to_string(n) + "." +
         matrix + ".weight";
}

// One tensor of all experts in place of theirs.
void stack(Edited& model, int layer, int experts, const std::string& matrix) {
  TensorBytes all{{"model.layers." + std::to_string(layer) + ".mlp.experts." + matrix, "F32", {}},
                  ""};
  for (int n = 0; n < experts; ++n) {
    const TensorBytes one = model.tensors.at(expert(layer, n, matrix));
    all.header.shape = {experts, one.header.shape[0], one.header.shape[1]};
    all.bytes += one.bytes;
    model.tensors.erase(expert(layer, n, matrix));
  }
  model.tensors[all.header.name] = all;
}

TEST(Mixtures, ExpertsInOneTensorGiveTheSameAsTensorsOfTheirOwn) {
  Edited model("tiny-llada2");
  const auto plain = model.logits();
  for (const int layer : {1, 2})
    for (const char* matrix : {"gate_proj", "up_proj", "down_proj"})
      stack(model, layer, 16, matrix);
  EXPECT_EQ(model.logits(), plain);
  auto& shape = model.tensors["model.layers.1.mlp.experts.up_proj"].header.shape;
  shape = {15, shape[1], shape[2]};
  model.tensors["model.layers.1.mlp.experts.up_proj"].bytes.resize(15 * 24 * 48 * sizeof(float));
  EXPECT_ERROR(model.logits(),
               "tensor 'model.layers.1.mlp.experts.up_proj' has shape [15, 24, 48], but the "
               "configuration says that there are 16 experts");
}

TEST(Mixtures, GateAndUpInOneTensorGiveTheSame) {
  Edited model("tiny-sdarmoe");
  const auto plain = model.logits();
  TensorBytes all{{"model.layers.2.mlp.experts.gate_up_proj", "F32", {8, 40, 40}}, ""};
  for (int n = 0; n < 8; ++n) {
    for (const char* matrix : {"gate_proj", "up_proj"}) {
      all.bytes += model.tensors.at(expert(2, n, matrix)).bytes;
      model.tensors.erase(expert(2, n, matrix));
    }
  }
  model.tensors[all.header.name] = all;
  EXPECT_EQ(model.logits(), plain);
}

// Experts that change places together with the rows of their router are the same model, but for the
// order of sums.
TEST(Mixtures, TheOrderOfExpertsDoesNotMatter) {
  Edited model("tiny-rnd1");
  const auto plain = model.logits();
  for (const char* matrix : {"gate_proj", "up_proj", "down_proj"})
    std::swap(model.tensors.at(expert(1, 2, matrix)).bytes,
              model.tensors.at(expert(1, 5, matrix)).bytes);
  EXPECT_NE(model.logits(), plain);
  std::string& rows = model.tensors.at("model.layers.1.mlp.gate.weight").bytes;
  const std::size_t width = rows.size() / 8;
  std::swap_ranges(rows.begin() + 2 * width, rows.begin() + 3 * width, rows.begin() + 5 * width);
  const auto swapped = model.logits();
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(swapped[i], plain[i], 1e-4) << i;
}

TEST(Mixtures, BrokenCheckpointsAreToldInOneLine) {
  Edited missing("tiny-llada2");
  missing.tensors.erase(expert(2, 11, "up_proj"));
  EXPECT_ERROR(missing.logits(),
               "tensor 'model.layers.2.mlp.experts.11.up_proj.weight' is missing");

  Edited counted("tiny-llada2");
  counted.config("num_experts", 12);
  EXPECT_ERROR(counted.logits(),
               "tensor 'model.layers.1.mlp.gate.weight' has shape [16, 48], but the configuration "
               "asks for [12, 48]");

  Edited more("tiny-rnd1");
  more.tensors[expert(0, 8, "up_proj")] = more.tensors.at(expert(0, 7, "up_proj"));
  more.tensors[expert(0, 8, "up_proj")].header.name = expert(0, 8, "up_proj");
  EXPECT_ERROR(more.logits(), "tensor 'model.layers.0.mlp.experts.8.up_proj.weight' is not part");

  Edited biased("tiny-lladamoe");
  const std::string name = "model.layers.0.mlp.gate.expert_bias";
  biased.tensors[name] = {{name, "F32", {8}}, std::string(32, '\1')};
  EXPECT_ERROR(biased.logits(), "tensor 'model.layers.0.mlp.gate.expert_bias' is not part");
}

// The published code of LLaDA-MoE has room for one that is switched off.
TEST(Mixtures, ABiasOfNothingIsIgnoredWhereRoutersHaveNone) {
  Edited model("tiny-lladamoe");
  const auto plain = model.logits();
  const std::string name = "model.layers.1.mlp.gate.expert_bias";
  model.tensors[name] = {{name, "F32", {8}}, std::string(32, '\0')};
  EXPECT_EQ(model.logits(), plain);
  EXPECT_EQ(open_checkpoint({model.place(), ""}).ignored_tensors, std::vector{name});
}

TEST(Mixtures, ARouterWithoutNumbersIsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* tensor : {"gate.weight", "gate.expert_bias"}) {
    Edited model("tiny-llada2");
    const std::string name = std::string("model.layers.2.mlp.") + tensor;
    std::memcpy(&model.tensors.at(name).bytes[20], &nan, sizeof nan);
    EXPECT_ERROR(model.logits(), "tensor '" + name + "' has numbers that are not finite");
  }
}

TEST(Mixtures, ABiasChangesWhichExpertsRowsGoTo) {
  Edited model("tiny-llada2");
  const auto plain = model.logits();
  for (const int layer : {1, 2}) {
    std::string& bias =
        model.tensors.at("model.layers." + std::to_string(layer) + ".mlp.gate.expert_bias").bytes;
    for (std::size_t at = 0; at < bias.size(); at += sizeof(float)) {
      float value;
      std::memcpy(&value, &bias[at], sizeof value);
      value += 1;
      std::memcpy(&bias[at], &value, sizeof value);
    }
  }
  EXPECT_EQ(model.logits(), plain) << "the same for all experts";
  std::memset(model.tensors.at("model.layers.1.mlp.gate.expert_bias").bytes.data(), 0, 64);
  EXPECT_NE(model.logits(), plain);
}

}  // namespace
}  // namespace umf
