// Requests as values: parsed and checked before anything else happens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/token.h"
#include "decode/decoder.h"
#include "session/problem.h"
#include "session/search_request.h"
#include "tokenizer/chat_prompt.h"

namespace umf {

// What the operator lets one request ask for.
struct RequestLimits {
  int max_tokens = 4096;      // of an answer
  int choices = 16;           // of a request: prompts times n
  long max_budget = 1 << 20;  // forward passes of a search
  int judge_seconds = 600;    // for the tests of one answer
};

// A search that the operator chose, as clients call it: a request may name it as its model.
struct ServedConfiguration {
  std::string name, about;
  SearchRequest search;   // expanded(); its models are served by the same names
  Json reward = nullptr;  // of chats that bring none; null: those are not searched
};
using ServedConfigurations = std::span<const ServedConfiguration>;

// Of a field that only it may choose.
inline constexpr const char* kConfigured =
    "is chosen by the configuration that 'model' names; leave it out";

// nullptr where there is none.
const ServedConfiguration* find_configuration(ServedConfigurations known, const std::string& name);

// The "umf" object: everything that other servers do not have. Of a search the models are names
// (none: the request's), and options wait until the search is known. With a configuration its
// search stands below the request's own fields; of a plain decoding, its first action.
struct UmfRequest : SearchRequest {
  UmfRequest() { search.clear(); }  // one plain decoding

  DecodeOptions decode;  // of a plain decoding; its length is not used
  std::vector<std::pair<std::string, Json>> option_values;  // above `options`
  Json reward;                                              // of a search; null where there is none
  bool operators_reward = false;  // the configuration's, which needs nobody's leave
  bool varied = false;  // each action also at higher temperatures: there is something to search
  // Extra events of a stream.
  bool stream_state = false, stream_rollouts = false;
};

// Text is taken as it is, with special tokens parsed; or the tokens themselves.
using RawPrompt = std::variant<std::string, std::vector<Token>>;

struct ApiRequest {
  enum class Kind { kChat, kCompletion, kResponse };  // what its reply looks like

  Kind kind = Kind::kChat;
  std::string model;               // or a configuration; empty: the server's first model
  std::vector<Message> messages;   // of a chat; empty for a completion
  std::vector<RawPrompt> prompts;  // of a completion
  int n = 1;                       // answers to each; the i-th has seed + i
  std::uint64_t seed = 0;
  std::optional<int> max_tokens;
  std::optional<double> temperature, top_p;
  std::vector<std::string> stop;
  bool stream = false, include_usage = false;
  std::vector<std::string> ignored;  // fields that had no effect, for the reply
  UmfRequest umf;
  std::optional<Problem> problem;  // of a solve, instead of the conversation
  Json format = nullptr;           // the reward for the form that the answer must have; null: none
  std::optional<std::string> instructions;  // of a response, for its reply

  bool is_chat() const { return !messages.empty(); }
  int choices() const { return n * (is_chat() ? 1 : static_cast<int>(prompts.size())); }
};

// Pure functions of their arguments. Throw ApiError.
ApiRequest parse_chat_request(std::string_view body, const RequestLimits& limits,
                              ServedConfigurations configurations = {});
ApiRequest parse_completion_request(std::string_view body, const RequestLimits& limits,
                                    ServedConfigurations configurations = {});
ApiRequest parse_response_request(std::string_view body, const RequestLimits& limits,
                                  ServedConfigurations configurations = {});
ApiRequest parse_solve_request(std::string_view body, const RequestLimits& limits,
                               ServedConfigurations configurations = {});

// What of a request but its "umf" object says how answers are judged.
struct Judged {
  bool conversation = false;  // that a search can answer
  bool by_problem = false;    // has a reward of its own
  bool by_format = false;     // must have a form: without a search of its own there is one for that
};

// The "umf" object of either. `configuration` is that of the request, or nullptr.
UmfRequest parse_umf(const Json& object, const RequestLimits& limits,
                     const ServedConfiguration* configuration, const Judged& judged);

}  // namespace umf
