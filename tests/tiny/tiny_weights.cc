#include "tiny/tiny_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "tiny/safetensors_writer.h"
#include "tiny/tiny_tensors.h"
#include "tiny/tiny_tokenizers.h"

namespace umf {
namespace {

constexpr double kNormStd = 0.1, kBiasStd = 0.1, kRouterStd = 0.5, kRouterBiasStd = 0.3;

// Standard normal as the sum of twelve uniforms (Irwin-Hall), minus six. The sum is exact in
// integers; turning it into a double is exact too, so no step depends on the machine's arithmetic.
class PhiloxNormal {
 public:
  PhiloxNormal(std::uint64_t seed, const std::string& tensor)
      : seed_(seed), key_(fnv1a64(tensor)) {}

  double operator()(std::uint64_t index) const {
    std::int64_t sum = 6 - (std::int64_t{6} << 32);  // the uniforms are (word + 1/2) / 2^32
    for (std::uint32_t call = 0; call < 3; ++call) {
      const auto words = philox(
          {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32) << 2 | call,
           static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)},
          {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
      for (const std::uint32_t word : words) sum += word;
    }
    return static_cast<double>(sum) * 0x1p-32;
  }

 private:
  std::uint64_t seed_, key_;
};

// One SplitMix64 word per number, its four quarters summed: close enough to normal for benchmarks.
class QuickNormal {
 public:
  QuickNormal(std::uint64_t seed, const std::string& tensor)
      : key_(fnv1a64(tensor) ^ seed * 0xD1342543DE82EF95) {}

  double operator()(std::uint64_t index) const {
    std::uint64_t word = key_ + (index + 1) * 0x9E3779B97F4A7C15;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    word ^= word >> 31;
    const auto sum = static_cast<std::int64_t>((word & 0xFFFF) + (word >> 16 & 0xFFFF) +
                                               (word >> 32 & 0xFFFF) + (word >> 48));
    constexpr double kScale = 1.7320508 / 65536;  // the sum has variance 2^32 / 3
    return static_cast<double>(sum - 2 * 65535) * kScale;
  }

