#include "tiny/tiny_models.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "tiny/safetensors_writer.h"
#include "tiny/tiny_tokenizers.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

class TinyModels : public ::testing::Test {
 protected:
  TinyModels() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ =
        fs::path(::testing::TempDir()) / fmt::format("umf-tiny-{}-{}", test->name(), getpid());
  }
  ~TinyModels() override { fs::remove_all(directory_); }

  fs::path write(const std::string& name, const TinyOptions& options = {}) {
    write_tiny_model(name, directory_ / name, options);
    return directory_ / name;
  }

  fs::path directory_;
};

struct Safetensors {
  Json header;
  std::string data;
};

Safetensors read_safetensors(const fs::path& path) {
  const std::string bytes = read_file(path);
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  EXPECT_EQ(size % 8, 0u) << path;
  return {parse_json(std::string_view(bytes).substr(8, size), path.string()),
          bytes.substr(8 + size)};
}

std::vector<float> f32(const Safetensors& file, const std::string& name) {
  const std::uint64_t begin = file.header[name]["data_offsets"][0];
  const std::uint64_t end = file.header[name]["data_offsets"][1];
  std::vector<float> values((end - begin) / 4);
  std::memcpy(values.data(), file.data.data() + begin, end - begin);
  return values;
}

// A change of the weights invalidates every expectation: regenerate them with tools/reference.py.
TEST_F(TinyModels, WeightsAreTheOnesThatExpectationsWereMadeFrom) {
  const fs::path path = fs::path(UMF_SOURCE_DIR) / "tests/data/reference/logits.json";
  const Json checksums = parse_json(read_file(path), path.string())["checksums"];
  ASSERT_EQ(checksums.size(), tiny_names().size());
  for (const std::string& name : tiny_names()) {
    for (const std::string dtype : {"F32", "BF16", "F16"}) {
      const std::string weights = read_file(write(name, {.dtype = dtype}) / "model.safetensors");
      EXPECT_EQ(fmt::format("{:016x}", fnv1a64(weights)), checksums[name][dtype]) << name << dtype;
    }
  }
}

TEST_F(TinyModels, OffsetsAreGaplessAndMatchTheShapes) {
  for (const std::string& name : tiny_names()) {
    for (const char* dtype : {"F32", "BF16", "F16"}) {
      const Safetensors file =
          read_safetensors(write(name, {.dtype = dtype}) / "model.safetensors");
      std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
      for (const auto& [tensor, entry] : file.header.items()) {
        if (tensor == "__metadata__") continue;
        std::uint64_t bytes = entry["dtype"] == "F32" ? 4 : 2;
        EXPECT_EQ(entry["dtype"], dtype);
        for (const std::uint64_t size : entry["shape"]) bytes *= size;
        const std::uint64_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
        EXPECT_EQ(end - begin, bytes) << tensor;
        ranges.emplace(begin, end);
      }
      std::uint64_t expected = 0;
      for (const auto& [begin, end] : ranges) {
        EXPECT_EQ(begin, expected);
        expected = end;
      }
      EXPECT_EQ(file.data.size(), expected) << name;
    }
  }
}

TEST_F(TinyModels, EveryJsonFileParsesAndSpecialIdsAgree) {
  for (const std::string& name : tiny_names()) {
    const fs::path directory = write(name);
    for (const auto& entry : fs::directory_iterator(directory))
      if (entry.path().extension() == ".json") {
        EXPECT_NO_THROW(parse_json(read_file(entry.path()), entry.path().string()));
      }
    const TinySpec& spec = tiny_spec(name);
    const TinyTokens ids = tiny_tokens(spec.family);
    const Json config = parse_json(read_file(directory / "config.json"), "config.json");
    const Json tokenizer =
        parse_json(read_file(directory / "tokenizer_config.json"), "tokenizer_config.json");
    EXPECT_EQ(config["eos_token_id"], ids.eos) << name;
    EXPECT_EQ(tokenizer["added_tokens_decoder"][std::to_string(ids.eos)]["content"],
              tokenizer["eos_token"]);
    EXPECT_LT(ids.size, spec.vocab) << name;
    EXPECT_EQ(fs::exists(directory / "tokenizer.json"), !fs::exists(directory / "vocab.json"));
  }
}

TEST_F(TinyModels, EveryIdOfTheTokenizerHasOneToken) {
  for (const std::string& name : tiny_names()) {
    const fs::path directory = write(name);
    std::set<int> ids;
    const auto add = [&](const Json& vocab) {
      for (const auto& [token, id] : vocab.items()) ids.insert(id.get<int>());
    };
    if (fs::exists(directory / "vocab.json")) {
      add(parse_json(read_file(directory / "vocab.json"), "vocab.json"));
      add(parse_json(read_file(directory / "added_tokens.json"), "added_tokens.json"));
    } else {
      const Json json = parse_json(read_file(directory / "tokenizer.json"), "tokenizer.json");
      add(json["model"]["vocab"]);
      for (const Json& token : json["added_tokens"]) ids.insert(token["id"].get<int>());
    }
    const int size = tiny_tokens(tiny_spec(name).family).size;
    EXPECT_EQ(ids.size(), size) << name;
    EXPECT_EQ(*ids.rbegin(), size - 1) << name;
  }
}

