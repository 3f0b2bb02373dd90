#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(ShellWord, QuotesWhatAShellWouldChange) {
  for (const char* plain : {"umf", "--model", "a=/models/Dream-7B", "models=a+b,commit=tau:0.9"})
    EXPECT_EQ(shell_word(plain), plain);
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word("~/x"), "'~/x'");
  EXPECT_EQ(shell_word("caf\xC3\xA9"), "'caf\xC3\xA9'");
}

TEST(CommandLineOfProcess, BeginsWithTheProgram) {
  EXPECT_THAT(command_line(), testing::HasSubstr("umf_cli_tests"));
}

}  // namespace
}  // namespace umf
