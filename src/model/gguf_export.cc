#include "model/gguf_export.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "backend/quantise.h"
#include "base/error.h"
#include "base/task_threads.h"
#include "gguf/gguf_writer.h"
#include "model/gguf_architecture.h"
#include "tokenizer/gguf_tokenizer_writer.h"

namespace umf {
namespace {

constexpr float kLargestHalf = 65504;
constexpr std::int64_t kNumbersAtOnce = 1 << 22;

// What the user asks for. `better` is the type of the head and of some matrices in layers.
struct Mix {
  std::string_view name;
  std::uint32_t file_type;  // general.file_type
  DType type, better;
};
constexpr Mix kMixes[] = {
    {"F32", 0, DType::kF32, DType::kF32},     {"F16", 1, DType::kF16, DType::kF16},
    {"BF16", 32, DType::kBF16, DType::kBF16}, {"Q8_0", 7, DType::kQ8_0, DType::kQ8_0},
    {"Q6_K", 18, DType::kQ6_K, DType::kQ6_K}, {"Q5_K_M", 17, DType::kQ5_K, DType::kQ6_K},
    {"Q5_K", 16, DType::kQ5_K, DType::kQ5_K}, {"Q5_1", 9, DType::kQ5_1, DType::kQ5_1},
    {"Q5_0", 8, DType::kQ5_0, DType::kQ5_0},  {"Q4_K_M", 15, DType::kQ4_K, DType::kQ6_K},
    {"Q4_K", 14, DType::kQ4_K, DType::kQ4_K}, {"Q4_1", 3, DType::kQ4_1, DType::kQ4_1},
    {"Q4_0", 2, DType::kQ4_0, DType::kQ4_0}};

const Mix& find_mix(const std::string& name) {
  const auto found = std::ranges::find(kMixes, name, &Mix::name);
  if (found != std::end(kMixes)) return *found;
  throw Error(fmt::format("'{}' is no type to write (there are {})", name,
                          fmt::join(gguf_export_types(), ", ")));
}

// Rows that are no whole blocks get the type that llama.cpp falls back to.
DType usable_type(DType type, int cols) {
  constexpr std::pair<DType, DType> kInstead[] = {
      {DType::kQ4_K, DType::kQ5_0}, {DType::kQ5_K, DType::kQ5_1}, {DType::kQ6_K, DType::kQ8_0}};
  for (const auto& [wanted, instead] : kInstead) {
    if (type == wanted && cols % block_elements(type) != 0) type = instead;
  }
  return cols % block_elements(type) == 0 ? type : DType::kF16;
}

// Of attn_v and ffn_down in the mixes: the first and last eighth of the layers, and every third.
bool takes_better(int layer, int layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

// A tensor as it will be written.
struct Plan {
  enum class Form { kVector, kMatrix, kStack };  // a stack: one matrix of every expert

  std::string name;
  std::vector<HostTensor> from;  // of one shape
  DType type = DType::kF32;
  Form form = Form::kMatrix;
  int head_width = 0;  // above 0: rows become pairs

  int cols() const { return from.front().cols; }
  int rows() const { return from.front().rows * static_cast<int>(from.size()); }
  GgufTensorHeader header() const {
    std::vector<std::int64_t> sizes = {cols()};
    if (form != Form::kVector) sizes.push_back(from.front().rows);
    if (form == Form::kStack) sizes.push_back(static_cast<std::int64_t>(from.size()));
    return {name, find_gguf_type(name_of(type)), sizes};
  }
  // The numbers of the checkpoint that are written as row `row`.
  void read(int row, std::span<float> numbers) const {
    const int each = from.front().rows;
    read_row(from[row / each], source_row(row % each), numbers);
  }

 private:
  int source_row(int row) const {
    if (head_width == 0) return row;
    const int first = row / head_width * head_width, r = row - first;
    return first + r % 2 * (head_width / 2) + r / 2;
  }
};

class Planner {
 public:
  Planner(const Checkpoint& checkpoint, const GgufArchitecture& kind, const Mix& mix)
      : checkpoint_(checkpoint), kind_(kind), mix_(mix) {}

  std::vector<Plan> plan() {
    const Architecture& a = checkpoint_.architecture;
    matrix(to_.embedding, from_.embedding, a.vocabulary, a.hidden,
           a.tied_head ? mix_.better : mix_.type);
    for (int n = 0; n < a.layers; ++n) plan_layer(n);
    vector(to_.final_norm, from_.final_norm, a.hidden);
    if (!a.tied_head) matrix(to_.head, from_.head, a.vocabulary, a.hidden, mix_.better);
    return std::move(plans_);
  }

 private:
  void plan_layer(int n) {
    const Architecture& a = checkpoint_.architecture;
    const std::string to = fmt::format("{}{}.", to_.layer, n);
    const std::string from = fmt::format("{}{}.", from_.layer, n);
    const DType better = takes_better(n, a.layers) ? mix_.better : mix_.type;
    vector(to + to_.attention_norm, from + from_.attention_norm, a.hidden);
    const auto projection = [&](const std::string& as, const std::string& name, int rows,
                                DType type, bool rotated) {
      matrix(to + as + ".weight", from + name + ".weight", rows, a.hidden, type);
      if (rotated && kind_.paired_rows) plans_.back().head_width = a.attention.head_dim;
      if (a.qkv_bias) vector(to + as + ".bias", from + name + ".bias", rows);
    };
    projection(to_.query, from_.query, a.query_cols(), mix_.type, true);
    projection(to_.key, from_.key, a.kv_cols(), mix_.type, true);
    projection(to_.value, from_.value, a.kv_cols(), better, false);
    matrix(to + to_.attention_out, from + from_.attention_out, a.hidden, a.query_cols(), mix_.type);
    vector(to + to_.mlp_norm, from + from_.mlp_norm, a.hidden);
    if (a.qk_norm) {
      vector(to + to_.query_norm, from + from_.query_norm, a.attention.head_dim);
      vector(to + to_.key_norm, from + from_.key_norm, a.attention.head_dim);
    }
    if (a.mixture) return plan_experts(*a.mixture, to, from, better);
    matrix(to + to_.gate, from + from_.gate, a.mlp, a.hidden, mix_.type);
    matrix(to + to_.up, from + from_.up, a.mlp, a.hidden, mix_.type);
    matrix(to + to_.down, from + from_.down, a.hidden, a.mlp, better);
  }

  void plan_experts(const MixtureShape& mixture, const std::string& to, const std::string& from,
                    DType better) {
    const int experts = mixture.routing.experts, hidden = checkpoint_.architecture.hidden;
    const ExpertNames &as = to_.experts, &own = from_.experts;
    const auto stack = [&](const std::string& name, const std::string& one, int rows, int cols,
                           DType type) {
      Plan plan{to + name, {}, usable_type(type, cols), Plan::Form::kStack};
      for (int n = 0; n < experts; ++n)
        plan.from.push_back(checkpoint_.weights.matrix(
            fmt::format("{}{}{}.{}", from, own.expert, n, one), rows, cols));
      plans_.push_back(std::move(plan));
    };
    matrix(to + as.router, from + own.router, experts, hidden, DType::kF32);
    stack(as.stacked_gate, own.gate, mixture.width, hidden, mix_.type);
    stack(as.stacked_up, own.up, mixture.width, hidden, mix_.type);
    stack(as.stacked_down, own.down, hidden, mixture.width, better);
  }

  void matrix(const std::string& as, const std::string& name, int rows, int cols, DType type) {
    plans_.push_back({as, {checkpoint_.weights.matrix(name, rows, cols)}, usable_type(type, cols)});
  }
  void vector(const std::string& as, const std::string& name, int size) {
    plans_.push_back({.name = as,
                      .from = {checkpoint_.weights.vector(name, size)},
                      .form = Plan::Form::kVector});
  }

  const Checkpoint& checkpoint_;
  const GgufArchitecture& kind_;
  const Mix& mix_;
  const TensorNames &from_ = checkpoint_.names, &to_ = gguf_tensor_names();
  std::vector<Plan> plans_;
};

// The names that the tokenizer gives to tokens, as the converter of llama.cpp has them; what it
// does not name is as the model uses it.
std::map<std::string, Token> roles_of(const Checkpoint& checkpoint) {
  std::map<std::string, Token> roles = {{"mask_token", checkpoint.tokens.mask},
                                        {"eos_token", checkpoint.tokens.end_of_text}};
  if (checkpoint.tokens.padding) roles["pad_token"] = *checkpoint.tokens.padding;
  for (const char* role : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                           "cls_token", "mask_token"}) {
    if (const auto token = checkpoint.tokenizer.named(role)) roles[role] = *token;
  }
  return roles;
}

GgufKeyWriter keys_of(const Checkpoint& checkpoint, const CheckpointSource& source,
                      const GgufArchitecture& kind, const Mix& mix) {
  const Architecture& a = checkpoint.architecture;
  GgufKeyWriter keys;
  const auto own = [&](const char* key) { return fmt::format("{}.{}", kind.name, key); };
  const auto count = [&](const char* key, int value) {
    keys.natural(own(key), static_cast<std::uint32_t>(value));
  };
  keys.text("general.architecture", kind.name);
  keys.text("general.type", "model");
  keys.natural("general.file_type", mix.file_type);
  if (is_quantised(mix.type)) keys.natural("general.quantization_version", 2);
  count("block_count", a.layers);
  count("context_length", a.max_length);
  count("embedding_length", a.hidden);
  count("feed_forward_length", a.mixture ? a.mixture->width : a.mlp);
  if (a.mixture) {
    count("expert_count", a.mixture->routing.experts);
    count("expert_used_count", a.mixture->routing.chosen);
    count("expert_feed_forward_length", a.mixture->width);
  }
  if (kind.free_heads) {
    count("attention.key_length", a.attention.head_dim);
    count("attention.value_length", a.attention.head_dim);
  }
  count("attention.head_count", a.attention.heads);
  count("attention.head_count_kv", a.attention.kv_heads);
  count("rope.dimension_count", a.attention.head_dim);
  count("vocab_size", a.vocabulary);
  keys.number(own("rope.freq_base"), static_cast<float>(a.rope_theta));
  keys.number(own("attention.layer_norm_rms_epsilon"), a.norm_eps);
  keys.flag(own("attention.causal"), false);
  keys.flag("diffusion.shift_logits", checkpoint.shifted);
  write_gguf_tokenizer(source.tokenizer(), a.vocabulary, source.text("tokenizer.json"), keys);
  const auto roles = roles_of(checkpoint);
  write_gguf_roles(roles, keys);
  if (checkpoint.tokens.end_of_turn)
    keys.natural("tokenizer.ggml.eot_token_id",
                 static_cast<std::uint32_t>(*checkpoint.tokens.end_of_turn));
  const bool begins = kind.begins_prompts || checkpoint.tokenizer.prompt_begin();
  if (begins && roles.contains("bos_token")) keys.flag("tokenizer.ggml.add_bos_token", true);
  if (checkpoint.own_template) keys.text("tokenizer.chat_template", *checkpoint.own_template);
  if (const auto advice = source.text("umf.json")) keys.text("umf.json", *advice);
  return keys;
}

// What the format has no keys for.
void check_expressible(const Architecture& a, const GgufArchitecture& kind,
                       const std::string& where) {
  const auto refuse = [&](const char* what) {
    throw Error(
        fmt::format("{}: {}, which GGUF files of {} models cannot say", where, what, kind.name));
  };
  if (!kind.free_heads && a.query_cols() != a.hidden)
    refuse("its heads are not as wide as the embedding shared by them");
  if (!a.mixture) return;
  if (a.mlp > 0) refuse("some layers have no experts");
  if (a.mixture->routing.normalised != (kind.family == &kRnd1))
    refuse("the weights of experts are not divided as usual");
}

void check_numbers(const Plan& plan, std::span<const float> numbers, const std::string& where) {
  const bool half = plan.type != DType::kF32 && plan.type != DType::kBF16;
  for (const float number : numbers) {
    if (std::isfinite(number) && (!half || std::fabs(number) <= kLargestHalf)) continue;
    throw Error(fmt::format("{}: '{}' has the number {}, which {} cannot hold", where, plan.name,
                            number, name_of(plan.type)));
  }
}

// Rows in parallel, tensors one after the other.
class TensorWriter {
 public:
  TensorWriter(const GgufExport& options, const std::string& where)
      : options_(options),
        where_(where),
        count_(options.threads > 0
                   ? options.threads
                   : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
        threads_(count_) {}

  void write(const std::vector<Plan>& plans, GgufStream& stream) {
    std::uint64_t all = 0, done = 0;
    for (const Plan& plan : plans) all += plan.header().bytes();
    for (const Plan& plan : plans) {
      const int at_once =
          static_cast<int>(std::clamp<std::int64_t>(kNumbersAtOnce / plan.cols(), 1, plan.rows()));
      for (int first = 0; first < plan.rows(); first += at_once) {
        stream.append(convert(plan, first, std::min(at_once, plan.rows() - first)));
        done += bytes_.size();
        if (options_.progress) options_.progress(done, all);
      }
    }
  }

 private:
  std::span<const std::byte> convert(const Plan& plan, int first, int rows) {
    const std::size_t row_size = row_bytes(plan.type, plan.cols());
    bytes_.resize(rows * row_size);
    for (int part = 0; part < count_; ++part) {
      const int begin = static_cast<int>(std::int64_t{rows} * part / count_);
      const int end = static_cast<int>(std::int64_t{rows} * (part + 1) / count_);
      threads_.submit([this, &plan, first, begin, end, row_size](int) {
        std::vector<float> numbers(plan.cols());
        for (int row = begin; row < end; ++row) {
          plan.read(first + row, numbers);
          check_numbers(plan, numbers, where_);
          write_row(plan.type, numbers, &bytes_[row * row_size]);
        }
      });
    }
    threads_.drain();
    return bytes_;
  }

  const GgufExport& options_;
  const std::string& where_;
  const int count_;
  std::vector<std::byte> bytes_;
  TaskThreads threads_;
};

}  // namespace

std::vector<std::string> gguf_export_types() {
  std::vector<std::string> names;
  for (const Mix& mix : kMixes) names.emplace_back(mix.name);
  return names;
}

void write_gguf(const Checkpoint& checkpoint, const CheckpointSource& source,
                const GgufExport& options) {
  const std::string where = checkpoint.location.place();
  const GgufArchitecture& kind = gguf_architecture_of(*checkpoint.family, where);
  check_expressible(checkpoint.architecture, kind, where);
  const Mix& mix = find_mix(options.type);
  if (std::filesystem::exists(options.out) && !std::filesystem::is_regular_file(options.out))
    throw Error(fmt::format("'{}' is there and is no file", options.out.string()));
  const std::vector<Plan> plans = Planner(checkpoint, kind, mix).plan();
  std::vector<GgufTensorHeader> headers;
  for (const Plan& plan : plans) headers.push_back(plan.header());
  DraftFile file(options.out);
  GgufStream stream(file, keys_of(checkpoint, source, kind, mix), std::move(headers));
  TensorWriter(options, where).write(plans, stream);
  file.rename();
}

}  // namespace umf
