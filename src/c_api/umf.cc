// The functions of umf.h: exceptions become values here.
#include "c_api/umf.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/cancelled.h"
#include "base/error.h"
#include "base/version.h"
#include "built_in.h"
#include "c_api/calls.h"
#include "c_api/search_calls.h"
#include "model/embedded.h"

struct umf_engine {
  umf::Engine engine;
};

struct umf_search {
  std::unique_ptr<umf::AskTell> search;
};

namespace umf {
namespace {

char* copy_of(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

Json parse(const char* text, const char* function) {
  if (text == nullptr) return Json::object();
  Json json = parse_json(text, function);
  if (!json.is_object()) throw Error(std::string(function) + ": a request is a JSON object");
  return json;
}

// What `work` gives becomes the result, what it throws the message.
template <class Work>
umf_status guarded(char** result, const Work& work) noexcept {
  static std::once_flag embedded;
  *result = nullptr;
  try {
    std::call_once(embedded, [] { embed_models(built_in_models()); });
    return work();
  } catch (const Cancelled&) {
    return UMF_INTERRUPTED;
  } catch (const std::bad_alloc&) {
    *result = copy_of("out of memory; try a smaller model or a shorter answer");
  } catch (const std::exception& failure) {
    *result = copy_of(failure.what());
  }
  return UMF_ERROR;
}

umf_status give(const OrderedJson& json, char** result) {
  *result = copy_of(text_of(json));
  if (*result == nullptr) throw std::bad_alloc();
  return UMF_OK;
}

// Runs a call of which the caller's callbacks hear.
template <class Call>
umf_status attended(const umf_callbacks* callbacks, char** result, const Call& call) {
  return guarded(result, [&] {
    Caller caller(callbacks);
    CallResult made;
    caller.attend([&] { made = call(caller); });
    const umf_status status = give(made.json, result);
    return made.interrupted ? UMF_INTERRUPTED : status;
  });
}

}  // namespace
}  // namespace umf

using umf::attended, umf::give, umf::guarded, umf::parse;

const char* umf_version(void) { return umf::version(); }

void umf_free(char* text) { std::free(text); }

umf_status umf_describe(char** result) {
  return guarded(result, [&] { return give(umf::describe_all(), result); });
}

umf_status umf_engine_open(const char* options, umf_engine** engine, char** result) {
  *engine = nullptr;
  return guarded(result, [&] {
    *engine = new umf_engine{umf::Engine(parse(options, "umf_engine_open"))};
    return UMF_OK;
  });
}

void umf_engine_close(umf_engine* engine) { delete engine; }

umf_status umf_model(umf_engine* engine, const char* model, char** result) {
  return guarded(result, [&] { return give(describe_model(engine->engine, model), result); });
}

umf_status umf_tokenize(umf_engine* engine, const char* request, char** result) {
  return guarded(result, [&] {
    return give(tokenize(engine->engine, parse(request, "umf_tokenize")), result);
  });
}

umf_status umf_logits(umf_engine* engine, const char* model, const int32_t* tokens, size_t length,
                      const int32_t* positions, size_t count, float* rows, size_t room,
                      char** result) {
  return guarded(result, [&] {
    std::vector<int> wanted;
    if (positions != nullptr) {
      wanted.assign(positions, positions + count);
    } else {
      wanted.resize(length);
      std::iota(wanted.begin(), wanted.end(), 0);
    }
    write_logits(engine->engine, model, {tokens, length}, wanted, {rows, room});
    return UMF_OK;
  });
}

umf_status umf_generate(umf_engine* engine, const char* request, const umf_callbacks* callbacks,
                        char** result) {
  return attended(callbacks, result, [&](umf::Caller& caller) {
    return generate(engine->engine, parse(request, "umf_generate"), caller);
  });
}

umf_status umf_solve(umf_engine* engine, const char* request, const umf_callbacks* callbacks,
                     char** result) {
  return attended(callbacks, result, [&](umf::Caller& caller) {
    return solve_problem(engine->engine, parse(request, "umf_solve"), caller);
  });
}

umf_status umf_search_open(const char* options, umf_search** search, char** result) {
  *search = nullptr;
  return guarded(result, [&] {
    *search = new umf_search{umf::open_search(parse(options, "umf_search_open"))};
    return UMF_OK;
  });
}

umf_status umf_search_ask(umf_search* search, int at_most, char** result) {
  return guarded(result, [&] { return give(ask(*search->search, at_most), result); });
}

umf_status umf_search_tell(umf_search* search, const char* outcome, char** result) {
  return guarded(result, [&] {
    tell(*search->search, parse(outcome, "umf_search_tell"));
    return UMF_OK;
  });
}

umf_status umf_search_result(const umf_search* search, char** result) {
  return guarded(result, [&] { return give(found(*search->search), result); });
}

void umf_search_close(umf_search* search) { delete search; }

umf_status umf_grade(const char* request, const umf_callbacks* callbacks, char** result) {
  return attended(callbacks, result, [&](umf::Caller& caller) {
    return umf::grade_samples(parse(request, "umf_grade"), caller);
  });
}

umf_status umf_run(const char* directory, char** result) {
  return guarded(result, [&] { return give(umf::read_run(directory), result); });
}
