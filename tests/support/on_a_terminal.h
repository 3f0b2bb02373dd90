// Running the program on a terminal, as its users see it.
#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace umf {

struct OnATerminal {
  int status = -1;
  std::string shown;
};

// Runs `umf WORDS...` on a terminal of that size.
inline OnATerminal run_on_terminal(std::vector<std::string> words, int columns, int rows) {
  words.insert(words.begin(), UMF_BINARY);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  int terminal = -1;
  const pid_t process = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  OnATerminal run;
  char buffer[4096];
  for (ssize_t got; (got = ::read(terminal, buffer, sizeof(buffer))) > 0;)
    run.shown.append(buffer, static_cast<std::size_t>(got));
  int status = 0;
  ::waitpid(process, &status, 0);
  ::close(terminal);
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

}  // namespace umf
