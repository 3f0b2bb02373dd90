// How far a backend's predictions are from the plain loops', and on how many prompts it decodes the
// text that another backend decodes. Every text that differs is shown with the decision where it
// parted: a tie, or not.
//   agreement MODEL PROBLEMS.jsonl [--backends NAME,NAME] [--baseline NAME] [--prompts N] [--states
//   N]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>

#include "backend/backends.h"
#include "base/error.h"
#include "base/json.h"
#include "decode/decoder.h"
#include "decode/predict.h"
#include "model/language_model.h"
#include "tokenizer/chat.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string model, problems, backends = "cuda-f32,cuda,cuda-w8,cuda-fp8", baseline = "cpu";
  int prompts = 200, states = 6, length = 96;
};

// What a backend owes: how near every prediction is, and which share of texts is the same, the rest
// being ties. An approximate backend owes nothing; how far it is off is what the report is for.
struct Promise {
  double distance, share;
  bool binding = true;
};

Promise promise_of(const std::string& backend) {
  if (backend == "cuda" || backend == "cpu-bf16") return {2e-2, 0.95};
  if (backend == "cuda-fp8" || backend == "cuda-w8") return {2e-2, 0, false};
  return {1e-4, 1};
}

struct Subject {
  std::unique_ptr<Backend> backend;
  LanguageModel model;

  Subject(const std::string& backend_name, const std::string& directory)
      : backend(make_backend(backend_name, {})),
        model("model", open_checkpoint(find_checkpoint(directory)), *backend) {}
};

Action greedy_action(const ModelInfo& info) {
  Action action = recommended_action(info);
  action.temperature = 0;
  return action;
}

std::vector<std::vector<Token>> read_prompts(const Options& options, const LanguageModel& model) {
  std::ifstream file(options.problems);
  if (!file) throw Error("cannot read " + options.problems);
  std::vector<std::vector<Token>> prompts;
  for (std::string line; static_cast<int>(prompts.size()) < options.prompts;) {
    if (!std::getline(file, line)) break;
    const std::string text = parse_json(line, options.problems).at("prompt");
    prompts.push_back(encode_chat(model.tokenizer(), model.checkpoint().chat_template(),
                                  {{"user", text}}, /*add_generation_prompt=*/true));
  }
  if (prompts.empty()) throw Error(options.problems + " has no problems");
  return prompts;
}

// The windows of a decoding: all masks first, then after each pass.
using Trajectory = std::vector<std::vector<Token>>;

Trajectory decode_one(LanguageModel& model, const std::vector<Token>& prompt,
                      const Options& options) {
  Trajectory windows = {std::vector<Token>(options.length, model.info().tokens.mask)};
  decode(model, prompt, greedy_action(model.info()), {.length = options.length},
         [&](const Decoding& now, std::span<const Commit>) {
           windows.push_back(now.window);
           return true;
         });
  return windows;
}

std::vector<Trajectory> decode_all(LanguageModel& model,
                                   const std::vector<std::vector<Token>>& prompts,
                                   const Options& options, double& seconds) {
  const auto start = Clock::now();
  std::vector<Trajectory> all;
  for (const auto& prompt : prompts) all.push_back(decode_one(model, prompt, options));
  seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return all;
}

std::vector<int> masks_of(const ModelInfo& info, const std::vector<Token>& window) {
  std::vector<int> cells;
  for (int cell = 0; cell < static_cast<int>(window.size()); ++cell) {
    if (window[cell] == info.tokens.mask) cells.push_back(cell);
  }
  return cells;
}

std::vector<Prediction> predict_masks(LanguageModel& model, const std::vector<Token>& prompt,
                                      const std::vector<Token>& window) {
  const Sampling sampling = sampling_of(model.info(), greedy_action(model.info()), {}, 1);
  return predict_cells(model, prompt, window, masks_of(model.info(), window), sampling);
}

// Differences of confidence or margin, and how many cells got another token.
struct Distance {
  double sum = 0, worst = 0;
  int cells = 0, others = 0;
};

// Predictions of states along the baseline's decodings, against the plain loops.
Distance compare_predictions(LanguageModel& tested, LanguageModel& plain,
                             const std::vector<std::vector<Token>>& prompts,
                             const std::vector<Trajectory>& trajectories, int states) {
  Distance distance;
  for (int i = 0; i < states; ++i) {
    const std::size_t which = static_cast<std::size_t>(i) % prompts.size();
    const Trajectory& trajectory = trajectories[which];
    const auto& window = trajectory[(trajectory.size() - 1) * i / states];
    const auto wanted = predict_masks(plain, prompts[which], window);
    const auto actual = predict_masks(tested, prompts[which], window);
    for (std::size_t cell = 0; cell < wanted.size(); ++cell) {
      if (actual[cell].token != wanted[cell].token) ++distance.others;
      const double off = std::max(std::abs(actual[cell].confidence - wanted[cell].confidence),
                                  std::abs(actual[cell].margin - wanted[cell].margin));
      distance.sum += off;
      distance.worst = std::max(distance.worst, off);
      ++distance.cells;
    }
  }
  return distance;
}

