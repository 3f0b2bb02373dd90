// Any bytes as a data set and as packed tests: an Error, or tasks with unique ids.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "bench/dataset_records.h"
#include "reward/livecodebench_tests.h"

namespace {

void read_as_record(const std::string& text) {
  const umf::RawObject record(text, "fuzz");
  const std::string kind = umf::recognise(record, "fuzz");
  umf::PromptStyle style;
  if (kind != "problems") style = umf::prompt_style(kind, "", "");
  const umf::Task task = umf::read_record(kind, {record, text, 1, style, "fuzz"});
  if (kind == "livecodebench" && task.hidden.contains("private"))
    umf::unpack_tests(task.hidden["private"], "fuzz", 1 << 20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    read_as_record(text);
  } catch (const umf::Error&) {
  }
  try {
    if (umf::unpickle_string(text, "fuzz").size() > size) std::abort();
  } catch (const umf::Error&) {
  }
  return 0;
}
