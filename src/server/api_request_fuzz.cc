// Any bytes as a request: an ApiError that can be sent, or a request within the limits.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "server/api_reply.h"
#include "server/api_request.h"

namespace {

constexpr umf::RequestLimits kLimits{.max_tokens = 512, .choices = 8, .max_budget = 4096};

// The corpus may name it.
const umf::ServedConfiguration kConfiguration{"tuned",
                                              "",
                                              {.models = {{"a", ""}, {"b", ""}},
                                               .actions = {{"a+b", "rule=relay"}, {"b", ""}},
                                               .window = 64}};

bool sound(const umf::ApiRequest& request) {
  return request.choices() >= 1 && request.choices() <= kLimits.choices &&
         request.max_tokens.value_or(1) >= 1 &&
         request.max_tokens.value_or(1) <= kLimits.max_tokens &&
         request.umf.budget <= kLimits.max_budget && request.is_chat() == request.prompts.empty();
}

template <class Parse>
void attempt(Parse parse, std::string_view body) {
  try {
    if (!sound(parse(body, kLimits, {&kConfiguration, 1}))) std::abort();
  } catch (const umf::ApiError& error) {
    const auto json = nlohmann::json::parse(umf::error_body(error));
    if (error.status() != 400 || !json["error"]["message"].is_string()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  attempt(umf::parse_chat_request, body);
  attempt(umf::parse_completion_request, body);
  attempt(umf::parse_response_request, body);
  attempt(umf::parse_solve_request, body);
  return 0;
}
