#include "bench/dataset_records.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {
namespace {

struct Kind {
  std::string name;
  std::vector<std::string_view> fields;  // that a record must have to be of this kind
};

// The more particular first: an EvalPlus record has all that a HumanEval record has.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds = {
      {"evalplus", {"task_id", "entry_point", "base_input", "plus_input"}},
      {"humaneval", {"task_id", "entry_point", "test"}},
      {"mbpp", {"task_id", "test_list"}},
      {"livecodebench", {"question_id", "question_content", "public_test_cases"}},
      {"problems", {"id", "prompt", "reward"}},
      {"math", {"problem", "solution"}},
  };
  return kinds;
}

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

Task read_evalplus(const RawObject& record, const PromptStyle& style) {
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

Task read_humaneval(const RawObject& record, const PromptStyle& style) {
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

Task read_mbpp(const RawObject& record, const PromptStyle& style, const std::string& where) {
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

Task read_livecodebench(const RawObject& record, const PromptStyle& style,
                        const std::string& where) {
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

Task read_math(const RawObject& record, int line, const PromptStyle& style) {
  Task task;
  task.problem.id =
      record.has("unique_id") ? record.text("unique_id") : fmt::format("math/{}", line);
  style.apply({{"problem", record.text("problem")}}, task.problem);
  task.hidden = {{"type", "math-answer"}, {"answer", record.text("answer")}};
  return task;
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

Task read_record(const std::string& kind, const RawObject& record, std::string_view text, int line,
                 const PromptStyle& style, const std::string& where) {
  if (kind == "evalplus") return read_evalplus(record, style);
  if (kind == "humaneval") return read_humaneval(record, style);
  if (kind == "mbpp") return read_mbpp(record, style, where);
  if (kind == "livecodebench") return read_livecodebench(record, style, where);
  if (kind == "math") return read_math(record, line, style);
  Task task;
  task.problem = parse_problem(std::string(text), where, &task.hidden);
  return task;
}

}  // namespace umf
