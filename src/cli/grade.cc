// umf grade: judges answers that exist already.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/cancelled.h"
#include "base/error.h"
#include "base/inflate.h"
#include "base/nearest.h"
#include "base/task_threads.h"
#include "bench/pass_at_k.h"
#include "bench/samples.h"
#include "cli/common.h"
#include "cli/judges.h"
#include "cli/progress.h"
#include "reward/reward.h"

namespace umf {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct GradeOptions {
  std::string dataset, samples, tests = "all", ids;
  DatasetOptions choice;
  double fail_under = 0;
  int workers = 0;
  bool unsafe = false, details = false, all_tests = false;
  CommonOptions common;

  TestChoice test_choice() const {
    // As users of EvalPlus and of LiveCodeBench call them, too.
    if (tests == "visible" || tests == "base" || tests == "public") return TestChoice::kVisible;
    if (tests == "hidden" || tests == "plus" || tests == "private") return TestChoice::kHidden;
    if (tests == "all" || tests == "both") return TestChoice::kAll;
    throw Error(fmt::format("--tests is visible, hidden or all, not '{}'", tests));
  }
};

// One sample and the task it is for.
struct Entry {
  Sample sample;
  std::size_t task;
  Verdict verdict;
  bool done = false;
};

// Samples of problems that were not chosen are left out; of problems that do not exist, an error.
std::vector<Entry> match(std::vector<Sample> samples, const Dataset& chosen,
                         const std::vector<std::string>& known, const std::string& where) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < chosen.tasks.size(); ++i) numbers[chosen.tasks[i].problem.id] = i;
  std::vector<Entry> entries;
  for (Sample& sample : samples) {
    auto found = numbers.find(sample.id);
    if (found == numbers.end()) found = numbers.find("Mbpp/" + sample.id);
    if (found != numbers.end()) {
      entries.push_back({std::move(sample), found->second, {}});
    } else if (std::find(known.begin(), known.end(), sample.id) == known.end()) {
      const std::string near = nearest(sample.id, known);
      throw Error(
          fmt::format("{}: there is no problem '{}' in the data set. {}", where, sample.id,
                      near.empty() ? "Is it the right one?" : "Did you mean " + near + "?"));
    }
  }
  if (entries.empty()) throw Error(where + ": no sample is for a problem that was chosen");
  return entries;
}

