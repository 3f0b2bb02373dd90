// Checkpoints that are part of the program. Only programs that want them link them
// (assets/CMakeLists.txt) and say so here.
#pragma once

#include <span>
#include <string>

#include "base/folder.h"

namespace umf {

// Makes these the embedded models, the strongest first. Once, before anything looks for a model;
// the tables must stay for the life of the program.
void embed_models(std::span<const BuiltInFolder> models);

// In order; empty in a program without any.
std::span<const BuiltInFolder> embedded_models();

// "llada, dream": for messages.
std::string embedded_model_names();

}  // namespace umf
