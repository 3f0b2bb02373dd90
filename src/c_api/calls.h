// What the functions of umf.h do, in C++: JSON in and out, errors thrown.
#pragma once

#include <span>
#include <string>

#include "c_api/caller.h"
#include "c_api/engine.h"
#include "session/solution_json.h"

namespace umf {

struct CallResult {
  OrderedJson json;
  bool interrupted = false;  // by the caller
};

// Bytes that are not UTF-8 are replaced.
std::string text_of(const OrderedJson& json);

OrderedJson describe_all();
OrderedJson describe_model(Engine& engine, const std::string& model);
OrderedJson tokenize(Engine& engine, const Json& request);
void write_logits(Engine& engine, const std::string& model, std::span<const Token> tokens,
                  std::span<const int> positions, std::span<float> rows);
CallResult generate(Engine& engine, Json request, Caller& caller);
CallResult solve_problem(Engine& engine, Json request, Caller& caller);
CallResult grade_samples(const Json& request, Caller& caller);
OrderedJson read_run(const std::string& directory);

}  // namespace umf
