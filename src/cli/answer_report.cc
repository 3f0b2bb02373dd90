#include "cli/answer_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/authors.h"
#include "cli/common.h"
#include "setup/say.h"
#include "setup/terminal.h"

namespace umf {
namespace {

constexpr std::size_t kMostTests = 12;  // one line each

std::size_t passed(const Verdict& verdict) {
  return std::ranges::count(verdict.tests, TestOutcome::kPass, &TestVerdict::outcome);
}

std::string worth(const Verdict& verdict) {
  if (std::isnan(verdict.reward)) return "no verdict: " + verdict.why;
  const std::string reward = fmt::format("reward {:.3g}{}", verdict.reward,
                                         verdict.why.empty() ? "" : " (" + verdict.why + ")");
  if (verdict.tests.empty()) return reward;
  const std::size_t all = verdict.tests.size(), good = passed(verdict);
  const bool is_share = verdict.reward * static_cast<double>(all) == static_cast<double>(good);
  return fmt::format("{} of {} tests pass{}", good, all, is_share ? "" : ", " + reward);
}

std::string indented(const std::string& text) {
  std::string lines = "    ";
  for (const char c : text) lines += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return lines;
}

void heading(const Paint& paint, const std::string& title, const std::string& text) {
  say("\n{}  {}\n", paint.bold(title), text);
}

// What passes over few rows come to.
std::string parts_of(const Ledger& ledger) {
  if (ledger.partial == 0) return "";
  return fmt::format(", {} of them partial: by arithmetic {:.1f} whole ones", ledger.partial,
                     ledger.equivalents);
}

}  // namespace

void AnswerReport::watch(const RolloutEvent& event) {
  const Trial& trial = event.trial;
  const Outcome& outcome = event.outcome;
  if (!outcome.cached) cells_ += static_cast<long>(outcome.writes.size()) - outcome.spared;
  if (!first_alone_ && trial.from == 0 && trial.action == 0 && event.verdict != nullptr)
    first_alone_ = {event.outcome.path.back().state, *event.verdict};
}

void AnswerReport::print(const Solution& solution, const Candidate& best, double seconds,
                         std::FILE* answers) const {
  const Paint paint(answers);
  const std::string answer = search_.text(best.end);
  if (paint.on())
    fmt::print(answers, "{}\n", coloured_answer(search_.authored_text(best), paint));
  else
    print_answer(answer, answers);
  std::fflush(answers);  // the answer first, also where both go to one file
  print_authors(best, answers);
  print_tests("tests", {best.reward, best.why, best.tests});
  print_first_alone(best);
  print_cost(solution, best, seconds);
}

// On a terminal the answer shows it; elsewhere the answer stays as it is, to be used.
void AnswerReport::print_authors(const Candidate& best, std::FILE* answers) const {
  const Paint paint(stderr);
  const std::vector<AuthoredText> pieces = search_.authored_text(best);
  heading(paint, "written by", authors_legend(pieces, author_names(configuration_), paint));
  const bool several = std::ranges::any_of(
      pieces, [&](const AuthoredText& piece) { return piece.author != pieces.front().author; });
  if (several && !Paint(answers).on()) say("{}", lettered_answer(pieces, paint));
}

void AnswerReport::print_tests(const std::string& title, const Verdict& verdict,
                               const std::string& answer) const {
  const Paint paint(stderr);
  heading(paint, title, worth(verdict));
  if (!answer.empty()) say("{}\n", paint.dim(harmless(indented(answer))));
  for (std::size_t i = 0; i < verdict.tests.size() && i < kMostTests; ++i) {
    const TestVerdict& test = verdict.tests[i];
    const bool ok = test.outcome == TestOutcome::kPass;
    const std::string outcome = fmt::format("{:<7}", ok ? "ok" : name_of(test.outcome));
    say("  {} {}{}\n", ok ? paint.good(outcome) : paint.bad(outcome), harmless(test.name),
        test.why.empty() ? "" : "  " + paint.dim(harmless(test.why)));
  }
  if (verdict.tests.size() > kMostTests)
    say("  ... and {} more\n", verdict.tests.size() - kMostTests);
}

void AnswerReport::print_first_alone(const Candidate& best) const {
  if (configuration_.actions.size() == 1 || !first_alone_ || first_alone_->end == best.end) return;
  print_tests(configuration_.action_names[0] + " alone", first_alone_->verdict,
              search_.text(first_alone_->end));
}

// Why it was fast, where it was: cells that were not committed one by one.
std::string AnswerReport::pace(long passes) const {
  if (passes == 0 || cells_ <= passes) return "";
  return fmt::format(" for {} cells, {:.1f} a pass", cells_,
                     static_cast<double>(cells_) / static_cast<double>(passes));
}

void AnswerReport::print_cost(const Solution& solution, const Candidate& best,
                              double seconds) const {
  const Ledger& ledger = solution.ledger;
  const long budget = configuration_.solve.budget;
  const std::string of_budget = budget == kNoBudget ? "" : fmt::format(" of {}", budget);
  heading(
      Paint(stderr), "search",
      fmt::format("{} forward passes (NFE){}{}{}; found in rollout {} of {}; {} hits of the cache "
                  "saved {} passes; {:.1f} s; stopped: {}",
                  ledger.nfe, of_budget, pace(ledger.nfe), parts_of(ledger), best.iteration,
                  ledger.rollouts(), ledger.hits, ledger.saved_capped, seconds,
                  name_of(solution.stopped)));
}

}  // namespace umf
