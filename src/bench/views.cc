#include "bench/views.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "bench/pooled_results.h"
#include "bench/samples.h"
#include "bench/summary.h"

namespace umf {
namespace {

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string program_of(const Result& result) { return result.program.value_or(result.answer); }

// As EvalPlus reads them; it does not look at further keys.
std::string sample_line(const Result& result) {
  return dumped({{"task_id", result.key.id},
                 {"solution", program_of(result)},
                 {"configuration", result.key.configuration},
                 {"budget", result.key.budget}},
                -1);
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

void write_problems(const RunDirectory& run, const std::vector<Task>& tasks) {
  std::string lines;
  for (const Task& task : tasks)
    lines += dumped({{"id", task.problem.id}, {"prompt", task.problem.prompt}}, -1);
  create_file(run.file("problems.jsonl"), lines);
}

// Several workers write the same files. If results came in while this one wrote, another worker may
// have written files with those results, and this one has just replaced them by older ones: so it
// writes again. Once is enough, because whoever adds still later results writes after that.
void Views::refresh(ResultIndex& results) {
  results.refresh();
  for (int round = 0; round < 2; ++round) {
    const auto seen = results.bytes_read();
    write(results);
    results.refresh();
    if (results.bytes_read() == seen) return;
  }
}

void Views::refresh_now_and_then(ResultIndex& results) {
  const auto start = Clock::now();
  if (start < next_) return;
  results.refresh();
  write(results);
  const auto now = Clock::now();
  next_ = now + std::max<Clock::duration>(std::chrono::seconds(10), 50 * (now - start));
}

void Views::write(const ResultIndex& results) const {
  const Manifest& manifest = run_.manifest();
  std::string lines, samples;
  std::map<std::string, std::vector<Submission>> by_name;
  for (const std::string& id : manifest.ids) {
    for (const Manifest::Entry& entry : manifest.configurations) {
      for (const long budget : entry.recorded()) {
        const Result* result = results.find({id, entry.name, budget});
        if (result == nullptr) continue;
        lines += result_row(*result);
        const bool reported = std::ranges::binary_search(entry.budgets, budget);
        if (result->status == ResultStatus::kFailed || !reported) continue;
        samples += sample_line(*result);
        by_name[fmt::format("{}-{}", entry.name, budget)].push_back({id, program_of(*result)});
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
