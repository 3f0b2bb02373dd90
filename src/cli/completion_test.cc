#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/manual.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> colours() { return {"red", "green", "grey"}; }

std::vector<CommandFacts> commands() {
  const std::vector<Command> all = {
      {"paint", "puts on colour",
       [](OptionSet& options) {
         static std::string colour = "red", wall;
         static bool twice = false;
         options.argument("WALL", wall, "which one");
         options.value("colour", colour, "of the paint");
         options.choices("colour", colours);
         options.value("tool", wall, "a file");
         options.flag("twice", twice, ".paints -again-");
         options.footer("Example: umf paint\n.nothing \\ else");
         return [] { return 0; };
       }},
      {"pause", "waits", [](OptionSet&) { return [] { return 0; }; }}};
  return describe_commands(all);
}

std::vector<std::string> words(const std::vector<std::string>& typed) {
  std::vector<std::string> found;
  for (const Suggestion& one : completions(commands(), typed)) found.push_back(one.word);
  return found;
}

TEST(Completion, CommandsOptionsAndValues) {
  EXPECT_THAT(words({"pa"}), ElementsAre("paint", "pause"));
  EXPECT_THAT(words({"pai"}), ElementsAre("paint"));
  EXPECT_THAT(words({"paint", "--t"}), ElementsAre("--tool", "--twice"));
  EXPECT_THAT(words({"paint", "--colour", ""}), ElementsAre("red", "green", "grey"));
  EXPECT_THAT(words({"paint", "--colour", "gr"}), ElementsAre("green", "grey"));
  EXPECT_THAT(words({"paint", "--colour=gr"}), ElementsAre("green", "grey"));
  EXPECT_THAT(words({"paint", "--colour", "=", "gr"}), ElementsAre("green", "grey"));  // bash
}

TEST(Completion, FilesAreTheShellsBusiness) {
  EXPECT_THAT(words({"paint", "--tool", ""}), IsEmpty());
  EXPECT_THAT(words({"paint", ""}), IsEmpty());
  EXPECT_THAT(words({"unknown", "--t"}), IsEmpty());
}

TEST(Completion, TellsWhatAWordIs) {
  EXPECT_THAT(completions(commands(), {"pau"}), ElementsAre(Suggestion{"pause", "waits"}));
  EXPECT_THROW(completion_script("tcsh"), Error);
}

TEST(Manual, HasWhatHelpHas) {
  const std::string page = manual_page(commands().front());
  EXPECT_THAT(page, HasSubstr("umf\\-paint \\- puts on colour"));
  EXPECT_THAT(page, HasSubstr("[\\fIWALL\\fR]"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-colour\\fR \\fITEXT\\fR\nof the paint (default: red)"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-twice\\fR\n"));
  // A line that begins with a dot would be a request of troff's.
  EXPECT_THAT(page, HasSubstr("\n\\&.paints \\-again\\-"));
  EXPECT_THAT(page, HasSubstr("\n\\&.nothing \\e else"));
  EXPECT_THAT(manual_page(commands()), HasSubstr("\\fBumf\\-pause\\fR(1)\nwaits"));
}

}  // namespace
}  // namespace umf
