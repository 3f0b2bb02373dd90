// Any bytes as frames, in any pieces: the same frames come out, none larger than allowed.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sandbox/channel.h"

namespace {

constexpr std::size_t kLargest = 64;

std::vector<umf::Frame> read_in_pieces(std::string_view bytes, std::size_t piece) {
  umf::FrameReader reader(kLargest);
  std::vector<umf::Frame> frames;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.add(bytes.substr(at, piece));
    for (umf::Frame frame; reader.next(frame);) frames.push_back(frame);
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<umf::Frame> whole = read_in_pieces(bytes, size + 1);
  const std::vector<umf::Frame> pieces = read_in_pieces(bytes, 3);
  if (whole.size() != pieces.size()) std::abort();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].kind != pieces[i].kind || whole[i].body != pieces[i].body) std::abort();
    if (whole[i].body.size() > kLargest) std::abort();
  }
  return 0;
}
