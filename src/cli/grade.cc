// umf grade: judges answers that exist already.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/common.h"
#include "setup/grade_options.h"
#include "setup/judges.h"
#include "setup/progress.h"

namespace umf {
namespace {

struct GradeCliOptions {
  GradeOptions grade;
  double fail_under = 0;
  CommonOptions common;
};

int grade(const GradeCliOptions& options) {
  const GradeRequest request = options.grade.request();
  if (!(options.fail_under >= 0 && options.fail_under <= 1))
    throw Error("--fail-under is a share from 0 to 1");
  SampleGrading grading(request);
  watch_for_interrupts();
  Judges judges(options.common, {.workers = grading.workers(), .unsafe = options.grade.unsafe},
                interrupt_token());
  Progress progress(options.common.quiet, "samples");
  grading.run(judges.tools(), {.line =
                                   [&](const OrderedJson& line) {
                                     progress.clear();
                                     print_in_order(line);
                                     std::fflush(stdout);  // whoever reads along sees it now
                                   },
                               .judged =
                                   [&](int done, int samples, int right) {
                                     progress.show(done, samples, fmt::format("{} right", right));
                                   },
                               .stopped = interrupted});
  progress.clear();

  const GradeSummary summary = grading.summary();
  print_in_order({{"summary", summary.json}});
  if (interrupted()) return kExitInterrupted;
  if (summary.unjudged > 0) {
    throw Error(fmt::format(
        "{} of {} samples could not be judged, which says nothing about them; their lines say why. "
        "Run it again, or see umf doctor",
        summary.unjudged, grading.samples()));
  }
  return summary.pass_at_1 < options.fail_under ? 1 : 0;
}

void declare(GradeCliOptions& o, OptionSet& options) {
  options.argument("DATASET", o.grade.dataset, "JSON Lines, plain or .gz; its kind is recognised");
  options.argument("SAMPLES", o.grade.samples,
                   "the answers, as JSON Lines or one JSON list; - for stdin");
  o.grade.declare(options);
  options.value("fail-under", o.fail_under, "exit status 1 when pass@1 is less than this share");
  o.common.declare(options);
  o.common.declare_strictness(options);
  options.footer(
      "Samples are {\"task_id\",\"solution\"} or {\"task_id\",\"completion\"} (EvalPlus),\n"
      "{\"question_id\",\"code_list\"} (LiveCodeBench) or {\"id\",\"answer\"} (a model's text).\n"
      "Prints {\"id\",\"passed\",\"reward\",\"why\"} per sample, in order, and a summary.");
}

}  // namespace

Command grade_command() {
  return {"grade", "judge answers that exist already", [](OptionSet& options) {
            auto o = std::make_shared<GradeCliOptions>();
            declare(*o, options);
            return [o] { return grade(*o); };
          }};
}

}  // namespace umf
