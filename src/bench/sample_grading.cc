#include "bench/sample_grading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/cancelled.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/task_threads.h"
#include "bench/pass_at_k.h"

namespace umf {
namespace {

// All ids of the data set, to tell samples of problems that were not chosen from wrong ones.
std::vector<std::string> all_ids(const GradeRequest& request, const Dataset& chosen) {
  const DatasetOptions& choice = request.choice;
  std::vector<std::string> ids;
  if (choice.ids.empty() && choice.sample == 0 && choice.limit == 0) {
    for (const Task& task : chosen.tasks) ids.push_back(task.problem.id);
    return ids;
  }
  DatasetOptions everything = choice;
  everything.ids.clear();
  everything.sample = everything.limit = 0;
  for (const Task& task : read_dataset(request.dataset, everything).tasks)
    ids.push_back(task.problem.id);
  return ids;
}

}  // namespace

TestChoice parse_test_choice(const std::string& name) {
  if (name == "visible" || name == "base" || name == "public") return TestChoice::kVisible;
  if (name == "hidden" || name == "plus" || name == "private") return TestChoice::kHidden;
  if (name == "all" || name == "both") return TestChoice::kAll;
  throw Error(fmt::format("--tests is visible, hidden or all, not '{}'", name));
}

// The rewards of the tasks at hand, each made when first needed and dropped after its last sample:
// some hold many megabytes of tests.
class SampleGrading::Rewards {
 public:
  Rewards(const Dataset& dataset, const std::vector<Entry>& entries, TestChoice tests,
          const JudgeTools& tools, std::string where)
      : dataset_(dataset), tests_(tests), tools_(tools), where_(std::move(where)) {
    for (const Entry& entry : entries) ++slots_[key(entry)].samples;
  }

  Verdict judge(const Entry& entry) {
    Slot& slot = slots_.at(key(entry));
    const std::shared_ptr<Reward> reward = get(slot, entry);
    Verdict verdict = reward->judge(grading_text(dataset_.tasks[entry.task], entry.sample));
    const std::lock_guard lock(mutex_);
    if (--slot.samples == 0) slot.reward.reset();
    return verdict;
  }

 private:
  struct Slot {
    std::shared_ptr<Reward> reward;
    int samples = 0;  // still to be judged
  };

  static std::pair<std::size_t, Sample::Form> key(const Entry& entry) {
    return {entry.task, entry.sample.form};
  }

  // Rewards are made by one thread at a time, which their tools ask for.
  std::shared_ptr<Reward> get(Slot& slot, const Entry& entry) {
    const std::lock_guard lock(mutex_);
    if (!slot.reward) {
      const Task& task = dataset_.tasks[entry.task];
      slot.reward = make_reward(grading_spec(task, tests_, entry.sample.form),
                                {task.problem.id, task.problem.prompt}, where_, tools_);
    }
    return slot.reward;
  }

  const Dataset& dataset_;
  TestChoice tests_;
  const JudgeTools& tools_;
  std::string where_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, Sample::Form>, Slot> slots_;
};

// Judges all entries on several threads; lines go out in order, as soon as their turn comes.
class SampleGrading::Run {
 public:
  Run(SampleGrading& grading, Rewards& rewards, const GradeListener& listener)
      : grading_(grading), rewards_(rewards), listener_(listener) {}

  // Until all are judged, or a stop is asked for: then at once, and what was judged is shown.
  void run() {
    TaskThreads threads(grading_.workers());
    std::exception_ptr failure;
    try {
      for (Entry& entry : grading_.entries_) threads.submit([this, &entry](int) { judge(entry); });
      threads.drain();
    } catch (const Cancelled&) {
      // What is left stays ungraded.
    } catch (...) {
      failure = std::current_exception();
    }
    threads.stop();
    show(/*all=*/true);
    if (failure) std::rethrow_exception(failure);
  }

 private:
  void judge(Entry& entry) {
    if (listener_.stopped && listener_.stopped()) throw Cancelled();
    Verdict verdict = rewards_.judge(entry);
    const std::lock_guard lock(mutex_);
    right_ += verdict.passed();
    entry.verdict = std::move(verdict);
    entry.done = true;
    show(/*all=*/false);
    ++done_;
    if (listener_.judged) listener_.judged(done_, grading_.samples(), right_);
  }