// The rewards of the tasks at hand, each made when first needed and dropped after its last sample:
// some hold many megabytes of tests.
class Rewards {
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

OrderedJson line_of(const Entry& entry, bool details) {
  const Verdict& verdict = entry.verdict;
  const bool judged = !std::isnan(verdict.reward);
  OrderedJson line = {{"id", entry.sample.id},
                      {"passed", judged ? OrderedJson(verdict.passed()) : OrderedJson(nullptr)},
                      {"reward", judged ? OrderedJson(verdict.reward) : OrderedJson(nullptr)},
                      {"why", verdict.why}};
  if (details) {
    line["tests"] = OrderedJson::array();
    for (const TestVerdict& test : verdict.tests)
      line["tests"].push_back(
          {{"name", test.name}, {"outcome", name_of(test.outcome)}, {"why", test.why}});
  }
  return line;
}

struct Summary {
  OrderedJson json;
  double pass_at_1 = 0;
  int unjudged = 0;
};

Summary summarise(const std::vector<Entry>& entries, const Dataset& dataset,
                  const GradeOptions& options) {
  std::map<std::size_t, SampleTally> tallies;
  Summary summary;
  double reward = 0;
  int judged = 0, ungraded = 0;
  for (const Entry& entry : entries) {
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
  json["tests"] = options.tests;
  json["kind"] = dataset.kind;
  json["without_sample"] = dataset.tasks.size() - list.size();
  if (summary.unjudged > 0) json["unjudged"] = summary.unjudged;
  if (ungraded > 0) json["ungraded"] = ungraded;  // it was interrupted
  if (!dataset.skipped.empty()) json["skipped"] = dataset.skipped;
  return summary;
}

// Judges all entries on several threads; lines go out in order, as soon as their turn comes.
class Grading {
 public:
  Grading(std::vector<Entry>& entries, Rewards& rewards, const GradeOptions& options)
      : entries_(entries),
        rewards_(rewards),
        details_(options.details),
        progress_(options.common.quiet, "samples") {}

  // Until all are judged, or an interrupt comes: then at once, and what was judged is shown.
  void run(int workers) {
    TaskThreads threads(workers);
    std::exception_ptr failure;
    try {
      for (Entry& entry : entries_) threads.submit([this, &entry](int) { judge(entry); });
      threads.drain();
    } catch (const Cancelled&) {
      // Ctrl-C: what is left stays ungraded.
    } catch (...) {
      failure = std::current_exception();
    }
    threads.stop();
    show(/*all=*/true);
    if (failure) std::rethrow_exception(failure);
  }

 private:
  void judge(Entry& entry) {
    if (interrupted()) throw Cancelled();
    Verdict verdict = rewards_.judge(entry);
    const std::lock_guard lock(mutex_);
    right_ += verdict.passed();
    entry.verdict = std::move(verdict);
    entry.done = true;
    show(/*all=*/false);
    progress_.show(++done_, static_cast<int>(entries_.size()), fmt::format("{} right", right_));
  }

  // One that takes long holds up the lines behind it, but not the count.
  void show(bool all) {
    for (; shown_ < entries_.size() && (all || entries_[shown_].done); ++shown_) {
      if (!entries_[shown_].done) continue;
      progress_.clear();
      print_in_order(line_of(entries_[shown_], details_));
    }
    std::fflush(stdout);  // whoever reads along sees it now
  }

  std::vector<Entry>& entries_;
  Rewards& rewards_;
  const bool details_;
  std::mutex mutex_;
  Progress progress_;
  int done_ = 0, right_ = 0;
  std::size_t shown_ = 0;
};

// All ids of the data set, to tell samples of problems that were not chosen from wrong ones.
std::vector<std::string> all_ids(const GradeOptions& options, const Dataset& chosen) {
  const DatasetOptions& choice = options.choice;
  std::vector<std::string> ids;
  if (choice.ids.empty() && choice.sample == 0 && choice.limit == 0) {
    for (const Task& task : chosen.tasks) ids.push_back(task.problem.id);
    return ids;
  }
  DatasetOptions everything = choice;
  everything.ids.clear();
  everything.sample = everything.limit = 0;
  for (const Task& task : read_dataset(options.dataset, everything).tasks)
    ids.push_back(task.problem.id);
  return ids;
}

int grade(GradeOptions& options) {
  const TestChoice tests = options.test_choice();
  if (options.dataset.empty() || options.samples.empty())
    throw Error("umf grade needs a data set and samples; umf grade --help shows the usage");
  if (options.dataset == "-") throw Error("the data set must be a file; only SAMPLES may be -");
  if (!(options.fail_under >= 0 && options.fail_under <= 1))
    throw Error("--fail-under is a share from 0 to 1");
  if (options.workers < 0 || options.workers > 1024)
    throw Error("--workers is from 1 to 1024, or 0 for one per core");
  if (!options.ids.empty()) options.choice.ids = read_ids(options.ids);
  const Dataset dataset = read_dataset(options.dataset, options.choice);
  std::vector<Entry> entries =
      match(read_samples(options.samples), dataset, all_ids(options, dataset), options.samples);
  int workers = options.workers;
  if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
  workers = std::min<int>(workers, static_cast<int>(entries.size()));

  watch_for_interrupts();
  Judges judges(options.common, {.workers = workers, .unsafe = options.unsafe}, interrupt_token());
  JudgeTools tools = judges.tools();
  tools.every_test = options.all_tests || options.details;
  Rewards rewards(dataset, entries, tests, tools, options.dataset);
  Grading(entries, rewards, options).run(workers);

  const Summary summary = summarise(entries, dataset, options);
  print_in_order({{"summary", summary.json}});
  if (interrupted()) return kExitInterrupted;
  if (summary.unjudged > 0) {
    throw Error(fmt::format(
        "{} of {} samples could not be judged, which says nothing about them; their lines say why. "
        "Run it again, or see umf doctor",
        summary.unjudged, entries.size()));
  }
  return summary.pass_at_1 < options.fail_under ? 1 : 0;
}

void declare(GradeOptions& o, OptionSet& options) {
  options.argument("DATASET", o.dataset, "JSON Lines, plain or .gz; its kind is recognised");
  options.argument("SAMPLES", o.samples,
                   "the answers, as JSON Lines or one JSON list; - for stdin");
  options.value("tests", o.tests,
                "visible, hidden or all (EvalPlus: base, plus, both; LiveCodeBench: public, "
                "private, both)");
  options.value("dataset-kind", o.choice.kind,
                "evalplus, humaneval, mbpp, livecodebench, math or problems");
  options.value("prompt-style", o.choice.prompt_style,
                "how {\"id\",\"answer\"} samples were asked for, which says where the program is");
  options.value("prompts", o.choice.prompts, "a file of prompt styles in place of the built-in");
  options.value("limit", o.choice.limit, "only the first so many problems; 0 for all");
  options.value("ids", o.ids, "a file with the ids of the problems, one per line");
  options.value("sample", o.choice.sample, "so many problems, drawn at random; 0 for all");
  options.value("sample-seed", o.choice.sample_seed, "of that draw");
  options.value("workers", o.workers, "samples judged at once; 0 for one per core");
  options.value("fail-under", o.fail_under, "exit status 1 when pass@1 is less than this share");
  options.flag("skip-bad", o.choice.skip_bad, "leave out malformed problems instead of failing");
  options.flag("all-tests", o.all_tests,
               "run every test, also of programs that ran out of time in two of them");
  options.flag("details", o.details,
               "the outcome of every test in the sample's line; runs --all-tests");
  options.flag("unsafe-no-sandbox", o.unsafe,
               "run the programs without isolation where there is none");
  o.common.declare(options);
  o.common.declare_strictness(options);
  options.footer(
      "Samples are {\"task_id\",\"solution\"} or {\"task_id\",\"completion\"} (EvalPlus),\n"
      "{\"question_id\",\"code_list\"} (LiveCodeBench) or {\"id\",\"answer\"} (a model's text).\n"
      "Prints {\"id\",\"passed\",\"reward\",\"why\"} per sample, in order, and a summary.");
}

}  // namespace

Command grade_command() {
  return {"grade", "judge answers that exist already", [](OptionSet& options) {
            auto o = std::make_shared<GradeOptions>();
            declare(*o, options);
            return [o] { return grade(*o); };
          }};
}

}  // namespace umf
