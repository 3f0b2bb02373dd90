#include "bench/shared_problem.h"

#include "base/error.h"
#include "reward/program_of.h"

namespace umf {
namespace {

std::unique_ptr<Reward> make_judge(const Json& spec, const Task& task, const JudgeTools& tools) {
  return make_reward(spec, {task.problem.id, task.problem.prompt}, task.problem.id, tools);
}

}  // namespace

void SharedProblem::check() {
  if (!objection_) {
    std::string objection;
    try {
      reward.check();
      grading->check();
    } catch (const Error& reason) {
      objection = reason.what();
    }
    objection_ = objection;
  }
  if (!objection_->empty()) throw Error(*objection_);
}

SharedProblem::SharedProblem(const Task& task, const JudgeTools& tools)
    : judge(make_judge(task.problem.reward, task, tools)),
      grading(std::make_shared<Grading>(
          task.hidden.is_null() ? nullptr : make_judge(task.hidden, task, tools),
          [&task, &tools](const std::string& answer) {
            return program_of(task.problem.reward, answer, task.problem.id, tools);
          })) {}

}  // namespace umf
