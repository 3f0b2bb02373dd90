// umf solve --watch on a terminal, as its users see it.
#include "support/cli_fixture.h"
#include "support/on_a_terminal.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> solve_words(const std::string& problem) {
  return {"solve",    problem,
          "--model",  "dream=" + tiny("tiny-dream"),
          "--model",  "llada=" + tiny("tiny-llada"),
          "--window", "24",
          "--budget", "120",
          "--watch"};
}

struct Watching : testing::Test {
  Watching() {
    write_file(directory / "problem.json",
               R"({"id": "p", "prompt": "Write.", "reward": {"type": "text", "checks":
                  [{"contains": "never"}, {"lacks": "never"}]}})");
  }
  TemporaryDirectory directory;
};

TEST_F(Watching, TheTextIsDrawnInPlaceAndGoneAtTheEnd) {
  const OnATerminal run = run_on_terminal(solve_words(directory / "problem.json"), 100, 30);
  EXPECT_EQ(run.status, 0) << run.shown;
  EXPECT_THAT(run.shown, HasSubstr("■ dream"));
  EXPECT_THAT(run.shown, HasSubstr("■ llada"));
  EXPECT_THAT(run.shown, HasSubstr("·")) << "masks";
  EXPECT_THAT(run.shown, HasSubstr("\x1b[J")) << "over the picture before";
  const std::string after = run.shown.substr(run.shown.rfind("\x1b[J"));
  EXPECT_THAT(after, Not(HasSubstr("■"))) << "only the answer stays";
}

TEST_F(Watching, TheMasksOfTheBlockThatIsBeingFilledStandOut) {
  std::vector<std::string> words = {"solve",    directory / "problem.json",
                                    "--model",  "llada=" + tiny("tiny-llada"),
                                    "--window", "24",
                                    "--budget", "24",
                                    "--watch"};
  EXPECT_THAT(run_on_terminal(words, 100, 30).shown, Not(HasSubstr("•"))) << "all are alike";
  words.insert(words.end(), {"--block-length", "4"});
  const OnATerminal blocks = run_on_terminal(words, 100, 30);
  EXPECT_EQ(blocks.status, 0) << blocks.shown;
  EXPECT_THAT(blocks.shown, HasSubstr("• active"));
  // The first picture below its legend: one of the first four cells is filled.
  std::string window = blocks.shown.substr(0, blocks.shown.find("\x1b[J"));
  window.erase(0, window.find("waiting"));
  const auto count = [&](const std::string& glyph) {
    int found = 0;
    for (std::size_t at = 0; (at = window.find(glyph, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("•"), 3) << window;
  EXPECT_EQ(count("·"), 20) << window;
}

TEST_F(Watching, WhereItCannotBeDrawnTheUserIsTold) {
  const OnATerminal narrow = run_on_terminal(solve_words(directory / "problem.json"), 40, 30);
  EXPECT_EQ(narrow.status, 0);
  EXPECT_THAT(narrow.shown, HasSubstr("40 columns"));
  EXPECT_THAT(narrow.shown, Not(HasSubstr("■")));
  const Finished piped = umf(solve_words(directory / "problem.json"));
  EXPECT_EQ(piped.status, 0);
  EXPECT_THAT(piped.err, HasSubstr("--watch: stderr is no terminal; showing progress"));
}

TEST_F(Watching, ProgressStaysOnOneLineOfANarrowTerminal) {
  const std::vector<std::string> words = {"solve",    directory / "problem.json",
                                          "--model",  "dream=" + tiny("tiny-dream"),
                                          "--model",  "llada=" + tiny("tiny-llada"),
                                          "--window", "64",
                                          "--budget", "3000"};
  const OnATerminal run = run_on_terminal(words, 30, 30);
  EXPECT_EQ(run.status, 0) << run.shown;
  int lines = 0;
  for (std::size_t end = 0; (end = run.shown.find("\x1b[K", end)) != std::string::npos; ++end) {
    const std::size_t begin = run.shown.rfind('\r', end) + 1;
    EXPECT_LT(end - begin, 30u) << run.shown.substr(begin, end - begin);
    if (run.shown.substr(begin, end - begin).find(" passes") != std::string::npos) ++lines;
  }
  EXPECT_GT(lines, 0) << run.shown;
}

TEST_F(Watching, QuietAndWatchExcludeEachOther) {
  std::vector<std::string> words = solve_words(directory / "problem.json");
  words.emplace_back("--quiet");
  expect_refusal(umf(words), "--watch shows what --quiet silences");
}

}  // namespace
}  // namespace umf
