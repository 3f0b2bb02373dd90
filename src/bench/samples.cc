#include "bench/samples.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/inflate.h"
#include "base/json.h"
#include "reward/reward.h"

namespace umf {
namespace {

std::string dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string text_at(const Json& record, const char* key, const std::string& where) {
  const Json& value = record.at(key);
  if (value.is_number_unsigned()) return value.dump();  // MBPP's ids
  if (!value.is_string()) throw Error(fmt::format("{}: '{}' must be a string", where, key));
  return value;
}

void add_record(const Json& record, const std::string& where, std::vector<Sample>& samples) {
  const auto has = [&](const char* key) { return record.is_object() && record.contains(key); };
  using Form = Sample::Form;
  if (has("task_id") && has("solution")) {
    samples.push_back(
        {text_at(record, "task_id", where), text_at(record, "solution", where), Form::kProgram});
  } else if (has("task_id") && has("completion")) {
    samples.push_back({text_at(record, "task_id", where), text_at(record, "completion", where),
                       Form::kCompletion});
  } else if (has("question_id") && has("code_list") && record["code_list"].is_array()) {
    for (const Json& code : record["code_list"]) {
      if (!code.is_string()) throw Error(where + ": 'code_list' must hold strings");
      samples.push_back({text_at(record, "question_id", where), code, Form::kProgram});
    }
  } else if (has("id") && has("answer")) {
    samples.push_back(
        {text_at(record, "id", where), text_at(record, "answer", where), Form::kAnswer});
  } else {
    throw Error(
        fmt::format(R"({}: a sample is {{"task_id","solution"}}, {{"task_id","completion"}}, )"
                    R"({{"question_id","code_list"}} or {{"id","answer"}})",
                    where));
  }
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

bool begins_list(const std::string& line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first != std::string::npos && line[first] == '[';
}

Json chosen_tests(const Task& task, TestChoice tests) {
  const Json &visible = task.problem.reward, &hidden = task.hidden;
  if (tests == TestChoice::kVisible) return visible;
  const RewardEntry* reward = find_reward(hidden);
  Json spec = hidden;
  if (reward != nullptr && reward->hidden_tests != nullptr)
    spec["tests"] = tests == TestChoice::kHidden ? reward->hidden_tests : "all";
  const bool has_all = reward != nullptr && reward->hidden_has_all;
  if (tests == TestChoice::kHidden || has_all || visible.is_null()) return spec;
  if (hidden.is_null()) return visible;
  return {{"type", "all"}, {"of", {visible, hidden}}};
}

// The samples are programs: nothing has to be found in them.
void take_programs(Json& spec) {
  const RewardEntry* reward = find_reward(spec);
  if (reward != nullptr && reward->runs_program) spec["extract"] = "program";
}

}  // namespace

std::vector<Sample> read_samples(const std::string& path) {
  LineReader lines(path);
  std::vector<Sample> samples;
  std::string list;  // the text of a file that is one JSON list
  while (const auto line = lines.next()) {
    if (is_blank(*line)) continue;
    if (!list.empty() || (samples.empty() && begins_list(*line))) {
      list += *line + "\n";
      continue;
    }
    const std::string where = fmt::format("{}, line {}", path, lines.line());
    add_record(parse_json(*line, where), where, samples);
  }
  if (!list.empty()) {
    const Json records = parse_json(list, path);
    for (std::size_t i = 0; i < records.size(); ++i)
      add_record(records[i], fmt::format("{}, entry {}", path, i + 1), samples);
  }
  if (samples.empty()) throw Error(fmt::format("{}: there is no sample in it", path));
  return samples;
}

Json grading_spec(const Task& task, TestChoice tests, Sample::Form form) {
  Json spec = chosen_tests(task, tests);
  if (spec.is_null()) {
    throw Error(fmt::format("problem '{}' has no {} tests; choose others with --tests",
                            task.problem.id, tests == TestChoice::kVisible ? "visible" : "hidden"));
  }
  if (form == Sample::Form::kAnswer) return spec;
  if (spec.is_object() && spec.value("type", Json()) == "all")
    for (Json& part : spec["of"]) take_programs(part);
  else
    take_programs(spec);
  return spec;
}

std::string grading_text(const Task& task, const Sample& sample) {
  if (sample.form != Sample::Form::kCompletion || !task.hidden.is_object()) return sample.text;
  return task.hidden.value("prompt", "") + sample.text;
}

std::string evalplus_samples(const std::vector<Submission>& submissions) {
  std::string text;
  for (const Submission& one : submissions)
    text += dumped({{"task_id", one.id}, {"solution", one.program}}) + "\n";
  return text;
}

std::string livecodebench_outputs(const std::vector<Submission>& submissions) {
  std::map<std::string, OrderedJson> programs;
  for (const Submission& one : submissions) programs[one.id].push_back(one.program);
  OrderedJson list = OrderedJson::array();
  for (const auto& [id, code_list] : programs)
    list.push_back({{"question_id", id}, {"code_list", code_list}});
  return dumped(list) + "\n";
}

}  // namespace umf
