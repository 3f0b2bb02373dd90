#include "setup/options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <unordered_map>

#include "backend/backends.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/version.h"

namespace umf {
namespace {

CLI::App& app_of(void* app) { return *static_cast<CLI::App*>(app); }

template <class T>
void add(void* app, const std::string& name, T& target, const std::string& type,
         const std::string& help) {
  auto* option = app_of(app).add_option("--" + name, target, help)->type_name(type);
  if constexpr (!std::is_same_v<T, std::string>)
    option->capture_default_str();
  else if (!target.empty())
    option->capture_default_str();
}

std::string with_suggestion(const std::string& message, const std::string& word,
                            const std::vector<std::string>& known, const std::string& help) {
  const std::string near = nearest(word, known);
  return near.empty() ? fmt::format("{}. {} lists what there is", message, help)
                      : fmt::format("{}. Did you mean {}?", message, near);
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options()) {
    if (!known->get_lnames().empty()) names.push_back("--" + known->get_lnames().front());
  }
  return names;
}

// What the parser says, without its own preamble.
std::string plain(const CLI::ParseError& mistake) {
  const std::string message = mistake.what();
  constexpr std::string_view kConversion = "Could not convert: ";
  if (!message.starts_with(kConversion)) return message;
  return message.substr(kConversion.size()) + " is not a value this option can take";
}

// The message for words that the parser could not place.
std::string explain_extra(const CLI::App& app, const std::string& word,
                          const std::vector<Command>& commands) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.name);
    return with_suggestion(fmt::format("unknown command '{}'", word), word, names, "umf --help");
  }
  const std::string help = "umf " + chosen.front()->get_name() + " --help";
  if (!word.starts_with("-"))
    return fmt::format("unexpected argument '{}'. {} shows the usage", word, help);
  const std::string option = word.substr(0, word.find('='));
  return with_suggestion("unknown option " + option, option, long_names(*chosen.front()), help);
}

}  // namespace

void OptionSet::value(const std::string& name, std::string& target, const std::string& help) {
  add(app_, name, target, "TEXT", help);
}
void OptionSet::value(const std::string& name, int& target, const std::string& help) {
  add(app_, name, target, "N", help);
}
void OptionSet::value(const std::string& name, float& target, const std::string& help) {
  add(app_, name, target, "N", help);
}
void OptionSet::value(const std::string& name, double& target, const std::string& help) {
  add(app_, name, target, "N", help);
}
void OptionSet::value(const std::string& name, std::uint64_t& target, const std::string& help) {
  add(app_, name, target, "N", help);
  // The parser would take -1 for the largest number.
  app_of(app_).get_option("--" + name)->check([](const std::string& text) {
    return text.find('-') == std::string::npos ? "" : "must not be negative, not " + text;
  });
}
void OptionSet::value(const std::string& name, std::optional<std::string>& target,
                      const std::string& help) {
  app_of(app_)
      .add_option_function<std::string>(
          "--" + name, [&target](const std::string& v) { target = v; }, help)
      ->type_name("VALUE");
}
void OptionSet::values(const std::string& name, std::vector<std::string>& target,
                       const std::string& help) {
  // One value per use of the option, so that it never swallows an argument.
  app_of(app_)
      .add_option("--" + name, target, help)
      ->type_name("TEXT")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}
void OptionSet::environment(const std::string& name, const std::string& variable) {
  app_of(app_).get_option("--" + name)->envname(variable);
}
void OptionSet::flag(const std::string& name, bool& target, const std::string& help) {
  app_of(app_).add_flag("--" + name, target, help);
}
void OptionSet::call(const std::string& name, std::function<void(const std::string&)> use,
                     const std::string& help) {
  app_of(app_)
      .add_option_function<std::string>("--" + name, std::move(use), help)
      ->type_name("TEXT");
}
void OptionSet::argument(const std::string& name, std::string& target, const std::string& help) {
  app_of(app_).add_option(name, target, help);
}
void OptionSet::arguments(const std::string& name, std::vector<std::string>& target,
                          const std::string& help) {
  app_of(app_).add_option(name, target, help);
}
void OptionSet::choices(const std::string& name, Choices choices) { choices_[name] = choices; }
void OptionSet::footer(const std::string& text) { app_of(app_).footer(text); }