 private:
  std::uint64_t key_;
};

enum class Storage { kF32, kBF16, kF16 };

Storage storage_of(const std::string& dtype) {
  return dtype == "F32" ? Storage::kF32 : dtype == "BF16" ? Storage::kBF16 : Storage::kF16;
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// Finite values only. Below 2^-14 halves are multiples of 2^-24; above, a float's exponent is
// rebiased and 13 bits of its fraction are rounded away. A carry may run into the exponent, which
// is right.
std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  if (magnitude >= 0x477FF000) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (magnitude < 0x38800000) {
    // Adding 1/2 puts the multiple of 2^-24 into the last bits, rounded to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000));
  }
  const std::uint32_t rebiased = magnitude - (112u << 23);
  return static_cast<std::uint16_t>(sign | ((rebiased + 0xFFF + (rebiased >> 13 & 1)) >> 13));
}

// Little-endian bytes of `value` in the storage type.
void put_number(char* out, float value, Storage dtype) {
  const std::uint32_t bits = dtype == Storage::kF32    ? std::bit_cast<std::uint32_t>(value)
                             : dtype == Storage::kBF16 ? to_bf16(value)
                                                       : to_f16(value);
  for (int i = 0, size = dtype == Storage::kF32 ? 4 : 2; i < size; ++i)
    out[i] = static_cast<char>(bits >> (8 * i));
}

// Whether row `row` of the head belongs to a token that ends a text or masks a cell.
bool is_loud(const TinyTokens& ids, std::uint64_t row) {
  const auto token = static_cast<Token>(row);
  return token == ids.eos || token == ids.end_of_turn || token == ids.mask;
}

template <class Normal>
void append_tensor(SafetensorsStream& stream, const TinyTensor& tensor, const TinySpec& spec,
                   std::uint64_t seed) {
  const Normal normal(seed, tensor.header.name);
  const TinyTokens ids = tiny_tokens(spec.family);
  const auto number = [&](std::uint64_t index) {
    switch (tensor.role) {
      case TinyRole::kNorm:
        return 1 + kNormStd * normal(index);
      case TinyRole::kBias:
        return kBiasStd * normal(index);
      case TinyRole::kRouter:
        return kRouterStd * normal(index);
      case TinyRole::kRouterBias:
        return kRouterBiasStd * normal(index);
      case TinyRole::kHead:
        if (is_loud(ids, index / spec.hidden))
          return spec.weight_std * spec.special_loudness * normal(index);
        break;
      case TinyRole::kWeight:
        break;
    }
    return spec.weight_std * normal(index);
  };
  constexpr std::uint64_t kChunk = 1 << 18;
  const std::uint64_t count = tensor.header.elements();
  const Storage storage = storage_of(tensor.header.dtype);
  const std::uint64_t size = storage == Storage::kF32 ? 4 : 2;
  std::string bytes(std::min(count, kChunk) * size, '\0');
  for (std::uint64_t first = 0; first < count; first += kChunk) {
    const std::uint64_t numbers = std::min(kChunk, count - first);
    for (std::uint64_t i = 0; i < numbers; ++i)
      put_number(&bytes[i * size], static_cast<float>(number(first + i)), storage);
    stream.append(std::string_view(bytes).substr(0, numbers * size));
  }
}

template <class Normal>
void write_shard(const std::filesystem::path& path, const std::vector<TinyTensor>& tensors,
                 const TinySpec& spec, std::uint64_t seed) {
  std::vector<TensorHeader> headers;
  for (const TinyTensor& tensor : tensors) headers.push_back(tensor.header);
  SafetensorsStream stream(path, headers);
  for (const TinyTensor& tensor : tensors) append_tensor<Normal>(stream, tensor, spec, seed);
  stream.close();
}

// A checkpoint written over another one must not keep its shards or its index.
void remove_weights(const std::filesystem::path& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().find(".safetensors") != std::string::npos)
      std::filesystem::remove(entry.path());
}

template <class Normal>
void write_weights(const TinySpec& spec, const std::filesystem::path& directory,
                   const TinyOptions& options) {
  const std::vector<TinyTensor> tensors = tiny_tensors(spec, options);
  // Checkpoints of one shape must differ too: a search may hold two of them.
  const std::uint64_t seed = options.seed ^ fnv1a64(spec.name);
  if (options.shards == 1)
    return write_shard<Normal>(directory / "model.safetensors", tensors, spec, seed);
  if (options.shards < 1 || options.shards > static_cast<int>(tensors.size()))
    throw Error(fmt::format("{} shards for {} tensors. Choose from 1 to {}.", options.shards,
                            tensors.size(), tensors.size()));
  nlohmann::ordered_json index;
  std::uint64_t total = 0;
  for (int shard = 0; shard < options.shards; ++shard) {
    const auto first = tensors.begin() + tensors.size() * shard / options.shards;
    const auto last = tensors.begin() + tensors.size() * (shard + 1) / options.shards;
    const std::string file =
        fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1, options.shards);
    write_shard<Normal>(directory / file, {first, last}, spec, seed);
    for (auto tensor = first; tensor != last; ++tensor) {
      index["weight_map"][tensor->header.name] = file;
      total += tensor->header.byte_count();
    }
  }
  index["metadata"]["total_size"] = total;
  write_file(directory / "model.safetensors.index.json", index.dump(2) + "\n");
}

}  // namespace

void write_tiny_weights(const TinySpec& spec, const std::filesystem::path& directory,
                        const TinyOptions& options, TinyNumbers numbers) {
  remove_weights(directory);
  if (numbers == TinyNumbers::kQuick)
    write_weights<QuickNormal>(spec, directory, options);
  else
    write_weights<PhiloxNormal>(spec, directory, options);
}

}  // namespace umf
