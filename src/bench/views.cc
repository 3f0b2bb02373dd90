#include "bench/views.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "bench/summary.h"

namespace umf {
namespace {

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// As EvalPlus reads them; it does not look at further keys.
std::string sample_line(const Result& result) {
  return dumped({{"task_id", result.key.id},
                 {"solution", result.program.value_or(result.answer)},
                 {"configuration", result.key.configuration},
                 {"budget", result.key.budget}},
                -1);
}

}  // namespace

void write_problems(const RunDirectory& run, const std::vector<Task>& tasks) {
  std::string lines;
  for (const Task& task : tasks)
    lines += dumped({{"id", task.problem.id}, {"prompt", task.problem.prompt}}, -1);
  create_file(run.file("problems.jsonl"), lines);
}

void Views::refresh(ResultIndex& results) {
  results.refresh();
  for (std::uintmax_t seen = ~std::uintmax_t{0}; seen != results.bytes_read(); results.refresh()) {
    seen = results.bytes_read();
    write(results);
  }
}

void Views::refresh_now_and_then(ResultIndex& results) {
  const auto start = Clock::now();
  if (start < next_) return;
  refresh(results);
  const auto now = Clock::now();
  next_ = now + std::max<Clock::duration>(std::chrono::seconds(10), 50 * (now - start));
}

void Views::write(const ResultIndex& results) const {
  const Manifest& manifest = run_.manifest();
  std::string lines, samples;
  std::map<std::string, std::string> by_file;
  for (const std::string& id : manifest.ids) {
    for (const Manifest::Entry& entry : manifest.configurations) {
      for (const long budget : entry.budgets) {
        const Result* result = results.find({id, entry.name, budget});
        if (result == nullptr) continue;
        lines += result_line(*result);
        if (result->status == ResultStatus::kFailed) continue;
        samples += sample_line(*result);
        by_file[fmt::format("{}-{}.jsonl", entry.name, budget)] += sample_line(*result);
      }
    }
  }
  write_file(run_.file("results.jsonl"), lines);
  write_file(run_.file("samples.jsonl"), samples);
  if (by_file.size() > 1) {
    std::filesystem::create_directories(run_.file("samples"));
    for (const auto& [name, text] : by_file) write_file(run_.file("samples") / name, text);
  }
  write_file(run_.file("summary.json"), dumped(summarise(manifest, results.all()), 1));
}

}  // namespace umf
