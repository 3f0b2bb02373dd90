#include "tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/core.h>
#include <pcre2.h>

#include "base/error.h"
#include "tokenizer/regex_dialect.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr std::size_t kPatternLimit = 16 << 10;
constexpr std::uint32_t kStepLimit = 10'000'000;
constexpr std::uint32_t kHeapLimitKib = 64 << 10;
constexpr std::size_t kStackBytes = 32 << 10, kStackLimit = 1 << 20;

std::string pcre2_message(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

// What a match needs besides the pattern. One for each thread: making it costs more than a short
// match.
struct Workspace {
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  pcre2_match_context* context = pcre2_match_context_create(nullptr);
  pcre2_jit_stack* stack = pcre2_jit_stack_create(kStackBytes, kStackLimit, nullptr);

  Workspace() {
    if (data == nullptr || context == nullptr || stack == nullptr) {
      throw Error("there is no memory left to match a regex");
    }
    pcre2_set_match_limit(context, kStepLimit);
    pcre2_set_heap_limit(context, kHeapLimitKib);
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~Workspace() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
};

}  // namespace

struct Regex::Impl {
  std::string where;
  pcre2_code* code = nullptr;
  bool jit = false;

  ~Impl() { pcre2_code_free(code); }
};

Regex::Regex(const std::string& pattern, const std::string& where) {
  const auto impl = std::make_shared<Impl>();
  impl->where = where;
  if (pattern.size() > kPatternLimit) {
    throw Error(fmt::format("{}: the regex is longer than {} bytes", where, kPatternLimit));
  }
  std::string translated;
  try {
    translated = to_pcre2(pattern);
  } catch (const Error& reason) {
    throw Error(fmt::format("{}: regex \"{}\": {}", where, excerpt(pattern, 300), reason.what()));
  }
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  if (context == nullptr) throw Error("there is no memory left to compile a regex");
  pcre2_set_newline(context.get(),
                    PCRE2_NEWLINE_LF);  // what '.' leaves out, whatever the build says
  int code = 0;
  std::size_t offset = 0;
  impl->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE, &code,
                    &offset, context.get());
  if (impl->code == nullptr) {
    throw Error(fmt::format("{}: regex \"{}\" does not compile: {}", where, excerpt(pattern, 300),
                            pcre2_message(code)));
  }
  impl->jit = pcre2_jit_compile(impl->code, PCRE2_JIT_COMPLETE) == 0;
  impl_ = impl;
}

bool Regex::find(std::string_view text, std::size_t from, Match& match) const {
  static thread_local const Workspace workspace;
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const int found = impl_->jit ? pcre2_jit_match(impl_->code, subject, text.size(), from, 0,
                                                 workspace.data, workspace.context)
                               : pcre2_match(impl_->code, subject, text.size(), from,
                                             PCRE2_NO_UTF_CHECK, workspace.data, workspace.context);
  if (found == PCRE2_ERROR_NOMATCH) return false;
  if (found < 0) {
    throw Error(fmt::format("{}: the regex gave up at byte {} of a text of {}: {}", impl_->where,
                            from, text.size(), pcre2_message(found)));
  }
  const std::size_t* bounds = pcre2_get_ovector_pointer(workspace.data);
  match = {bounds[0], bounds[1]};
  return true;
}

}  // namespace umf