  // One that takes long holds up the lines behind it, but not the count.
  void show(bool all) {
    const std::vector<Entry>& entries = grading_.entries_;
    for (; shown_ < entries.size() && (all || entries[shown_].done); ++shown_) {
      if (entries[shown_].done && listener_.line) listener_.line(grading_.line_of(entries[shown_]));
    }
  }

  SampleGrading& grading_;
  Rewards& rewards_;
  const GradeListener& listener_;
  std::mutex mutex_;
  int done_ = 0, right_ = 0;
  std::size_t shown_ = 0;
};

SampleGrading::SampleGrading(GradeRequest request)
    : request_(std::move(request)), dataset_(read_dataset(request_.dataset, request_.choice)) {
  match(read_samples(request_.samples));
}

// Samples of problems that were not chosen are left out; of problems that do not exist, an error.
void SampleGrading::match(std::vector<Sample> samples) {
  const std::vector<std::string> known = all_ids(request_, dataset_);
  const std::string& where = request_.samples;
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < dataset_.tasks.size(); ++i) numbers[dataset_.tasks[i].problem.id] = i;
  for (Sample& sample : samples) {
    auto found = numbers.find(sample.id);
    if (found == numbers.end()) found = numbers.find("Mbpp/" + sample.id);
    if (found != numbers.end()) {
      entries_.push_back({std::move(sample), found->second, {}});
    } else if (std::ranges::find(known, sample.id) == known.end()) {
      const std::string near = nearest(sample.id, known);
      throw Error(
          fmt::format("{}: there is no problem '{}' in the data set. {}", where, sample.id,
                      near.empty() ? "Is it the right one?" : "Did you mean " + near + "?"));
    }
  }
  if (entries_.empty()) throw Error(where + ": no sample is for a problem that was chosen");
}

int SampleGrading::workers() const {
  const int wanted = request_.workers > 0
                         ? request_.workers
                         : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::min(wanted, samples());
}

void SampleGrading::run(JudgeTools tools, const GradeListener& listener) {
  tools.every_test = request_.all_tests || request_.details;
  Rewards rewards(dataset_, entries_, request_.tests, tools, request_.dataset);
  Run(*this, rewards, listener).run();
}

OrderedJson SampleGrading::line_of(const Entry& entry) const {
  const Verdict& verdict = entry.verdict;
  const bool judged = !std::isnan(verdict.reward);
  OrderedJson line = {{"id", entry.sample.id},
                      {"passed", judged ? OrderedJson(verdict.passed()) : OrderedJson(nullptr)},
                      {"reward", judged ? OrderedJson(verdict.reward) : OrderedJson(nullptr)},
                      {"why", verdict.why}};
  if (request_.details) {
    line["tests"] = OrderedJson::array();
    for (const TestVerdict& test : verdict.tests)
      line["tests"].push_back(
          {{"name", test.name}, {"outcome", name_of(test.outcome)}, {"why", test.why}});
  }
  return line;
}

GradeSummary SampleGrading::summary() const {
  std::map<std::size_t, SampleTally> tallies;
  GradeSummary summary;
  double reward = 0;
  int judged = 0, ungraded = 0;
  for (const Entry& entry : entries_) {
    ungraded += !entry.done;
    if (!entry.done) continue;
    if (std::isnan(entry.verdict.reward)) {
      ++summary.unjudged;
      continue;
    }
    ++judged;
    reward += entry.verdict.reward;
    SampleTally& tally = tallies[entry.task];
    ++tally.samples;
    tally.right += entry.verdict.passed();
  }
  std::vector<SampleTally> list;
  for (const auto& [task, tally] : tallies) list.push_back(tally);
  OrderedJson& json = summary.json;
  json = {{"problems", list.size()}, {"samples", judged}};
  for (const int k : pass_at_k_choices(list)) json[fmt::format("pass@{}", k)] = pass_at_k(list, k);
  summary.pass_at_1 = list.empty() ? 0 : pass_at_k(list, 1);
  json["reward"] = judged == 0 ? OrderedJson(nullptr) : OrderedJson(reward / judged);
  json["tests"] = request_.tests_name;
  json["kind"] = dataset_.kind;
  json["without_sample"] = dataset_.tasks.size() - list.size();
  if (summary.unjudged > 0) json["unjudged"] = summary.unjudged;
  if (ungraded > 0) json["ungraded"] = ungraded;  // it was interrupted
  if (!dataset_.skipped.empty()) json["skipped"] = dataset_.skipped;
  return summary;
}

}  // namespace umf
