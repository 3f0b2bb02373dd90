#include "reward/program_of.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/code_extraction.h"
#include "reward/tester.h"

namespace umf {

std::string program_of(const Json& spec, std::string_view answer, const std::string& where,
                       const JudgeTools& tools) {
  if (!spec.is_object() || !spec.contains("extract")) return std::string(answer);
  const std::string entry_point = spec.value("entry_point", "");
  const Extraction extraction =
      extract_program(spec["extract"], answer,
                      {.prefill = spec.value("prefill", ""),
                       .prompt = spec.value("prompt", ""),
                       .mbpp = spec.value("task_id", "").starts_with("Mbpp/")});
  if (extraction.sanitise.empty()) return extraction.program;
  const Json payload = {{"program", extraction.program},
                        {"sanitise", extraction.sanitise},
                        {"entry_point", entry_point}};
  const PythonResult result = run_patiently(
      sandbox_of(tools, where), {"sanitise", payload_text(payload), judging_limits({10}, tools)});
  if (result.ending != Ending::kExited)
    throw Error(where + ": the program could not be taken from the answer: " + result.reason);
  return parse_json(result.reports, where).at("program");
}

}  // namespace umf
