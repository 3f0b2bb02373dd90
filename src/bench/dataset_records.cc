#include "bench/dataset_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "math/boxed.h"

namespace umf {
namespace {

using Source = RecordSource;

std::string stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

// What a code judge needs to find the program in an answer.
void add_extraction(Json& spec, const PromptStyle& style, const Problem& problem) {
  if (!style.extract.empty()) spec["extract"] = style.extract;
  if (!problem.prefill.empty()) spec["prefill"] = problem.prefill;
}

// MBPP+ writes an empty list of inputs as {} in one place.
std::string inputs_of(const RawObject& record, std::string_view key) {
  return record.raw(key) == "{}" ? "[]" : std::string(record.list(key));
}

Task read_evalplus(const Source& source) {
  const auto& [record, text, line, style, where] = source;
  Task task;
  const std::string prompt = record.text("prompt");
  task.problem.id = record.text("task_id");
  style.apply({{"prompt", stripped(prompt)}, {"raw_prompt", prompt}}, task.problem);
  Json spec = {{"type", "evalplus"},
               {"task_id", task.problem.id},
               {"prompt", prompt},
               {"entry_point", record.text("entry_point")},
               {"canonical_solution", record.text("canonical_solution")},
               {"atol", record.raw("atol")},
               {"base", inputs_of(record, "base_input")}};
  add_extraction(spec, style, task.problem);
  task.problem.reward = spec;
  spec["plus"] = inputs_of(record, "plus_input");
  task.hidden = std::move(spec);
  return task;
}

Task read_humaneval(const Source& source) {
  const auto& [record, text, line, style, where] = source;
  Task task;
  const std::string prompt = record.text("prompt");
  task.problem.id = record.text("task_id");
  style.apply({{"prompt", stripped(prompt)}, {"raw_prompt", prompt}}, task.problem);
  task.hidden = {{"type", "humaneval"},
                 {"task_id", task.problem.id},
                 {"prompt", prompt},
                 {"entry_point", record.text("entry_point")},
                 {"test", record.text("test")}};
  add_extraction(task.hidden, style, task.problem);
  return task;
}

Task read_mbpp(const Source& source) {
  const auto& [record, text, line, style, where] = source;
  Task task;
  const Json id = parse_json(record.raw("task_id"), where + ": field 'task_id'");
  if (!id.is_number_unsigned()) throw Error(where + ": field 'task_id' must be a number");
  task.problem.id = fmt::format("Mbpp/{}", id.get<std::uint64_t>());
  const std::vector<std::string> tests = record.texts("test_list");
  std::string setup;
  if (record.has("test_setup_code")) setup = record.text("test_setup_code");
  if (record.has("test_imports"))
    setup += fmt::format("{}", fmt::join(record.texts("test_imports"), "\n"));
  style.apply({{"task", record.text(record.has("text") ? "text" : "prompt")},
               {"tests", fmt::format("{}", fmt::join(tests, "\n"))}},
              task.problem);
  Json spec = {{"type", "mbpp"}, {"setup", setup}, {"tests", tests}};
  add_extraction(spec, style, task.problem);
  // The same asserts twice: by themselves, for a share, and in one run, which decides.
  spec["run"] = "each";
  task.problem.reward = spec;
  spec["run"] = "together";
  task.hidden = std::move(spec);
  return task;
}

Task read_livecodebench(const Source& source) {
  const auto& [record, text, line, style, where] = source;
  Task task;
  task.problem.id = record.text("question_id");
  const std::string starter = record.has("starter_code") ? record.text("starter_code") : "";
  style.apply({{"question", record.text("question_content")}, {"starter_code", starter}},
              task.problem);
  Json spec = {{"type", "livecodebench"}, {"public", record.text("public_test_cases")}};
  if (record.has("metadata")) {
    const Json metadata = parse_json(record.text("metadata"), where + ": field 'metadata'");
    if (metadata.is_object() && metadata.contains("func_name"))
      spec["func_name"] = metadata["func_name"];
  }
  add_extraction(spec, style, task.problem);
  spec["tests"] = "public";
  task.problem.reward = spec;
  spec["private"] = record.text("private_test_cases");
  spec["tests"] = "private";
  task.hidden = std::move(spec);
  return task;
}

// MATH-500 writes it down; the older files have it in a box at the end of the solution.
std::string gold_answer(const RawObject& record, const std::string& where) {
  if (record.has("answer")) return record.text("answer");
  const std::optional<std::string> boxed = last_boxed(record.text("solution"));
  if (!boxed) throw Error(where + ": the solution has no \\boxed answer");
  return *boxed;
}

Task read_math(const Source& source) {
  const auto& [record, text, line, style, where] = source;
  Task task;
  task.problem.id =
      record.has("unique_id") ? record.text("unique_id") : fmt::format("math/{}", line);
  style.apply({{"problem", record.text("problem")}}, task.problem);
  task.hidden = {{"type", "math-answer"}, {"answer", gold_answer(record, where)}};
  return task;
}

Task read_problem(const Source& source) {
  Task task;
  task.problem = parse_problem(std::string(source.text), source.where, &task.hidden);
  return task;
}

struct Kind {
  std::string name;
  std::vector<std::string_view> fields;  // that a record must have to be of this kind
  Task (*read)(const Source& source);
};

// The more particular first: an EvalPlus record has all that a HumanEval record has.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds = {
      {"evalplus", {"task_id", "entry_point", "base_input", "plus_input"}, read_evalplus},
      {"humaneval", {"task_id", "entry_point", "test"}, read_humaneval},
      {"mbpp", {"task_id", "test_list"}, read_mbpp},
      {"livecodebench",
       {"question_id", "question_content", "public_test_cases"},
       read_livecodebench},
      {"problems", {"id", "prompt", "reward"}, read_problem},
      {"math", {"problem", "solution"}, read_math},
  };
  return kinds;
}

}  // namespace

const std::vector<std::string>& dataset_kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Kind& kind : kinds()) list.push_back(kind.name);
    return list;
  }();
  return names;
}

std::string recognise(const RawObject& record, const std::string& where) {
  for (const Kind& kind : kinds()) {
    bool all = true;
    for (const std::string_view field : kind.fields) all = all && record.has(field);
    if (all) return kind.name;
  }
  throw Error(
      fmt::format("{}: no kind of data set has these fields; --dataset-kind names one of {}", where,
                  fmt::join(dataset_kinds(), ", ")));
}

Task read_record(const std::string& kind, const RecordSource& source) {
  return std::ranges::find(kinds(), kind, &Kind::name)->read(source);
}

}  // namespace umf
