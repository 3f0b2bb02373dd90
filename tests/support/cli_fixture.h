// Running the program as its users do: results, messages, exit statuses, signals.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/files.h"
#include "support/tiny_checkpoint.h"

namespace umf {

struct Finished {
  int status;  // -1 when a signal ended it
  std::string out, err;
};

inline std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else
      safe += c;
  }
  safe += '\'';
  return safe;
}

// Runs `umf ARGS...` through the shell, with `input` on its stdin.
inline Finished umf(const std::vector<std::string>& arguments, const std::string& input = "",
                    const std::string& environment = "") {
  const TemporaryDirectory directory;
  write_file(directory / "in", input);
  std::string command = environment;
  command += ' ';
  command += quoted(UMF_BINARY);
  for (const std::string& argument : arguments) {
    command += ' ';
    command += quoted(argument);
  }
  command += " <" + (directory / "in").string() + " >" + (directory / "out").string() + " 2>" +
             (directory / "err").string();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(directory / "out"),
          read_file(directory / "err")};
}

// `umf ARGS...` while it runs.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {UMF_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string out = directory_ / "out", err = directory_ / "err";
    // There from the start: the program may be killed before it could make them.
    write_file(out, "");
    write_file(err, "");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
  }
  ~Running() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void send(int signal) { ::kill(process_, signal); }
  std::string out() const { return read_file(directory_ / "out"); }  // so far
  Finished wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(directory_ / "out"),
            read_file(directory_ / "err")};
  }

 private:
  TemporaryDirectory directory_;
  pid_t process_ = -1;
};

// Exit status 2, nothing on stdout, one line "error: ..." that says `what`.
inline void expect_refusal(const Finished& run, const std::string& what) {
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, testing::MatchesRegex("error: [^\n]*\n")) << "exactly one line";
  EXPECT_THAT(run.err, testing::HasSubstr(what));
}

inline std::string tiny(const std::string& name) { return tiny_checkpoint(name).string(); }

}  // namespace umf
