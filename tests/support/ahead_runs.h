// Searches with any number of walkers, and all that can be seen of them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "search/pair.h"
#include "session/ahead_world.h"
#include "session/decoding_world.h"
#include "solve/searches.h"
#include "solve/solve.h"
#include "support/journal_entries.h"
#include "support/judged_walks.h"
#include "support/temporary_directory.h"

namespace umf {

inline constexpr int kAheadWindow = 20;

// A judge that several threads may ask, worth `worth` of the text.
class SharedJudge final : public Reward {
 public:
  explicit SharedJudge(std::function<double(std::string_view)> worth, int parts = 0)
      : worth_(std::move(worth)), parts_(parts) {}
  Verdict judge(std::string_view answer) override { return {worth_(answer), "as it is"}; }
  int parts() const override { return parts_; }
  bool cheap() const override { return true; }  // texts may be opened again

 private:
  std::function<double(std::string_view)> worth_;
  int parts_;
};

inline double in_eighths(std::string_view answer) {
  return std::floor(8.99 * worth_of(answer)) / 8;
}

// Models of one worker, and walks with them.
struct Replica {
  virtual ~Replica() = default;
  virtual const WalkSetup& setup() const = 0;
};
using MakeReplica = std::function<std::unique_ptr<Replica>()>;

struct ScriptedReplica final : Replica {
  explicit ScriptedReplica(int actions, WalkOptions options = {.window = kAheadWindow},
                           ScriptedModel::Script before = {}) {
    options.ratios = {900, 800, 700, 600, 500, 400, 200};
    const Lexicon* const lexicons[] = {&dream_lexicon(), &llada_lexicon(), &sdc_lexicon()};
    std::vector<Participant> participants;
    std::vector<Action> list = {{.strategy = Strategy::kEntropy, .temperature = 0.5f},
                                {.model = 1},
                                {.model = 1, .strategy = Strategy::kOrigin, .temperature = 1},
                                {.model = 2}};
    list.resize(actions);
    for (int i = 0; i < 3; ++i) {
      models.push_back(std::make_unique<ScriptedModel>(hashing_model(*lexicons[i], 5 + i)));
      if (before) models.back() = with(before, std::move(models.back()));
      participants.push_back(
          {models.back().get(), lexicons[i]->tokenizer, lexicons[i]->tokenizer->encode_bytes("?")});
    }
    setup_.emplace(participants, list, options);
  }
  const WalkSetup& setup() const override { return *setup_; }

  // Calls `before` first; what it gives is not used.
  static std::unique_ptr<ScriptedModel> with(const ScriptedModel::Script& before,
                                             std::unique_ptr<ScriptedModel> model) {
    const ModelInfo info = model->info();
    std::shared_ptr<ScriptedModel> inner = std::move(model);
    return std::make_unique<ScriptedModel>(info, [=](std::span<const Token> tokens, int position) {
      before(tokens, position);
      return inner->logits(tokens, position);
    });
  }

