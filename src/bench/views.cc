#include "bench/views.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "base/files.h"
#include "bench/pooled_results.h"
#include "bench/run_part.h"
#include "bench/samples.h"
#include "bench/summary.h"

namespace umf {
namespace {

// Those who go on recording meanwhile write after us.
constexpr int kMostRounds = 4;
// How often views are written while somebody works, at most, and how often others look whether the
// writer is still there.
constexpr std::chrono::seconds kOften{10}, kSeldom{60};

constexpr int kRoundsOfProblems = 3;

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string program_of(const Result& result) { return result.program.value_or(result.answer); }

// As EvalPlus reads them; it does not look at further keys.
std::string sample_line(const Result& result) {
  return dumped({{"task_id", result.key.id},
                 {"solution", program_of(result)},
                 {"configuration", result.key.configuration},
                 {"budget", result.key.budget},
                 {"seed", result.key.seed}},
                -1);
}

// A line for each task but those that are `known`.
std::string problem_lines(const std::vector<Task>& tasks, const std::set<std::string>& known) {
  std::string lines;
  for (const Task& task : tasks) {
    if (!known.contains(task.problem.id))
      lines += dumped({{"id", task.problem.id}, {"prompt", task.problem.prompt}}, -1);
  }
  return lines;
}

std::set<std::string> ids_in(const std::string& lines) {
  std::set<std::string> ids;
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object()) ids.insert(json.value("id", std::string()));
  }
  return ids;
}

// The programs of one configuration and budget in a file that the data set's own grader takes.
void write_submissions(const std::filesystem::path& stem, const std::string& dataset_kind,
                       const std::vector<Submission>& submissions) {
  if (dataset_kind == "livecodebench")
    write_file(stem.string() + ".json", livecodebench_outputs(submissions));
  else
    write_file(stem.string() + ".jsonl", evalplus_samples(submissions));
}

}  // namespace

// Of workers that add at once one may miss what the other has just written, and puts it back when
// it looks again.
void write_problems(const RunDirectory& run, const std::vector<Task>& tasks) {
  const std::filesystem::path file = run.file("problems.jsonl");
  if (create_file(file, problem_lines(tasks, {}))) return;
  for (int round = 0; round < kRoundsOfProblems; ++round) {
    const std::string known = read_file(file);
    const std::string more = problem_lines(tasks, ids_in(known));
    if (more.empty()) return;
    write_file(file, known + more);
  }
}

void Views::refresh(ResultIndex& results) {
  results.refresh_all();
  write(results);
}

SharedViews::Claim SharedViews::claim() {
  if (lease_ && leases_.holds(*lease_)) return Claim::kOurs;
  lease_.reset();
  const auto epochs = leases_.epochs();
  const auto known = epochs.find(kViewsJob);
  leases_.look_again();
  const Leases::Attempt attempt =
      known == epochs.end() ? Leases::Attempt{leases_.claim_first(kViewsJob), Life::kUnknown}
                            : leases_.take_over({kViewsJob, known->second});
  lease_ = attempt.lease;
  if (lease_) return Claim::kOurs;
  return attempt.holder == Life::kAlive ? Claim::kOthers : Claim::kUnknown;
}

// One who was taken for dead while it wrote may have put older files in place of newer ones, and
// whoever made those need not write again: so it does, though another one has the lease.
void SharedViews::write(ResultIndex& results) {
  Views(run_).refresh(results);
  has_written_ = true;
  owes_ = lease_ && !leases_.holds(*lease_);
}

void SharedViews::refresh_now_and_then(ResultIndex& results) {
  const auto start = Clock::now();
  if (start < next_) return;
  const bool ours = claim() == Claim::kOurs;
  if (ours || owes_) write(results);
  const auto now = Clock::now();
  next_ = now + (ours ? std::max<Clock::duration>(kOften, 50 * (now - start)) : kSeldom);
}

// Who records something and then finds that another one writes relies on that one: so the writer
// looks once more when it does not write any more.
bool SharedViews::finish(ResultIndex& results) {
  for (int round = 0; round < kMostRounds; ++round) {
    const Claim claimed = claim();
    if (claimed == Claim::kUnknown) return false;
    if (claimed == Claim::kOurs || owes_) write(results);
    if (claimed == Claim::kOthers) return true;
    if (owes_) continue;
    const auto seen = results.bytes_read();
    leases_.retire(*std::exchange(lease_, std::nullopt));
    results.refresh_all();
    if (results.bytes_read() == seen) return true;
  }
  return true;
}

// Of the run as it is now: others may have extended it since this worker began.
void Views::write(const ResultIndex& results) const {
  const RunDirectory now = RunDirectory::open(run_.folder());
  const Manifest& manifest = now.manifest();
  std::string lines, samples;
  std::map<std::string, std::vector<Submission>> by_name;
  const std::vector<SeededConfiguration> all = whole(manifest).configurations;
  for (const std::string& id : manifest.ids) {
    for (const auto& [configuration, seed, budgets] : all) {
      const Manifest::Entry& entry = manifest.configurations[configuration];
      const std::string of_seed = seed == entry.seed ? "" : fmt::format("-s{}", seed);
      for (const long budget : budgets) {
        const Result* result = results.find({id, entry.name, budget, seed});
        if (result == nullptr) continue;
        lines += result_row(*result);
        const bool reported = std::ranges::binary_search(entry.budgets, budget);
        if (result->status == ResultStatus::kFailed || !reported) continue;
        samples += sample_line(*result);
        by_name[fmt::format("{}-{}{}", entry.name, budget, of_seed)].push_back(
            {id, program_of(*result)});
      }
    }
  }
  for (const Manifest::Entry& entry : manifest.configurations) {
    if (!entry.pool) continue;
    for (const Result* result : pooled_results(manifest, entry, results.all()).results) {
      if (result == nullptr || result->status == ResultStatus::kFailed) continue;
      by_name[fmt::format("{}-{}-pool", entry.name, entry.pool->budget)].push_back(
          {result->key.id, program_of(*result)});
    }
  }
  write_file(run_.file("results.jsonl"), lines);
  write_file(run_.file("samples.jsonl"), samples);
  std::filesystem::create_directories(run_.file("samples"));
  for (const auto& [name, submissions] : by_name)
    write_submissions(run_.file("samples") / name, manifest.dataset_kind, submissions);
  write_file(run_.file("summary.json"), dumped(summarise(manifest, results.all()), 1));
}

}  // namespace umf