namespace {

// What this program is: the version, what it was built from and by, and what it can run on here.
std::string version_text() {
  std::vector<std::string> usable, absent;
  for (const BackendEntry& entry : backends())
    (entry.objection().empty() ? usable : absent).push_back(entry.name);
  std::string text = fmt::format("umf {}\ncommit {}\ncompiler {}\nbackends {}", version(),
                                 build_commit(), build_compiler(), fmt::join(usable, ", "));
  if (!absent.empty()) text += fmt::format(" (not here: {})", fmt::join(absent, ", "));
  return text;
}

// Scripts give these to every command.
void add_common_flags(CLI::App& command) {
  if (command.get_option_no_throw("--quiet") == nullptr)
    command.add_flag("--quiet")->description("no progress on stderr; there is none here");
  if (command.get_option_no_throw("--json") == nullptr)
    command.add_flag("--json")->description("results as JSON, which they always are here");
}

}  // namespace

class CommandLine {
 public:
  explicit CommandLine(const std::vector<Command>& commands) : commands_(commands) {
    app_.set_version_flag("--version", version_text);
    app_.require_subcommand(1);
    app_.footer("umf COMMAND --help describes a command.");
    for (const Command& command : commands_) {
      CLI::App* sub = app_.add_subcommand(command.name, command.summary);
      sub->get_formatter()->column_width(34);
      OptionSet options(sub);
      runners_[sub] = command.declare(options);
      add_common_flags(*sub);
      choices_[sub] = std::move(options.choices_);
    }
  }

  std::vector<CommandFacts> describe() const {
    std::vector<CommandFacts> list;
    for (const CLI::App* sub : app_.get_subcommands([](const CLI::App*) { return true; })) {
      list.push_back({sub->get_name(), sub->get_description(), sub->get_footer(), {}, {}});
      for (const CLI::Option* option : sub->get_options()) {
        OptionFacts facts = describe(*option);
        const auto& choices = choices_.at(sub);
        if (const auto known = choices.find(option->get_single_name()); known != choices.end())
          facts.choices = known->second;
        (option->get_positional() ? list.back().arguments : list.back().options)
            .push_back(std::move(facts));
      }
    }
    return list;
  }

  int run(int argc, const char* const* argv) {
    if (argc == 1) {
      fmt::print("{}", app_.help());
      return 0;
    }
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp& request) {
      return app_.exit(request);
    } catch (const CLI::CallForVersion& request) {
      return app_.exit(request);
    } catch (const CLI::ParseError& mistake) {
      throw Error(explain(mistake));
    }
    return runners_.at(app_.get_subcommands().front())();
  }

 private:
  static OptionFacts describe(const CLI::Option& option) {
    return {.name = (option.get_positional() ? "" : "--") + option.get_single_name(),
            .type = option.get_items_expected_max() == 0 ? "" : option.get_type_name(),
            .help = option.get_description(),
            .initial = option.get_default_str(),
            .environment = option.get_envname()};
  }

  std::string explain(const CLI::ParseError& mistake) {
    const auto extras = app_.remaining(true);
    if (mistake.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
        !extras.empty()) {
      return explain_extra(app_, extras.front(), commands_);
    }
    // A required subcommand is missed whenever the first word is not one.
    if (app_.get_subcommands().empty() && !extras.empty())
      return explain_extra(app_, extras.front(), commands_);
    return plain(mistake);
  }

  const std::vector<Command>& commands_;
  CLI::App app_{"UnMaskFork: masked diffusion language models, natively and exactly.", "umf"};
  std::unordered_map<CLI::App*, std::function<int()>> runners_;
  std::unordered_map<const CLI::App*, std::map<std::string, Choices>> choices_;
};

std::vector<CommandFacts> describe_commands(const std::vector<Command>& commands) {
  return CommandLine(commands).describe();
}

int run_command_line(const std::vector<Command>& commands, int argc, const char* const* argv) {
  return CommandLine(commands).run(argc, argv);
}

void parse_options(const std::string& where, const std::vector<std::string>& words,
                   const std::function<void(OptionSet&)>& declare) {
  CLI::App app("", "");
  app.set_help_flag();  // no option here
  OptionSet options(&app);
  declare(options);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as the parser takes them
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& mistake) {
    const auto extras = app.remaining();
    if (extras.empty()) throw Error(where + ": " + plain(mistake));
    const std::string option = extras.front().substr(0, extras.front().find('='));
    throw Error(with_suggestion(fmt::format("{}: unknown option {}", where, option), option,
                                long_names(app), "umf solve --help"));
  }
}

}  // namespace umf
