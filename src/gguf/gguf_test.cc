#include "gguf/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gguf/gguf_testing.h"
#include "gguf/metadata.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

Gguf parse(const GgufBytes& file) { return parse_gguf(file.span(), "x.gguf"); }

TEST(Gguf, GivesBackEveryKindOfValue) {
  for (const std::uint32_t version : {2u, 3u}) {
    const GgufBytes file = sample_gguf(version);
    const GgufMetadata keys("x.gguf", parse(file).keys);
    EXPECT_EQ(keys.integer("a.u8", 0, 255), 200);
    EXPECT_EQ(keys.integer("a.i8", -5, 0), -3);
    EXPECT_EQ(keys.integer("a.u16", 0, 65535), 40000);
    EXPECT_EQ(keys.integer("a.i16", -300, -300), -300);
    EXPECT_EQ(keys.integer("a.i32", -70000, 0), -70000);
    EXPECT_EQ(keys.integer("a.u64", 0, std::int64_t{1} << 40), std::int64_t{1} << 40);
    EXPECT_EQ(keys.integer("a.i64", INT64_MIN, 0), -(std::int64_t{1} << 40));
    EXPECT_EQ(std::get<double>(*keys.find("a.f32")), 0.5);
    EXPECT_EQ(std::get<double>(*keys.find("a.f64")), 1e-5);
    EXPECT_EQ(keys.flag("a.bool"), true);
    EXPECT_EQ(keys.text("a.string"), "two words");
    EXPECT_THAT(*keys.texts("a.texts", 3), ElementsAre("x", "", "\xFF y"));
    EXPECT_THAT(*keys.integers("a.numbers", 9), ElementsAre(-1, 7));
    EXPECT_EQ(keys.text("absent"), std::nullopt);
    EXPECT_THAT(keys.unasked("general."), ElementsAre("general.alignment"));
    EXPECT_THAT(keys.unasked("a."), ElementsAre());
  }
}

TEST(Gguf, GivesTensorsTheirBytes) {
  const GgufBytes file = sample_gguf();
  const Gguf gguf = parse(file);
  ASSERT_EQ(gguf.tensors.size(), 3u);
  const auto bytes = [&](int i) {
    const auto& all = gguf.tensors[i].bytes;
    return std::string_view(reinterpret_cast<const char*>(all.data()), all.size());
  };
  const std::string_view whole = file.str();
  EXPECT_THAT(gguf.tensors[0].sizes, ElementsAre(5, 3));
  EXPECT_EQ(gguf.tensors[0].type->name, "F32");
  EXPECT_EQ(gguf.tensors[1].type->name, "Q8_0");
  EXPECT_EQ(gguf.tensors[2].type->name, "F16");
  EXPECT_EQ(bytes(2), whole.substr(whole.size() - 14));
  EXPECT_EQ(bytes(1), whole.substr(whole.size() - 14 - 128, 68));
  EXPECT_EQ(bytes(0), whole.substr(whole.size() - 14 - 128 - 64, 60));
}

TEST(Gguf, AKindThatIsNotAskedForIsNamed) {
  const GgufBytes file = sample_gguf();
  const GgufMetadata keys("x.gguf", parse(file).keys);
  EXPECT_ERROR(keys.integer("a.string", 0, 1), "x.gguf: key 'a.string' must be an integer");
  EXPECT_ERROR(keys.integer("a.u8", 0, 100), "key 'a.u8' must be an integer from 0 to 100");
  EXPECT_ERROR(keys.text("a.u8"), "key 'a.u8' must be a string");
  EXPECT_ERROR(keys.flag("a.u8"), "key 'a.u8' must be a bool");
  EXPECT_ERROR(keys.texts("a.u8", 9), "key 'a.u8' must be an array");
  EXPECT_ERROR(keys.texts("a.numbers", 9), "key 'a.numbers' must be an array of strings");
  EXPECT_ERROR(keys.texts("a.texts", 2), "key 'a.texts' has 3 elements; 2 are allowed");
  EXPECT_ERROR(keys.integers("a.texts", 9), "key 'a.texts' must be an array of integers");
}

void expect_refusal(const GgufBytes& file, const std::string& what) {
  try {
    parse(file);
    ADD_FAILURE() << "no error; expected one that says: " << what;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(what));
    EXPECT_THAT(error.what(), MatchesRegex("x\\.gguf: [ -~]*")) << "one line";
  }
}

TEST(Gguf, RefusesABrokenHeader) {
  expect_refusal(GgufBytes().raw("GGML").number(3u), "it begins with 'GGML'");
  expect_refusal(GgufBytes().raw("P\n\xFF."), "it begins with 'P\\x0a\\xff.'");
  expect_refusal(GgufBytes().header(0, 0, 1), "version 1 is not supported");
  expect_refusal(GgufBytes().header(0, 0, 4), "version 4 is not supported");
  expect_refusal(GgufBytes().header(0, 0, 0x03000000), "big-endian");
  expect_refusal(GgufBytes().header(-1, 0), "byte 8: -1 tensors do not fit");
  expect_refusal(GgufBytes().header(0, -5), "byte 16: -5 keys do not fit");
  expect_refusal(GgufBytes().header(1 << 30, 0), "1073741824 tensors do not fit");
}

GgufBytes one_key() { return GgufBytes().header(0, 1); }

