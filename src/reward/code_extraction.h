// From a model's answer to the program in it, as far as text alone decides. What needs Python's
// grammar is left to the tester (python/sanitise.py).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace umf {

struct Extraction {
  std::string program;
  std::string sanitise;  // how the tester goes on: "", "evalplus" or "dream"
};

// What an extraction may need beside the answer.
struct ExtractionContext {
  std::string prefill;  // how the assistant's turn began
  std::string prompt;   // the task's own code, which a completion continues
  bool mbpp = false;    // which stop words a base model's completion has
};

// Throws Error for an unknown way. The ways:
//   program          the answer as it is
//   fenced           the last complete fenced block, else what follows an open fence, else all
//   to-fence         what follows the last opening ```python, up to the next fence
//   stripped         the answer without white space around it
//   livecodebench    the lines between the last two lines that have a fence
//   evalplus-chat    up to EvalPlus's stop words, then sanitised
//   evalplus-base    the same for a completion of the prompt
//   evalplus-fenced  fenced, then sanitised
//   dream            prompt and what stands between ```python and ```, sanitised Dream's way
//   mbpp-base        up to the stop words of an MBPP completion
//   mbpp-cascade     between [BEGIN] and [DONE], else a fenced block, else up to a fence
Extraction extract_program(const std::string& way, std::string_view answer,
                           const ExtractionContext& context);

const std::vector<std::string>& extraction_ways();

}  // namespace umf
