// How fast a tokenizer loads and encodes generated texts, and the files given.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "base/files.h"
#include "support/bench_timing.h"
#include "tokenizer/tokenizer.h"

namespace {

// Words in an order that has no short period, so that no cache sees the same line twice in a row.
std::string compose(const std::vector<std::string>& words, const std::string& between,
                    std::size_t bytes) {
  std::string text;
  unsigned state = 12345;
  while (text.size() < bytes) {
    state = state * 1664525 + 1013904223;
    text += words[(state >> 16) % words.size()];
    text += (state >> 8) % 12 == 0 ? (between.empty() ? "\n" : ".\n") : between;
  }
  return text;
}

void measure(const umf::Tokenizer& tokenizer, const char* name, const std::string& text) {
  double best = 1e9;
  std::size_t tokens = 0;
  for (int round = 0; round < 7; ++round) {
    best = std::min(best, umf::seconds_of([&] {
                      tokens = tokenizer.encode(text, umf::SpecialText::kPlain).size();
                    }));
  }
  fmt::print("{:14} {:6.1f} MB/s  ({} bytes, {} tokens)\n", name, text.size() / best / 1e6,
             text.size(), tokens);
}

int run(const std::filesystem::path& directory, const std::vector<std::string>& files) {
  using umf::Tokenizer;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto start = umf::BenchClock::now();
    const Tokenizer tokenizer = Tokenizer::load(directory);
    best = std::min(best, umf::seconds_since(start));
  }
  fmt::print("{:14} {:6.1f} ms\n", "load", best * 1e3);
  const Tokenizer tokenizer = Tokenizer::load(directory);
  constexpr std::size_t kBytes = 4 << 20;
  measure(tokenizer, "English",
          compose({"the",
                   "of",
                   "and",
                   "model",
                   "fills",
                   "masked",
                   "positions",
                   "one",
                   "stage",
                   "at",
                   "a",
                   "time",
                   "which",
                   "Search",
                   "chooses",
                   "because",
                   "nobody",
                   "wrote",
                   "unmasking",
                   "it's",
                   "confidence",
                   "reward",
                   "tree",
                   "explores",
                   "branches,",
                   "remarkable",
                   "interpretation",
                   "we",
                   "don't",
                   "42",
                   "(mostly)",
                   "decoding",
                   "thoroughly",
                   "uncompromising",
                   "schedules",
                   "tokens",
                   "Zanzibar",
                   "in",
                   "to"},
                  " ", kBytes));
  measure(
      tokenizer, "code",
      compose({"for (int i = 0; i < count; ++i) {\n", "  return value * 2;\n}\n",
               "    const auto found = table.find(key);\n", "def solve(xs: list[int]) -> int:\n",
               "        total += xs[i] ** 2  # square\n", "#include <vector>\n", "\n\n",
               "if not stack or stack[-1] != ')':\n", "self.assertEqual(f(10), 3.14159)\n",
               "template <class T, std::size_t N>\n", "x_train_2 = np.zeros((3, 4))\n"},
              "", kBytes));
  measure(tokenizer, "multilingual",
          compose({"你好世界",     "模型",       "Привет", "мир",  "здравствуйте", "こんにちは",
                   "ありがとう",   "안녕하세요", "γειά",   "σου",  "שלום",         "مرحبا",
                   "नमस्ते",         "สวัสดี",       "naïve",  "café", "Größe",        "😀👍🏽",
                   "cafe\xCC\x81", "Việt",       "Zażółć"},
                  " ", kBytes));
  measure(tokenizer, "one letter", std::string(1 << 20, 'a'));
  measure(tokenizer, "spaces", std::string(1 << 20, ' '));
  for (const std::string& file : files) measure(tokenizer, file.c_str(), umf::read_file(file));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: tokenizer_bench DIRECTORY [TEXT_FILE...]\n");
    return 2;
  }
  try {
    return run(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& reason) {
    fmt::print(stderr, "error: {}\n", reason.what());
    return 1;
  }
}