TEST_F(TinyModels, ShardsHoldTheSameTensors) {
  const Safetensors whole = read_safetensors(write("tiny-dream") / "model.safetensors");
  const fs::path sharded = directory_ / "sharded";
  write_tiny_model("tiny-dream", sharded, {.shards = 3});
  const Json index = parse_json(read_file(sharded / "model.safetensors.index.json"), "index");
  EXPECT_EQ(index["weight_map"].size(), whole.header.size() - 1);
  EXPECT_EQ(index["metadata"]["total_size"], whole.data.size());
  for (const auto& [tensor, file] : index["weight_map"].items())
    EXPECT_EQ(f32(read_safetensors(sharded / file.get<std::string>()), tensor), f32(whole, tensor));
  EXPECT_FALSE(fs::exists(sharded / "model.safetensors"));
}

TEST_F(TinyModels, NothingOfAnEarlierCheckpointStays) {
  write("tiny-prm", {.shards = 2});
  const fs::path directory = write("tiny-prm");
  EXPECT_TRUE(fs::exists(directory / "model.safetensors"));
  EXPECT_FALSE(fs::exists(directory / "model.safetensors.index.json"));
  EXPECT_FALSE(fs::exists(directory / "model-00001-of-00002.safetensors"));
}

TEST_F(TinyModels, NumbersHaveTheStatedMeanAndSpread) {
  const Safetensors file = read_safetensors(write("tiny-dream-gqa") / "model.safetensors");
  const auto expect_normal = [&](const std::string& tensor, double mean, double std) {
    const std::vector<float> values = f32(file, tensor);
    double sum = 0, squares = 0;
    for (const double value : values) sum += value, squares += (value - mean) * (value - mean);
    const double n = static_cast<double>(values.size());
    EXPECT_NEAR(sum / n, mean, 4 * std / std::sqrt(n)) << tensor;
    EXPECT_NEAR(std::sqrt(squares / n), std, 4 * std / std::sqrt(2 * n)) << tensor;
  };
  expect_normal("model.embed_tokens.weight", 0, 0.2);
  expect_normal("model.layers.1.input_layernorm.weight", 1, 0.1);
  expect_normal("model.layers.0.self_attn.q_proj.bias", 0, 0.1);
}

// Oracle: a half is sign, exponent and fraction; the nearest of all halves, even on a tie.
float half_value(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST_F(TinyModels, SmallTypesAreRoundedToNearestEven) {
  const std::vector<float> full =
      f32(read_safetensors(write("tiny-prm") / "model.safetensors"), "model.embed_tokens.weight");
  for (const std::string dtype : {"BF16", "F16"}) {
    const Safetensors file =
        read_safetensors(write("tiny-prm", {.dtype = dtype}) / "model.safetensors");
    const std::uint64_t begin = file.header["model.embed_tokens.weight"]["data_offsets"][0];
    for (std::size_t i = 0; i < full.size(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, file.data.data() + begin + 2 * i, 2);
      const auto value = [&](std::uint16_t b) -> double {
        return dtype == "F16" ? half_value(b) : std::bit_cast<float>(std::uint32_t{b} << 16);
      };
      const double error = std::abs(value(bits) - full[i]);
      for (const int step : {-1, 1}) {
        const double other = std::abs(value(static_cast<std::uint16_t>(bits + step)) - full[i]);
        ASSERT_TRUE(error < other || (error == other && bits % 2 == 0)) << full[i];
      }
    }
  }
}

TEST_F(TinyModels, AnyShapeCanBeMade) {
  TinySpec spec = custom_spec(TinyFamily::kStableDiffCoder);
  spec.hidden = 96, spec.heads = 6, spec.kv_heads = 3, spec.layers = 1, spec.vocab = 1000;
  write_random_model(spec, directory_, {.dtype = "BF16"});
  const Safetensors file = read_safetensors(directory_ / "model.safetensors");
  EXPECT_EQ(file.header["lm_head.weight"]["shape"], Json({1000, 96}));
  EXPECT_EQ(file.header["model.layers.0.self_attn.k_proj.weight"]["shape"], Json({48, 96}));
  const std::string first = read_file(directory_ / "model.safetensors");
  write_random_model(spec, directory_, {.dtype = "BF16"});
  EXPECT_EQ(read_file(directory_ / "model.safetensors"), first);
}

TEST_F(TinyModels, ImpossibleShapesAreRefused) {
  TinySpec spec = custom_spec(TinyFamily::kDream);
  spec.kv_heads = 3;
  EXPECT_THROW(write_random_model(spec, directory_), Error);
  spec = custom_spec(TinyFamily::kDream);
  spec.vocab = 300;
  EXPECT_THROW(write_random_model(spec, directory_), Error);
  EXPECT_THROW(write_tiny_model("tiny-gpt", directory_), Error);
  EXPECT_THROW(write_tiny_model("tiny-prm", directory_, {.dtype = "F8"}), Error);
  EXPECT_THROW(write_tiny_model("tiny-prm", directory_, {.shards = 1000}), Error);
  EXPECT_FALSE(fs::exists(directory_ / "model.safetensors"));
}

TEST_F(TinyModels, WriterNoticesMissingBytes) {
  fs::create_directories(directory_);
  SafetensorsStream stream(directory_ / "x.safetensors", {{"x", "F32", {2, 3}}});
  stream.append("twelve bytes");
  EXPECT_THROW(stream.close(), Error);
}

}  // namespace
}  // namespace umf
