#include "bench/dataset.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/inflate.h"
#include "base/nearest.h"
#include "base/random.h"
#include "base/sha256.h"
#include "bench/dataset_records.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

class Reader {
 public:
  Reader(const std::string& path, const DatasetOptions& options)
      : path_(path), options_(options), wanted_(options.ids.begin(), options.ids.end()) {
    data_.kind = options.kind;
    const auto& kinds = dataset_kinds();
    if (!data_.kind.empty() && std::find(kinds.begin(), kinds.end(), data_.kind) == kinds.end()) {
      const std::string near = nearest(data_.kind, kinds);
      throw Error(fmt::format("unknown kind of data set '{}'. {}", data_.kind,
                              near.empty() ? "There are evalplus, humaneval, mbpp, livecodebench, "
                                             "math and problems"
                                           : "Did you mean " + near + "?"));
    }
  }

  Dataset read() {
    LineReader lines(path_);
    while (const std::optional<std::string> line = lines.next()) {
      hash_.add(*line);
      hash_.add("\n");
      if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
      const std::string where = fmt::format("{}, line {}", path_, lines.line());
      const auto record = unless_bad([&] { return parse(*line, where); });
      if (!record) continue;
      // Outside of what --skip-bad forgives: the wording is the user's choice.
      if (!style_ && data_.kind != "problems")
        style_ = prompt_style(data_.kind, options_.prompt_style, options_.prompts);
      unless_bad([&] { return add(*record, *line, lines.line(), where); });
      const bool enough = options_.limit > 0 && options_.sample == 0 &&
                          static_cast<int>(data_.tasks.size()) == options_.limit;
      if (enough) break;
    }
    choose();
    if (data_.tasks.empty()) throw Error(fmt::format("{}: there is no problem in it", path_));
    for (const std::string& part : choices()) hash_.add(part + "\n");
    data_.fingerprint = hash_.digest();
    return std::move(data_);
  }

 private:
  // The value of `read`, or nothing where the line is malformed and such lines are left out.
  template <class Read>
  auto unless_bad(Read read) -> std::optional<decltype(read())> {
    try {
      return read();
    } catch (const Error& mistake) {
      if (!options_.skip_bad) throw;
      data_.skipped.emplace_back(mistake.what());
      return std::nullopt;
    }
  }

  RawObject parse(const std::string& line, const std::string& where) {
    if (valid_utf8_end(line, 0) != line.size()) throw Error(where + ": not UTF-8");
    RawObject record(line, where);
    if (data_.kind.empty()) data_.kind = recognise(record, where);
    return record;
  }

  bool add(const RawObject& record, const std::string& line, int number, const std::string& where) {
    Task task =
        read_record(data_.kind, {record, line, number, style_.value_or(PromptStyle{}), where});
    const std::string& id = task.problem.id;
    if (!ids_.insert(id).second) throw Error(fmt::format("{}: id '{}' is given twice", where, id));
    if (!wanted_.empty() && !wanted_.contains(id)) return true;
    if (options_.sample > 0)
      draw(std::move(task), number);
    else
      data_.tasks.push_back(std::move(task));
    return true;
  }

  void choose() {
    for (const std::string& id : options_.ids) {
      if (ids_.contains(id)) continue;
      const std::string near = nearest(id, {ids_.begin(), ids_.end()});
      throw Error(fmt::format(
          "{}: there is no problem '{}'. {}", path_, id,
          near.empty() ? "--ids takes the ids of this data set" : "Did you mean " + near + "?"));
    }
    auto& tasks = data_.tasks;
    if (options_.sample > 0) take_drawn();
    if (options_.limit > 0 && static_cast<int>(tasks.size()) > options_.limit)
      tasks.resize(options_.limit);
  }

  // The tasks with the smallest noise: which ones does not depend on their order in the file. Kept
  // as they come, because a whole data set can be larger than memory.
  void draw(Task task, int line) {
    const std::string id = task.problem.id;
    const std::vector<Token> letters(id.begin(), id.end());
    drawn_[{noise_key(options_.sample_seed, 0, letters), id}] = {line, std::move(task)};
    if (static_cast<int>(drawn_.size()) > options_.sample) drawn_.erase(std::prev(drawn_.end()));
  }

  void take_drawn() {
    if (static_cast<int>(drawn_.size()) < options_.sample) {
      throw Error(fmt::format("--sample {} asks for more problems than there are ({})",
                              options_.sample, drawn_.size()));
    }
    std::map<int, Task> in_order;
    for (auto& [key, drawn] : drawn_) in_order[drawn.first] = std::move(drawn.second);
    for (auto& [line, task] : in_order) data_.tasks.push_back(std::move(task));
  }

  // Everything beside the bytes that the tasks depend on.
  std::vector<std::string> choices() const {
    std::vector<std::string> parts = {data_.kind, fmt::format("{}", options_.skip_bad)};
    for (const Task& task : data_.tasks) {
      const Problem& problem = task.problem;
      for (const std::string& text : {problem.id, problem.system, problem.prompt, problem.prefill})
        parts.push_back(sha256(text));
      parts.emplace_back(problem.raw ? "raw" : "chat");
    }
    return parts;
  }

  std::string path_;
  const DatasetOptions& options_;
  std::set<std::string> wanted_, ids_;
  std::optional<PromptStyle> style_;
  Sha256 hash_;
  Dataset data_;
  std::map<std::pair<NoiseKey, std::string>, std::pair<int, Task>> drawn_;  // task and its line
};

}  // namespace

Dataset read_dataset(const std::string& path, const DatasetOptions& options) {
  return Reader(path, options).read();
}

}  // namespace umf
