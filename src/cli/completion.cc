#include "cli/completion.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "cli/common.h"

namespace umf {
namespace {

constexpr const char* kBash = R"(# bash completion for umf: asks the program itself.
_umf() {
  local IFS=$'\n'
  COMPREPLY=($(umf complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -o bashdefault -F _umf umf
)";

constexpr const char* kZsh = R"(#compdef umf
# zsh completion for umf: asks the program itself.
_umf() {
  local -a described
  local line about
  for line in "${(@f)$(umf complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    about=${line#*$'\t'}
    [[ -n $line ]] && described+=("${${line%%$'\t'*}//:/\\:}${about:+:$about}")
  done
  # Of --option=value the value alone is completed.
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  if (( ${#described} )); then
    _describe umf described
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _umf ]]; then
  _umf "$@"
else
  compdef _umf umf
fi
)";

constexpr const char* kFish = R"(# fish completion for umf: asks the program itself.
function __umf_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc)[2..] $typed
    set -l found (umf complete -- $words 2>/dev/null)
    # Of --option=value the value is completed, and the whole is offered.
    set -l option (string match -r -- '^--[^=]*=' $typed)
    if test (count $found) -eq 0
        set found (__fish_complete_path (string replace -- "$option" '' $typed))
    end
    for line in $found
        printf '%s%s\n' "$option" $line
    end
end
complete -c umf -f -a '(__umf_complete)'
)";

struct Shell {
  const char *name, *script;
};
constexpr Shell kShells[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

// The option whose value the last word is, "--search dt" or "--search=dt"; what was typed of it is
// left in `typed`.
const OptionFacts* awaited(const CommandFacts& command, const std::string& before,
                           std::string& typed) {
  const auto equals = typed.find('=');
  const bool joined = typed.starts_with("--") && equals != std::string::npos;
  const std::string name = joined ? typed.substr(0, equals) : before;
  const auto option = std::ranges::find(command.options, name, &OptionFacts::name);
  if (option == command.options.end() || option->type.empty()) return nullptr;
  if (joined) typed.erase(0, equals + 1);
  return &*option;
}

std::vector<Suggestion> starting_with(const std::string& typed, std::vector<Suggestion> all) {
  std::erase_if(all, [&](const Suggestion& one) { return !one.word.starts_with(typed); });
  return all;
}

}  // namespace

std::vector<Suggestion> completions(const std::vector<CommandFacts>& commands,
                                    std::vector<std::string> words) {
  // bash takes the sign in --search=dts for a word of its own.
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "=") words.erase(words.begin() + static_cast<std::ptrdiff_t>(i--));
  }
  std::string typed = words.empty() ? "" : words.back();
  std::vector<Suggestion> all;
  if (words.size() < 2) {
    for (const CommandFacts& command : commands) all.push_back({command.name, command.summary});
    return starting_with(typed, std::move(all));
  }
  const auto command = std::ranges::find(commands, words.front(), &CommandFacts::name);
  if (command == commands.end()) return {};
  if (const OptionFacts* option = awaited(*command, words[words.size() - 2], typed)) {
    if (option->choices == nullptr) return {};
    for (const std::string& value : option->choices()) all.push_back({value, ""});
    return starting_with(typed, std::move(all));
  }
  if (!typed.starts_with("-")) {
    for (const OptionFacts& argument : command->arguments) {
      if (argument.choices == nullptr) continue;
      for (const std::string& value : argument.choices()) all.push_back({value, ""});
    }
    return starting_with(typed, std::move(all));
  }
  for (const OptionFacts& option : command->options) all.push_back({option.name, option.help});
  return starting_with(typed, std::move(all));
}

std::string completion_script(const std::string& shell) {
  for (const auto& [name, script] : kShells) {
    if (shell == name) return script;
  }
  throw Error(fmt::format("completions are for bash, zsh and fish, not '{}'", shell));
}

Command completion_command() {
  return {"completion", "what makes a shell complete umf's commands and options",
          [](OptionSet& options) {
            auto shell = std::make_shared<std::string>();
            options.argument("SHELL", *shell, "bash, zsh or fish");
            options.choices("SHELL", [] {
              std::vector<std::string> names;
              for (const Shell& one : kShells) names.emplace_back(one.name);
              return names;
            });
            options.footer(
                "Example: umf completion bash > ~/.local/share/bash-completion/completions/umf");
            return [shell] {
              fmt::print("{}", completion_script(*shell));
              return 0;
            };
          }};
}

Command complete_command(const std::vector<Command>& commands) {
  return {"complete", "what may be meant by the last word of a command line, for completions",
          [&commands](OptionSet& options) {
            auto words = std::make_shared<std::vector<std::string>>();
            options.arguments("WORDS", *words, "behind --: what was typed after umf");
            return [words, &commands] {
              for (const auto& [word, about] : completions(describe_commands(commands), *words))
                fmt::print("{}\t{}\n", word, about);
              return 0;
            };
          }};
}

}  // namespace umf
