// Any bytes as a GGUF model: an Error of one line, or an architecture that can be computed, whose
// tensors can be found and whose tokens are in its vocabulary.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "model/checkpoint.h"
#include "model/expert_stacks.h"
#include "model/gguf_source.h"
#include "model/layer_tensors.h"
#include "model/special_tokens.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void resolve(const umf::CheckpointSource& source, const umf::ModelConfig& read) {
  const umf::Tokenizer tokenizer(source.tokenizer());
  const int rows = read.architecture.vocabulary;
  std::vector<std::string> warnings;
  const umf::SpecialTokens tokens = umf::resolve_tokens(
      {source.config(), source.generation(), tokenizer}, *read.family, rows, warnings);
  require(tokens.mask < rows && tokenizer.contains(tokens.mask));
  for (const umf::Token end : tokens.ends) require(end >= 0 && end < rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    std::vector<umf::GgufPart> parts;
    parts.push_back({"fuzz", umf::MappedFile::in_memory(file)});
    const auto source = umf::open_gguf_source(umf::join_gguf(std::move(parts)));
    const umf::ModelConfig read = umf::read_config(source->config());
    source->unknown_keys();
    umf::Weights weights = source->weights(read.architecture);
    const umf::TensorNames names = source->names(*read.family);
    umf::split_stacks(names, read.architecture, weights);
    require(weights.bytes() <= size);
    weights.fingerprint();
    source->chat_template();
    source->advice();
    resolve(*source, read);
    umf::find_tensors(read.architecture, names, weights, {&names.head, 1});
  } catch (const umf::Error& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