// Shows the first pass in which two decodings of one prompt part. True if it was a tie: what
// decided is as near as the backend's predictions are allowed to be off.
bool explain(Subject& baseline, const Options& options, const std::vector<Token>& prompt,
             const Trajectory& wanted, const Trajectory& actual, double allowed) {
  std::size_t pass = 0;
  while (pass + 2 < std::min(wanted.size(), actual.size()) && wanted[pass + 1] == actual[pass + 1])
    ++pass;
  const ModelInfo& info = baseline.model.info();
  const auto& before = wanted[pass];
  const std::vector<int> cells = masks_of(info, before);
  const auto predictions = predict_masks(baseline.model, prompt, before);
  const Strategy strategy = greedy_action(info).strategy;
  const CommitRule rule = greedy_action(info).commit;
  double worst_taken = 1e30, best_left = -1e30, other_token = 1e30, from_bound = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Token w = wanted[pass + 1][cells[i]], a = actual[pass + 1][cells[i]];
    const bool took = w != info.tokens.mask, takes = a != info.tokens.mask;
    if (took && !takes) worst_taken = std::min(worst_taken, score_of(predictions[i], strategy));
    if (!took && takes) best_left = std::max(best_left, score_of(predictions[i], strategy));
    if (took != takes) {
      from_bound = std::max<double>(from_bound, std::abs(predictions[i].probability - rule.bound));
    }
    if (took && takes && w != a) other_token = std::min<double>(other_token, predictions[i].margin);
  }
  // One committed more cells than the other: by the bound on their probabilities.
  const bool more_cells = rule.kind == CommitRule::Kind::kTau && from_bound > 0 &&
                          (worst_taken == 1e30 || best_left == -1e30);
  const bool other_cell = best_left > -1e30 && !more_cells;
  const double apart = more_cells ? from_bound : other_cell ? worst_taken - best_left : other_token;
  const bool tie = apart <= 2 * allowed;  // both sides of the comparison may be off
  fmt::print("  pass {}: {} {:.1e} apart on {}: {}\n", pass,
             more_cells   ? "not as many cells, probability and bound"
             : other_cell ? "another cell,"
                          : "another token,",
             apart, options.baseline, tie ? "a tie" : "NOT a tie");
  return tie;
}

// Everything about one backend. True if it keeps what it owes.
bool report(const std::string& backend, const Options& options, Subject& baseline,
            LanguageModel* plain, const std::vector<std::vector<Token>>& prompts,
            const std::vector<Trajectory>& wanted) {
  Subject tested(backend, options.model);
  const Promise promise = promise_of(backend);
  double seconds = 0;
  const auto actual = decode_all(tested.model, prompts, options, seconds);
  fmt::print("{} on {}\n", options.model, backend);
  bool kept = true;
  if (plain) {
    const Distance distance =
        compare_predictions(tested.model, *plain, prompts, wanted, options.states);
    kept = distance.worst <= promise.distance;
    fmt::print(
        "  predictions against the plain loops: {} cells, off by {:.1e} on average and {:.1e} at "
        "most ({:.0e} allowed); {} have another token\n",
        distance.cells, distance.sum / distance.cells, distance.worst, promise.distance,
        distance.others);
  }
  int same = 0, ties = 0;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto text = [&](const Trajectory& t) {
      return answer_text(baseline.model.tokenizer(), baseline.model.info().tokens, t.back());
    };
    if (text(wanted[i]) == text(actual[i])) {
      ++same;
      continue;
    }
    fmt::print("  prompt {}:", i);
    ties += explain(baseline, options, prompts[i], wanted[i], actual[i], promise.distance) ? 1 : 0;
  }
  const int all = static_cast<int>(prompts.size());
  kept = kept && same >= promise.share * all && same + ties == all;
  fmt::print("  texts: {} of {} as on {} ({:.1f} %), {} differ after a tie; {:.1f} s\n", same, all,
             options.baseline, 100.0 * same / all, ties, seconds);
  fmt::print("  {}\n", !promise.binding ? "approximate" : kept ? "kept" : "NOT KEPT");
  std::fflush(stdout);
  return kept || !promise.binding;
}

int run(const Options& options) {
  Subject baseline(options.baseline, options.model);
  std::optional<Subject> plain;
  if (options.states > 0) plain.emplace("reference", options.model);
  const auto prompts = read_prompts(options, baseline.model);
  double seconds = 0;
  const auto wanted = decode_all(baseline.model, prompts, options, seconds);
  fmt::print("{} prompts on {}: {:.1f} s\n", prompts.size(), options.baseline, seconds);
  bool kept = true;
  for (std::size_t at = 0; at < options.backends.size();) {
    const std::size_t comma = std::min(options.backends.find(',', at), options.backends.size());
    const std::string backend = options.backends.substr(at, comma - at);
    kept = report(backend, options, baseline, plain ? &plain->model : nullptr, prompts, wanted) &&
           kept;
    at = comma + 1;
  }
  return kept ? 0 : 1;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (++i == argc) throw Error(word + " needs a value");
      return std::string(argv[i]);
    };
    if (word == "--backends")
      options.backends = value();
    else if (word == "--baseline")
      options.baseline = value();
    else if (word == "--prompts")
      options.prompts = std::stoi(value());
    else if (word == "--states")
      options.states = std::stoi(value());
    else if (word.starts_with("--") || !options.problems.empty())
      throw Error("agreement does not know " + word);
    else
      (options.model.empty() ? options.model : options.problems) = word;
  }
  if (options.problems.empty()) throw Error("usage: agreement MODEL PROBLEMS.jsonl [OPTIONS]");
  return options;
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  try {
    return umf::run(umf::parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
