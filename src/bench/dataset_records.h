// One record of a data set as a task.
#pragma once

#include "base/raw_json.h"
#include "bench/dataset.h"
#include "bench/prompts.h"

namespace umf {

// The kinds there are, in the order in which records are tried against them.
const std::vector<std::string>& dataset_kinds();

// The kind whose fields the record has. Throws Error where there is none.
std::string recognise(const RawObject& record, const std::string& where);

// A record of a file: parsed, and as it stands in this line, which makes an id where it has none.
struct RecordSource {
  const RawObject& record;
  std::string_view text;
  int line;
  const PromptStyle& style;
  const std::string& where;
};
// Of one of the kinds. Throws Error naming the field.
Task read_record(const std::string& kind, const RecordSource& source);

}  // namespace umf
