#include "model/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "tiny/safetensors_writer.h"

namespace umf {
namespace {

std::string file_of(const std::string& header, std::size_t data_bytes) {
  std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(data_bytes, '\0');
}

std::map<std::string, StoredTensor> parse(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file)), "x.safetensors");
}

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(Safetensors, AWellFormedFileIsRead) {
  const auto tensors =
      parse(file_of(R"({"__metadata__":{"format":"pt"},"a":)" + entry("F32", "[2,3]", "[0,24]") +
                        R"(,"b":)" + entry("BF16", "[5]", "[24,34]") + "}",
                    34));
  EXPECT_EQ(tensors.size(), 2);
  EXPECT_EQ(tensors.at("a").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(tensors.at("b").bytes.size(), 10);
}

TEST(Safetensors, BrokenFilesAreRefusedWithTheReason) {
  EXPECT_ERROR(parse("short"), "5 bytes are too few");
  EXPECT_ERROR(parse(std::string(8, '\xFF')), "its header claims 18446744073709551615 bytes");
  EXPECT_ERROR(parse(file_of("{}", 0).substr(0, 9)), "its header claims 2 bytes, but 1 follow");
  EXPECT_ERROR(parse(file_of("[]", 0)), "not a JSON object");
  EXPECT_ERROR(parse(file_of("{\"a\":", 0)), "not valid JSON");
  EXPECT_ERROR(parse(file_of("{\"\xC3\":1}", 0)), "not valid JSON");
  EXPECT_ERROR(parse(file_of(std::string(1000, '['), 0)), "deeper than");
  const auto one = [](const std::string& tensor, std::size_t bytes) {
    return parse(file_of("{\"a\":" + tensor + "}", bytes));
  };
  EXPECT_ERROR(parse(file_of(R"({"a\nb":3})", 0)), R"('a\x0Ab' has characters that no name has)");
  EXPECT_ERROR(one("3", 0), "exactly dtype, shape and data_offsets");
  EXPECT_ERROR(one(entry("F31", "[1]", "[0,4]"), 4), "unknown dtype");
  EXPECT_ERROR(one(entry("F32", "[-1]", "[0,4]"), 4), "impossible shape");
  EXPECT_ERROR(one(entry("F32", "[1.5]", "[0,4]"), 4), "impossible shape");
  EXPECT_ERROR(one(entry("F32", "[1099511627776,1099511627776]", "[0,4]"), 4), "impossible shape");
  EXPECT_ERROR(one(entry("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4), "at most 8");
  EXPECT_ERROR(one(entry("F32", "[1]", "[4,0]"), 4), "lies at 4..0");
  EXPECT_ERROR(one(entry("F32", "[1]", "[-4,0]"), 4), "two non-negative integers");
  EXPECT_ERROR(one(entry("F32", "[2]", "[0,8]"), 4), "truncated?");
  EXPECT_ERROR(one(entry("F32", "[2]", "[0,4]"), 4), "needs 8 bytes, but its offsets give 4");
  EXPECT_ERROR(one(entry("F32", "[1]", "[0,4]"), 8), "4 bytes after the last tensor");
  EXPECT_ERROR(one(entry("F32", "[1]", "[4,8]"), 8), "4 bytes before tensor 'a'");
  EXPECT_ERROR(parse(file_of("{\"a\":" + entry("F32", "[2]", "[0,8]") +
                                 ",\"b\":" + entry("F32", "[2]", "[4,12]") + "}",
                             12)),
               "overlaps");
  EXPECT_ERROR(parse(file_of("{\"a\":" + entry("F32", "[1]", "[0,4]") +
                                 ",\"a\":" + entry("F32", "[1]", "[0,4]") + "}",
                             4)),
               "given twice");
}

TEST(Safetensors, TensorsAreCheckedAgainstWhatIsAskedFor) {
  const TemporaryDirectory directory;
  write_safetensors(directory / "model.safetensors", {{{"a", "F32", {2, 3}}, std::string(24, '\0')},
                                                      {{"b", "I64", {1}}, std::string(8, '\0')}});
  const Weights weights = Weights::open(directory.path());
  EXPECT_EQ(weights.matrix("a", 2, 3).rows, 2);
  EXPECT_ERROR(weights.matrix("a", 3, 2), "shape [2, 3], but the configuration asks for [3, 2]");
  EXPECT_ERROR(weights.vector("a", 6), "asks for [6]");
  EXPECT_ERROR(weights.vector("b", 1), "type I64; F32, F16 and BF16 are supported");
  EXPECT_ERROR(weights.vector("c", 1), "tensor 'c' is missing");
}

TEST(Safetensors, UnalignedTensorsAreRefused) {
  const TemporaryDirectory directory;
  std::string header = "{\"a\":" + entry("F32", "[1]", "[0,4]") + "}";
  while (header.size() % 4 != 1) header.push_back(' ');
  write_safetensors_raw(directory / "model.safetensors", header, std::string(4, '\0'));
  EXPECT_ERROR(Weights::open(directory.path()).vector("a", 1), "not aligned");
}

TEST(Safetensors, ShardsMustAgreeWithTheirIndex) {
  const TemporaryDirectory directory;
  const auto shard = [&](const char* file, const char* tensor) {
    write_safetensors(directory / file, {{{tensor, "F32", {1}}, std::string(4, '\0')}});
  };
  const auto index = [&](const std::string& map) {
    write_file(directory / "model.safetensors.index.json",
               R"({"metadata":{},"weight_map":)" + map + "}");
  };
  shard("model-1.safetensors", "a");
  shard("model-2.safetensors", "b");
  index(R"({"a":"model-1.safetensors","b":"model-2.safetensors"})");
  EXPECT_EQ(Weights::open(directory.path()).files(), 2);
  index(R"({"a":"model-1.safetensors","b":"model-1.safetensors"})");
  EXPECT_ERROR(Weights::open(directory.path()), "promises tensor 'b'");
  index(R"({"a":"model-2.safetensors","b":"model-2.safetensors"})");
  EXPECT_ERROR(Weights::open(directory.path()), "promises tensor 'a'");
  index(R"({"b":"model-2.safetensors","c":"model-1.safetensors"})");
  EXPECT_ERROR(Weights::open(directory.path()),
               "tensor 'a' is here, but the index does not say so");
  index(R"({"a\nb":"model-1.safetensors"})");
  EXPECT_ERROR(Weights::open(directory.path()), R"('a\x0Ab' has characters that no name has)");
  index(R"({"a":"../model-1.safetensors"})");
  EXPECT_ERROR(Weights::open(directory.path()), "no *.safetensors file name");
  index(R"({"a":"model-3.safetensors"})");
  EXPECT_ERROR(Weights::open(directory.path()), "No such file");
  write_file(directory / "model.safetensors.index.json", "[]");
  EXPECT_ERROR(Weights::open(directory.path()), "expected an object with a 'weight_map'");
}

TEST(Safetensors, AFolderWithoutWeightsSaysSo) {
  const TemporaryDirectory directory;
  EXPECT_ERROR(Weights::open(directory.path()), "has no *.safetensors file");
  write_file(directory / "pytorch_model.bin", "x");
  EXPECT_ERROR(Weights::open(directory.path()), "pickled weights must be converted first");
}

}  // namespace
}  // namespace umf