TEST(Gguf, RefusesBrokenKeys) {
  const std::uint8_t zero = 0;
  expect_refusal(one_key().number<std::uint64_t>(999).raw("abcdefgh"),
                 "byte 24: a text in a key claims 999 bytes, but 8 follow");
  expect_refusal(one_key().key("", "0123456"), "a key is empty");
  expect_refusal(one_key().key("a\nb", "value"), "key 'a\\x0ab' is not printable ASCII");
  expect_refusal(one_key().text("key").number(13u).number(zero), "key 'key' has the unknown type");
  expect_refusal(one_key().key("key", GgufKind::kBool, std::uint8_t{2}), "bool of value 2");
  expect_refusal(GgufBytes().header(0, 2).key("key", "one").key("key", "two"),
                 "key 'key' is given twice");
  expect_refusal(one_key().array("key", GgufKind::kArray, 1).number(4u),
                 "key 'key' is an array of arrays");
  expect_refusal(one_key().array("key", GgufKind::kU32, 3).number(1u).number(2u),
                 "key 'key' claims 3 elements of u32, but 8 bytes follow");
  expect_refusal(one_key().array("key", GgufKind::kU64, 1ull << 62), "claims 4611686018427387904");
  expect_refusal(one_key().array("key", GgufKind::kString, 1).number<std::uint64_t>(9).raw("ab"),
                 "a text in key 'key' claims 9 bytes, but 2 follow");
  for (const std::uint32_t alignment : {0u, 24u})
    expect_refusal(one_key().key("general.alignment", GgufKind::kU32, alignment),
                   "key 'general.alignment' must be a power of two");
}

GgufBytes one_tensor(const std::string& name, const std::vector<std::int64_t>& sizes,
                     std::uint32_t type, std::uint64_t offset) {
  GgufBytes file;
  file.header(1, 0).tensor(name, sizes, type, offset).align(32);
  for (int i = 0; i < 64; ++i) file.number('\0');
  return file;
}

TEST(Gguf, RefusesBrokenTensors) {
  EXPECT_EQ(parse(one_tensor("t", {16}, 0, 0)).tensors.size(), 1u);
  expect_refusal(one_tensor("", {4}, 0, 0), "the name of tensor 0 has 0 bytes");
  expect_refusal(one_tensor(std::string(64, 'x'), {4}, 0, 0), "has 64 bytes (1 to 63");
  expect_refusal(one_tensor("a\rb", {4}, 0, 0), "tensor 'a\\x0db' is not printable ASCII");
  expect_refusal(one_tensor("t", {1, 1, 1, 1, 1}, 0, 0), "tensor 't' has 5 dimensions");
  expect_refusal(one_tensor("t", {}, 0, 0), "tensor 't' has 0 dimensions");
  expect_refusal(one_tensor("t", {-4}, 0, 0), "the impossible size -4");
  expect_refusal(one_tensor("t", {0}, 0, 0), "the impossible size 0");
  expect_refusal(one_tensor("t", {1ll << 40, 1ll << 40}, 0, 0), "the impossible shape");
  expect_refusal(one_tensor("t", {48}, 8, 0), "rows of 48 numbers, which are no blocks of 32");
  expect_refusal(one_tensor("t", {256}, 10, 0), "tensor 't' has type Q2_K, which is not supported");
  expect_refusal(one_tensor("t", {256}, 99, 0), "tensor 't' has type 99, which is not supported");
  expect_refusal(one_tensor("t", {4}, 0, 8), "no multiple of the alignment 32");
  expect_refusal(one_tensor("t", {4}, 0, 96), "holds 64 bytes of data (truncated?)");
  expect_refusal(one_tensor("t", {17}, 0, 0), "has 68 bytes, but the file holds 64 bytes");
  expect_refusal(one_tensor("t", {4}, 0, ~0ull - 31), "holds 64 bytes of data");
  GgufBytes twice;
  twice.header(2, 0).tensor("t", {4}, 0, 0).tensor("t", {4}, 0, 32);
  expect_refusal(twice, "tensor 't' is given twice");
  GgufBytes overlap;
  overlap.header(2, 0).tensor("a", {16}, 0, 0).tensor("b", {4}, 0, 32).align(32);
  expect_refusal(overlap.raw(std::string(64, '\0')), "tensor 'b' overlaps tensor 'a'");
}

TEST(Gguf, RefusesAFileThatEndsAnywhereInItsHeader) {
  const std::string whole = sample_gguf().str();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    EXPECT_THROW(parse_gguf(std::as_bytes(std::span(cut)), "cut"), Error) << length;
  }
}

TEST(Gguf, TypesHaveTheFormatsSizes) {
  for (const auto& [name, bits] :
       {std::pair{"F32", 32.0}, std::pair{"BF16", 16.0}, std::pair{"Q4_0", 4.5},
        std::pair{"Q4_1", 5.0}, std::pair{"Q5_0", 5.5}, std::pair{"Q5_1", 6.0},
        std::pair{"Q8_0", 8.5}, std::pair{"Q4_K", 4.5}, std::pair{"Q5_K", 5.5},
        std::pair{"Q6_K", 6.5625}}) {
    const GgufType* type = find_gguf_type(name);
    ASSERT_NE(type, nullptr) << name;
    EXPECT_EQ(type->bytes * 8.0 / type->elements, bits) << name;
  }
  EXPECT_EQ(find_gguf_type("Q2_K"), nullptr);
}

}  // namespace
}  // namespace umf
