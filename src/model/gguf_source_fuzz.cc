// Any bytes as a GGUF model: an Error of one line, or an architecture that can be computed and
// weights that can be listed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "model/checkpoint.h"
#include "model/expert_stacks.h"
#include "model/gguf_source.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    std::vector<umf::GgufPart> parts;
    parts.push_back({"fuzz", umf::MappedFile::in_memory(file)});
    const auto source = umf::open_gguf_source(umf::join_gguf(std::move(parts)));
    const umf::ModelConfig read = umf::read_config(source->config());
    source->unknown_keys();
    umf::Weights weights = source->weights(read.architecture);
    umf::split_stacks(source->names(*read.family), read.architecture, weights);
    if (weights.bytes() > size) std::abort();
    weights.fingerprint();
    source->chat_template();
    source->advice();
  } catch (const umf::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
