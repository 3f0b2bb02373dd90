// The program in an answer, for the rewards that run it.
#pragma once

#include "reward/code_extraction.h"
#include "reward/spec.h"

namespace umf {

// How a spec says that programs are found in answers: "extract" and "prefill".
class AnswerReader {
 public:
  // Throws Error for an unknown way.
  AnswerReader(const SpecFields& spec, const std::string& otherwise,
               ExtractionContext context = {});
  Extraction read(std::string_view answer) const;

 private:
  std::string way_;
  ExtractionContext context_;
};

}  // namespace umf
