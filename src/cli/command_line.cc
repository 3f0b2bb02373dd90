#include "cli/command_line.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace umf {

std::string shell_word(std::string_view word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(words, word, '\0');)
    text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace umf
