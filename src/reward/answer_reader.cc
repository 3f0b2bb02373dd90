#include "reward/answer_reader.h"

#include <utility>

namespace umf {

AnswerReader::AnswerReader(const SpecFields& spec, const std::string& otherwise,
                           ExtractionContext context)
    : way_(spec.text("extract").value_or(otherwise)), context_(std::move(context)) {
  context_.prefill = spec.text("prefill").value_or("");
  read("");  // an unknown way is an error now, not at the first answer
}

Extraction AnswerReader::read(std::string_view answer) const {
  return extract_program(way_, answer, context_);
}

}  // namespace umf
