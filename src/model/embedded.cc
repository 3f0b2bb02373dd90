#include "model/embedded.h"

namespace umf {
namespace {

std::span<const BuiltInFolder> models_of_the_program;

}  // namespace

void embed_models(std::span<const BuiltInFolder> models) { models_of_the_program = models; }

std::span<const BuiltInFolder> embedded_models() { return models_of_the_program; }

std::string embedded_model_names() {
  std::string names;
  for (const BuiltInFolder& model : embedded_models()) {
    if (!names.empty()) names += ", ";
    names += model.name;
  }
  return names;
}

}  // namespace umf
