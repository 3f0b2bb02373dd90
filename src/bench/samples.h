// Answers in files: what other tools write and read.
#pragma once

#include <string>
#include <vector>

#include "bench/dataset.h"

namespace umf {

struct Sample {
  enum class Form {
    kAnswer,   // {"id","answer"}: a model's text, in which the program is to be found
    kProgram,  // {"task_id","solution"} of EvalPlus, {"question_id","code_list"} of LiveCodeBench
    kCompletion,  // {"task_id","completion"}: goes on where the task's prompt ends
  };
  std::string id, text;
  Form form = Form::kAnswer;
};

// JSON Lines, plain or gzip, or one JSON list; "-" is standard input. Throws Error naming the line.
std::vector<Sample> read_samples(const std::string& path);

enum class TestChoice { kVisible, kHidden, kAll };

// The reward that judges a sample of that form on those tests. Throws Error where the task has
// none.
Json grading_spec(const Task& task, TestChoice tests, Sample::Form form);
// The text that such a reward judges.
std::string grading_text(const Task& task, const Sample& sample);

// A program that was submitted for a problem.
struct Submission {
  std::string id, program;
};

// As EvalPlus reads them: one {"task_id","solution"} per line, in order.
std::string evalplus_samples(const std::vector<Submission>& submissions);
// As LiveCodeBench's custom evaluation reads them: a list of {"question_id","code_list"}, sorted by
// question; several programs for one question stay in order.
std::string livecodebench_outputs(const std::vector<Submission>& submissions);

}  // namespace umf
