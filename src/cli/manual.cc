#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/version.h"
#include "cli/common.h"

namespace umf {
namespace {

// Text that man shows as it is.
std::string plain(const std::string& text) {
  std::string escaped;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
    begins_line = c == '\n';
  }
  return escaped;
}

std::string heading(const std::string& title) {
  std::string upper = title;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"umf {}\" \"User Commands\"\n", plain(upper), version());
}

std::string entry(const OptionFacts& option) {
  std::string head = fmt::format("\\fB{}\\fR", plain(option.name));
  if (!option.type.empty() && option.name.starts_with("-"))
    head += fmt::format(" \\fI{}\\fR", plain(option.type));
  std::string text = fmt::format(".TP\n{}\n{}", head, plain(option.help));
  if (!option.initial.empty()) text += fmt::format(" (default: {})", plain(option.initial));
  if (!option.environment.empty())
    text += fmt::format(" (or the environment's {})", plain(option.environment));
  return text + "\n";
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n0: done. 1: the job ran and its answer is \"no\". 2: wrong usage, "
    "configuration or input, with one line that says what to do. 130: interrupted; what was "
    "finished is kept.\n";

}  // namespace

std::string manual_page(const CommandFacts& command) {
  const std::string name = "umf-" + command.name;
  std::string page = heading(name);
  page += fmt::format(".SH NAME\n{} \\- {}\n", plain(name), plain(command.summary));
  page += fmt::format(".SH SYNOPSIS\n\\fBumf {}\\fR [\\fIOPTIONS\\fR]", plain(command.name));
  for (const OptionFacts& argument : command.arguments)
    page += fmt::format(" [\\fI{}\\fR]", plain(argument.name));
  page += "\n";
  if (!command.arguments.empty()) page += ".SH ARGUMENTS\n";
  for (const OptionFacts& argument : command.arguments) page += entry(argument);
  page += ".SH OPTIONS\n";
  for (const OptionFacts& option : command.options) page += entry(option);
  if (!command.footer.empty())
    page += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", plain(command.footer));
  return page + kExitStatus + ".SH SEE ALSO\n\\fBumf\\fR(1)\n";
}

std::string manual_page(const std::vector<CommandFacts>& commands) {
  std::string page = heading("umf");
  page +=
      ".SH NAME\numf \\- search with masked diffusion language models\n.SH SYNOPSIS\n"
      "\\fBumf\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n\\fBumf\\fR "
      "\\fB\\-\\-version\\fR\n.SH COMMANDS\n";
  for (const CommandFacts& command : commands)
    page +=
        fmt::format(".TP\n\\fBumf\\-{}\\fR(1)\n{}\n", plain(command.name), plain(command.summary));
  return page + kExitStatus;
}

namespace {

struct ManualOptions {
  std::string command, out;
};

const CommandFacts& find_command(const std::vector<CommandFacts>& all, const std::string& name) {
  std::vector<std::string> known;
  for (const CommandFacts& one : all) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  const std::string near = nearest(name, known);
  throw Error(fmt::format("there is no command '{}'. {}", name,
                          near.empty() ? "umf --help lists them" : "Did you mean " + near + "?"));
}

void write_all(const std::vector<CommandFacts>& all, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_file(folder / "umf.1", manual_page(all));
  for (const CommandFacts& one : all)
    write_file(folder / fmt::format("umf-{}.1", one.name), manual_page(one));
}

}  // namespace

Command manual_command(const std::vector<Command>& commands) {
  return {"manual", "the manual page of a command, for man", [&commands](OptionSet& options) {
            auto o = std::make_shared<ManualOptions>();
            options.argument("COMMAND", o->command, "of which command; without it of umf itself");
            options.value("out", o->out, "a folder: write the pages of all commands there");
            options.footer("Example: umf manual solve | man -l -");
            return [o, &commands] {
              const std::vector<CommandFacts> all = describe_commands(commands);
              if (!o->out.empty())
                write_all(all, o->out);
              else
                fmt::print("{}", o->command.empty() ? manual_page(all)
                                                    : manual_page(find_command(all, o->command)));
              return 0;
            };
          }};
}

}  // namespace umf
