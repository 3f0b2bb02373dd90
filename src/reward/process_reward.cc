// {"type": "prm", "model": WHERE, "aggregate": "min" | "product" | "last"}: a process reward model
// scores every step of the answer; without a choice the last score counts
// (docs/models.md#the-process-reward-model).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/json_fields.h"
#include "model/process_reward_model.h"
#include "reward/reward.h"
#include "tokenizer/tokenizer.h"

namespace umf {
namespace {

// From the scores of the steps to one number.
using Aggregate = double (*)(const std::vector<float>& scores);

double least(const std::vector<float>& scores) { return *std::ranges::min_element(scores); }
double product(const std::vector<float>& scores) {
  return std::accumulate(scores.begin(), scores.end(), 1.0,
                         [](double sum, float score) { return sum * double{score}; });
}
double last(const std::vector<float>& scores) { return scores.back(); }

Aggregate parse_aggregate(const Json& name, const std::string& where) {
  if (name == "min") return least;
  if (name == "product") return product;
  if (name == "last") return last;
  throw Error(fmt::format("{}: a prm reward's 'aggregate' is min, product or last, not {}", where,
                          name.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

class ProcessReward final : public Reward {
 public:
  ProcessReward(ProcessRewardModel& model, Aggregate aggregate, std::string question)
      : model_(model), aggregate_(aggregate), question_(std::move(question)) {}

  Verdict judge(std::string_view answer) override {
    const std::vector<Token> tokens = model_.encode(question_, to_valid_utf8(answer));
    if (std::cmp_greater(tokens.size(), model_.max_length())) {
      return {std::numeric_limits<double>::quiet_NaN(),
              fmt::format("question and answer have {} tokens, and the reward model reads {}",
                          tokens.size(), model_.max_length())};
    }
    const std::vector<float> scores = model_.scores(tokens);
    return {aggregate_(scores), fmt::format("steps {:.3f}", fmt::join(scores, ", "))};
  }

 private:
  ProcessRewardModel& model_;
  Aggregate aggregate_;
  std::string question_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked& asked, const std::string& where,
                             const JudgeTools& tools) {
  const JsonFields fields(spec, where);
  fields.only({"type", "model", "aggregate"}, "a prm reward has 'model' and 'aggregate'");
  const Json *model = fields.find("model"), *name = fields.find("aggregate");
  if (model == nullptr || !model->is_string())
    throw Error(where + ": a prm reward needs 'model', the place of a process reward model");
  const Aggregate aggregate = name == nullptr ? last : parse_aggregate(*name, where);
  if (!tools.process_reward_model)
    throw Error(where + ": a prm reward needs a model, and nothing here can load one");
  return std::make_unique<ProcessReward>(tools.process_reward_model(*model), aggregate,
                                         to_valid_utf8(asked.prompt));
}

}  // namespace

const RewardEntry kPrmReward = {.type = "prm", .make = make};

}  // namespace umf
