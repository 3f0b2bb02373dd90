// Requests in short, for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/api_error.h"
#include "server/api_request.h"

namespace umf {

inline constexpr RequestLimits kLimits{.max_tokens = 100, .choices = 4, .max_budget = 1000};

// A chat with these fields beside its message.
inline ApiRequest chat(const std::string& fields) {
  return parse_chat_request(R"({"messages": [{"role": "user", "content": "Hi"}])" +
                                (fields.empty() ? "" : ", " + fields) + "}",
                            kLimits);
}

// What `parse` throws: its field, and that the message says `text`.
template <class Parse>
void expect_refused(Parse&& parse, const std::string& param, const std::string& text,
                    int status = 400) {
  try {
    parse();
    ADD_FAILURE() << "accepted; expected an error about " << param;
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), status);
    EXPECT_EQ(error.param(), param);
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

}  // namespace umf
