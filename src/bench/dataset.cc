#include "bench/dataset.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/random.h"

namespace umf {
namespace {

Task parse_task(const std::string& line, const std::string& where) {
  return {parse_problem(line, where), parse_json(line, where).value("hidden", Json())};
}

// Positions of `count` of them, in order: the smallest keys of the seed's noise.
std::vector<std::size_t> draw(std::size_t size, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return noise_word({seed, 0}, static_cast<std::uint32_t>(i), 0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  order.resize(std::min(size, count));
  std::sort(order.begin(), order.end());
  return order;
}

void choose(std::vector<Task>& tasks, const DatasetOptions& options, const std::string& path) {
  if (!options.ids.empty()) {
    std::set<std::string> wanted(options.ids.begin(), options.ids.end());
    std::erase_if(tasks, [&](const Task& task) { return wanted.erase(task.problem.id) == 0; });
    if (!wanted.empty())
      throw Error(fmt::format("{}: there is no problem '{}'", path, *wanted.begin()));
  }
  if (options.sample > 0) {
    std::vector<Task> drawn;
    for (const std::size_t i : draw(tasks.size(), options.sample, options.sample_seed))
      drawn.push_back(std::move(tasks[i]));
    tasks = std::move(drawn);
  }
  if (options.limit > 0 && std::cmp_less(options.limit, tasks.size())) tasks.resize(options.limit);
}

}  // namespace

Dataset read_dataset(const std::string& path, const DatasetOptions& options) {
  if (!options.kind.empty() && options.kind != "problems")
    throw Error(fmt::format("this version reads problems only, not '{}'", options.kind));
  const std::string text = read_file(path);
  Dataset dataset{.kind = "problems", .fingerprint = checksum(text)};
  std::istringstream lines(text);
  std::set<std::string> ids;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{} line {}", path, ++number);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      Task task = parse_task(line, where);
      if (!ids.insert(task.problem.id).second)
        throw Error(fmt::format("{}: the id '{}' is there twice", where, task.problem.id));
      dataset.tasks.push_back(std::move(task));
    } catch (const Error& mistake) {
      if (!options.skip_bad) throw;
      dataset.skipped.emplace_back(mistake.what());
    }
  }
  choose(dataset.tasks, options, path);
  std::string chosen = dataset.fingerprint;
  for (const Task& task : dataset.tasks) chosen += "\n" + task.problem.id;
  dataset.fingerprint = checksum(chosen);
  return dataset;
}

}  // namespace umf
