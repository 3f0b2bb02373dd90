// Expecting an umf::Error that says something in particular.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

// The statement throws umf::Error and its message contains `text`.
#define EXPECT_ERROR(statement, text)                                     \
  do {                                                                    \
    try {                                                                 \
      statement;                                                          \
      ADD_FAILURE() << "no error; expected one that says: " << (text);    \
    } catch (const umf::Error& error) {                                   \
      EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(text)); \
    }                                                                     \
  } while (false)
