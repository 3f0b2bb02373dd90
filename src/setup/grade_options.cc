#include "setup/grade_options.h"

#include <fmt/core.h>

#include "base/error.h"

namespace umf {

void GradeOptions::declare(OptionSet& options) {
  options.value("tests", tests,
                "visible, hidden or all (EvalPlus: base, plus, both; LiveCodeBench: public, "
                "private, both)");
  options.value("dataset-kind", choice.kind,
                "evalplus, humaneval, mbpp, livecodebench, math or problems");
  options.value("prompt-style", choice.prompt_style,
                "how {\"id\",\"answer\"} samples were asked for, which says where the program is");
  options.value("prompts", choice.prompts, "a file of prompt styles in place of the built-in");
  options.value("limit", choice.limit, "only the first so many problems; 0 for all");
  options.value("ids", ids, "a file with the ids of the problems, one per line");
  options.value("sample", choice.sample, "so many problems, drawn at random; 0 for all");
  options.value("sample-seed", choice.sample_seed, "of that draw");
  options.value("workers", workers, "samples judged at once; 0 for one per core");
  options.flag("skip-bad", choice.skip_bad, "leave out malformed problems instead of failing");
  options.flag("all-tests", all_tests,
               "run every test, also of programs that ran out of time in two of them");
  options.flag("details", details,
               "the outcome of every test in the sample's line; runs --all-tests");
  options.flag("unsafe-no-sandbox", unsafe,
               "run the programs without isolation where there is none");
}

GradeRequest GradeOptions::request() const {
  GradeRequest request{.dataset = dataset,
                       .samples = samples,
                       .tests = parse_test_choice(tests),
                       .tests_name = tests,
                       .choice = choice,
                       .workers = workers,
                       .all_tests = all_tests,
                       .details = details};
  if (dataset.empty() || samples.empty())
    throw Error("umf grade needs a data set and samples; umf grade --help shows the usage");
  if (dataset == "-") throw Error("the data set must be a file; only SAMPLES may be -");
  if (workers < 0 || workers > 1024)
    throw Error("--workers is from 1 to 1024, or 0 for one per core");
  if (!ids.empty()) request.choice.ids = read_ids(ids);
  return request;
}

}  // namespace umf