  std::vector<std::unique_ptr<ScriptedModel>> models;
  std::optional<WalkSetup> setup_;
};

struct AheadPlan {
  std::string search = "unmaskfork";
  int actions = 3;
  SolveOptions options = {.budget = 8 * kAheadWindow + 7};
  WalkOptions walk = {.window = kAheadWindow};
  std::function<double(std::string_view)> worth = worth_of;
  int parts = 0;
  bool judge_again = false;  // a text that was judged before
  std::string pair_method;
  MakeReplica replica = {};
};

struct AheadReport {
  std::string result, trace, journal;
  Speculation ahead;
  std::vector<Trial> walked;  // not taken from the cache
};

inline std::string describe(const Ledger& ledger) {
  std::string text = fmt::format("nfe {} hits {} misses {} saved {}/{} spared {} judged {}",
                                 ledger.nfe, ledger.hits, ledger.misses, ledger.saved_full,
                                 ledger.saved_capped, ledger.spared, ledger.judged);
  for (const ActionUse& use : ledger.actions)
    text += fmt::format(" [{} {}]", use.nfe, use.best_reward.value_or(-1));
  return text;
}

inline std::string describe(const std::optional<Candidate>& best, const States& states) {
  if (!best) return "nothing";
  return fmt::format("state {} {} complete {} iteration {} path {} why '{}' text '{}'", best->end,
                     best->reward, best->complete, best->iteration, fmt::join(best->actions, ""),
                     best->why, states.text(best->end));
}

inline std::string describe(const Solution& solution, const States& states) {
  std::string text = fmt::format("{} '{}' nodes {} depth {} | {} | {}", name_of(solution.stopped),
                                 solution.message, solution.nodes, solution.depth,
                                 describe(solution.best, states), describe(solution.ledger));
  for (const CurvePoint& point : solution.curve)
    text += fmt::format(" | {} {} {}", point.budget, describe(point.best, states),
                        describe(point.ledger));
  return text;
}

inline std::unique_ptr<Replica> make_replica(const AheadPlan& plan) {
  return plan.replica ? plan.replica() : std::make_unique<ScriptedReplica>(plan.actions, plan.walk);
}

// Searches with `workers` walkers; 0 is the plain world that does only what it is asked.
inline AheadReport run(const AheadPlan& plan, int workers,
                       const std::filesystem::path& journal_path = {},
                       const WalkObserver& observer = {}) {
  std::vector<std::unique_ptr<Replica>> replicas;
  std::vector<Walker> walkers;
  const auto home = make_replica(plan);
  States states(home->setup());
  for (int i = 0; i < workers; ++i) {
    replicas.push_back(make_replica(plan));
    walkers.emplace_back(replicas.back()->setup());
  }
  SharedJudge judge(plan.worth, plan.parts);
  RememberingReward remembering(judge, RememberingReward::Failures::kKept);
  Reward& reward = plan.judge_again ? static_cast<Reward&>(judge) : remembering;
  RolloutCache known;
  SearchSetup setup{.root = states.setup().root(),
                    .actions = static_cast<int>(states.setup().actions().size()),
                    .seed = 3,
                    .budget = plan.options.budget,
                    .cache = &known};
  setup.options.set<Pair>({.method = plan.pair_method});
  const auto search = make_search(plan.search, setup);
  std::optional<DecodingWorld> plain;
  std::optional<AheadWorld> ahead;
  if (workers == 0) {
    plain.emplace(states, reward, observer);
  } else {
    ahead.emplace(states, std::move(walkers), reward, observer);
    ahead->set_forecast(forecast_of(*search, known, states, reward, plan.options.use_cache));
  }
  World& inner = ahead ? static_cast<World&>(*ahead) : *plain;
  std::optional<Journal> journal;
  if (!journal_path.empty())
    journal.emplace(inner, journal_path, Json{{"plan", 1}}, journal_states(states, remembering));
  World& world = journal ? static_cast<World&>(*journal) : inner;
  AheadReport report;
  const Solution solution =
      solve(*search, world, known, plan.options, [&](const RolloutEvent& event) {
        if (!event.outcome.cached) report.walked.push_back(event.trial);
        report.trace +=
            fmt::format("{} {} {} {} {} {} {} {}\n", event.trial.from, event.trial.action,
                        event.trial.draw, event.outcome.cached, event.outcome.path.front().state,
                        event.outcome.path.back().state, event.outcome.reward, event.ledger.nfe);
        for (const Opening& opening : event.outcome.openings)
          report.trace += fmt::format("  {} {}\n", name_of(opening.kind), opening.place.state);
        return true;
      });
  if (ahead) report.ahead = ahead->finish();
  report.result = describe(solution, states);
  if (journal) report.journal = read_file(journal_path);
  return report;
}

// The same for every number of workers; gives back what four of them did ahead. Journals are synced
// after every line, which takes longer than everything else here.
inline Speculation expect_same_for_all(const AheadPlan& plan, bool journals = false) {
  const TemporaryDirectory directory;
  const auto file = [&](int workers) {
    return journals ? directory / std::to_string(workers) : std::filesystem::path();
  };
  const AheadReport expected = run(plan, 0, file(0));
  Speculation ahead;
  for (const int workers : {1, 2, 4}) {
    SCOPED_TRACE(fmt::format("{} workers", workers));
    const AheadReport report = run(plan, workers, file(workers));
    EXPECT_EQ(report.result, expected.result);
    EXPECT_EQ(report.trace, expected.trace);
    EXPECT_TRUE(journal_entries(report.journal) == journal_entries(expected.journal));
    EXPECT_GE(report.ahead.wasted(), 0);
    ahead = report.ahead;
  }
  return ahead;
}

}  // namespace umf
