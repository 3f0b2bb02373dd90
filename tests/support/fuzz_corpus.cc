// Runs a fuzz target over a folder of inputs, and over simple damage done to each of them: the part
// of fuzzing that every test run repeats. libFuzzer's own driver takes its place in the fuzz
// preset.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& input) {
  // An exact heap copy, so that a sanitizer sees a read past the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// Cuts and flips at positions spread over the input.
int run_damaged(const std::string& input) {
  constexpr int kPlaces = 64;
  int runs = 0;
  for (int place = 0; place < kPlaces && place < static_cast<int>(input.size()); ++place) {
    const std::size_t at = input.size() * place / std::min<std::size_t>(kPlaces, input.size());
    run(input.substr(0, at));
    std::string flipped = input;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (place % 8)));
    run(flipped);
    std::string filled = input;
    filled[at] = '\xFF';
    run(filled);
    runs += 3;
  }
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
    return 2;
  }
  int files = 0, runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    run(input);
    runs += 1 + run_damaged(input);
    ++files;
  }
  std::printf("%d inputs, %d runs, no failure\n", files, runs);
  return files > 0 ? 0 : 1;
}
