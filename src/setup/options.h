// Declaring options and parsing a command line. CLI11 stays behind options.cc: it is slow to
// compile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace umf {

// Makes the values that an option may take, for those who complete what is typed.
using Choices = std::vector<std::string> (*)();

// The options of one command. Targets must outlive the parsing; their values are the defaults that
// --help shows.
class OptionSet {
 public:
  // `name` is without the dashes.
  void value(const std::string& name, std::string& target, const std::string& help);
  void value(const std::string& name, int& target, const std::string& help);
  void value(const std::string& name, float& target, const std::string& help);
  void value(const std::string& name, double& target, const std::string& help);
  void value(const std::string& name, std::uint64_t& target, const std::string& help);
  void value(const std::string& name, std::optional<std::string>& target, const std::string& help);
  void values(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);
  // Calls `use` with the value, before options that are declared later get theirs.
  void call(const std::string& name, std::function<void(const std::string&)> use,
            const std::string& help);
  // The variable gives the option's value where the command line does not. For what describes the
  // machine only: nothing in the environment may change a result.
  void environment(const std::string& name, const std::string& variable);
  // What a shell offers for the option's value; others may be taken, too.
  void choices(const std::string& name, Choices choices);
  void argument(const std::string& name, std::string& target, const std::string& help);
  // One or several.
  void arguments(const std::string& name, std::vector<std::string>& target,
                 const std::string& help);
  // Lines printed after the options: examples, formats.
  void footer(const std::string& text);

 private:
  friend class CommandLine;
  friend void parse_options(const std::string&, const std::vector<std::string>&,
                            const std::function<void(OptionSet&)>&);
  explicit OptionSet(void* app) : app_(app) {}
  void* app_;  // CLI::App
  std::map<std::string, Choices> choices_;
};

struct Command {
  std::string name, summary;
  // Declares the options and returns what runs the command and gives the exit status.
  std::function<std::function<int()>(OptionSet&)> declare;
};

// A command as --help tells of it.
struct OptionFacts {
  std::string name;  // "--budget" or "PROBLEM"
  std::string type;  // "N"; empty for a flag
  std::string help, initial, environment;
  Choices choices = nullptr;
};
struct CommandFacts {
  std::string name, summary, footer;
  std::vector<OptionFacts> arguments, options;
};
std::vector<CommandFacts> describe_commands(const std::vector<Command>& commands);

// Parses and runs. Exit statuses and messages as the command line's contract says; throws Error for
// wrong usage.
int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv);

// Parses options that stand in a file instead of on the command line: "--search", "dts", ... Throws
// Error with `where` before the message.
void parse_options(const std::string& where, const std::vector<std::string>& words,
                   const std::function<void(OptionSet&)>& declare);

}  // namespace umf
