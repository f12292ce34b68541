#include <gtest/gtest.h>

#include "onnx_io/safetensors/safetensors_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::checkTiles;
using test::floatBytes;
using test::safetensorsFile;
using test::tensorNamed;
using test::tensorText;

class Safetensors : public ::testing::Test {
 protected:
  const ModelDescription& open(std::string_view header, std::string_view data) {
    auto opened = folder_.open("m.safetensors", safetensorsFile(header, data));
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) model_ = std::move(*opened);
    EXPECT_TRUE(checkTiles(model_->description()));
    return model_->description();
  }
  void expectCorrupt(std::string_view bytes, std::string_view part) {
    const auto opened = folder_.open("m.safetensors", bytes);
    ASSERT_FALSE(opened) << "accepted: " << part;
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData) << opened.error().message;
    EXPECT_NE(opened.error().message.find(part), std::string::npos) << opened.error().message;
    EXPECT_TRUE(opened.error().message.starts_with("m.safetensors: ")) << opened.error().message;
  }
  void expectBadHeader(std::string_view header, std::string_view part) {
    expectCorrupt(safetensorsFile(header, "12345678"), part);
  }

  test::ModelFolder folder_;
  std::unique_ptr<ModelSource> model_;
};

TEST_F(Safetensors, FindsTensorsAndMetadata) {
  const auto& model = open(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]},)"
      R"("a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}   )",
      "abcd" + floatBytes(2));
  EXPECT_EQ(model.format, "safetensors");
  EXPECT_EQ(model.files[0].kind, FileKind::Safetensors);
  EXPECT_EQ(model.tensors[0].name, "a");
  EXPECT_EQ(tensorNamed(model, "a")->type, ElementType::BF16);
  EXPECT_EQ(tensorNamed(model, "b")->shape, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "b")), floatBytes(2));
  ASSERT_EQ(model.metadata.size(), 1U);
  EXPECT_EQ(model.metadata[0].second, "pt");
}

TEST_F(Safetensors, KnowsEveryDtype) {
  struct Row {
    std::string_view dtype;
    ElementType type;
    int byteCount;  // of 4 elements
  };
  for (const Row& row :
       {Row{"F64", ElementType::F64, 32},      {"F32", ElementType::F32, 16},
        {"F16", ElementType::F16, 8},          {"BF16", ElementType::BF16, 8},
        {"I64", ElementType::I64, 32},         {"I32", ElementType::I32, 16},
        {"I16", ElementType::I16, 8},          {"I8", ElementType::I8, 4},
        {"U64", ElementType::U64, 32},         {"U32", ElementType::U32, 16},
        {"U16", ElementType::U16, 8},          {"U8", ElementType::U8, 4},
        {"BOOL", ElementType::Bool, 4},        {"C64", ElementType::C64, 32},
        {"F8_E4M3", ElementType::F8E4M3FN, 4}, {"F8_E5M2", ElementType::F8E5M2, 4},
        {"F8_E8M0", ElementType::F8E8M0, 4},   {"F4", ElementType::F4E2M1, 2},
        {"F6_E2M3", ElementType::F6E2M3, 3},   {"F6_E3M2", ElementType::F6E3M2, 3}}) {
    const std::string header = R"({"t":{"dtype":")" + std::string(row.dtype) +
                               R"(","shape":[4],"data_offsets":[0,)" +
                               std::to_string(row.byteCount) + "]}}";
    const auto& model = open(header, std::string(row.byteCount, 'x'));
    EXPECT_EQ(tensorNamed(model, "t")->type, row.type) << row.dtype;
  }
}

TEST_F(Safetensors, KeepsUnknownDtypesAsBytes) {
  const auto& model = open(R"({"t":{"dtype":"F3_NEW","shape":[4],"data_offsets":[0,3]}})", "abc");
  EXPECT_EQ(tensorNamed(model, "t")->type, ElementType::Bytes);
}

TEST_F(Safetensors, KeepsHolesTailsAndUnknownFields) {
  const auto& model = open(
      R"({"a":{"new":{"x":[1,{"y":null}]},"dtype":"U8","shape":[2],"data_offsets":[2,4],"n":1.5},)"
      R"("z":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
      "..ab....");
  EXPECT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(tensorText(model, model.tensors[0]), "ab");
}

TEST_F(Safetensors, OpensAnEmptySet) { EXPECT_TRUE(open("{}", "").tensors.empty()); }

TEST_F(Safetensors, IsKnownByItsContent) {
  const std::string bytes =
      safetensorsFile(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab");
  for (const std::string_view name : {"weights.bin", "weights", "wrong.onnx"}) {
    const auto opened = folder_.open(name, bytes);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->description().format, "safetensors");
  }
}

TEST_F(Safetensors, RefusesEveryCutOfTheHeader) {
  const std::string whole =
      safetensorsFile(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab");
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    const auto opened = folder_.open("m.safetensors", whole.substr(0, kept));
    ASSERT_FALSE(opened) << kept;
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData) << opened.error().message;
  }
}

TEST_F(Safetensors, RefusesHeadersOfAGigabyte) {
  std::string bytes = safetensorsFile("{}", "");
  bytes.replace(0, 8, std::string("\0\0\0\x40\0\0\0\0", 8));
  expectCorrupt(bytes, "header length is 1073741824, expected at most 100000000");
  bytes.replace(0, 8, std::string(8, '\xFF'));
  expectCorrupt(bytes, "header length is 18446744073709551615");
}

TEST_F(Safetensors, RefusesDeepNesting) {
  expectBadHeader("{\"a\":" + std::string(10'000, '['), "a: a list does not belong there");
  expectBadHeader(R"({"a":{"unknown":)" + std::string(10'000, '['), "nests deeper than 32");
}

TEST_F(Safetensors, RefusesMalformedHeaders) {
  expectBadHeader("[]", "header does not begin with '{'");
  expectBadHeader("{\"a\"", "malformed at its byte");
  expectBadHeader("{} x", "malformed at its byte");
  expectBadHeader("{\"a\xFF\":{}}", "malformed at its byte");
  expectBadHeader(R"({"a":1})", "a is a number, expected an object");
  expectBadHeader(R"({"a":"x"})", "a is a string, expected an object");
  expectBadHeader(R"({"a":{}})", "dtype is missing");
  expectBadHeader(R"({"a":{"dtype":1,"shape":[],"data_offsets":[0,1]}})", "dtype is a number");
  expectBadHeader(R"({"a":{"dtype":["U8"],"shape":[],"data_offsets":[0,1]}})", "a list");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})",
                  "shape is a negative number");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[[1]],"data_offsets":[0,1]}})", "a list");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}})", "a fraction");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":5,"data_offsets":[0,1]}})", "shape is a number");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})",
                  "data_offsets is missing");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", "more than 2");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,1]}})",
                  "a fraction");
  expectBadHeader(R"({"__metadata__":{"k":1}})", "__metadata__: k is a number, expected a string");
  expectBadHeader(R"({"__metadata__":{"k":{}}})", "__metadata__: an object");
}

TEST_F(Safetensors, RefusesNamesThatAreThereTwice) {
  const std::string entry = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  expectBadHeader("{\"a\":" + entry + ",\"a\":" + entry + "}", "header names 'a' twice");
  expectBadHeader(R"({"__metadata__":{},"__metadata__":{}})", "twice");
  expectBadHeader(R"({"__metadata__":{"k":"1","k":"2"}})", "header names 'k' twice");
  expectBadHeader(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                  "dtype is there twice");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})",
                  "shape is there twice");
}

TEST_F(Safetensors, KeepsBytesThatDoNotFitTheirShapeAsOpaque) {
  const auto& model =
      open(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,5]},)"
           R"("b":{"dtype":"F32","shape":[9223372036854775807,4],"data_offsets":[5,8]}})",
           "12345678");
  EXPECT_EQ(tensorNamed(model, "a")->type, ElementType::Bytes);
  EXPECT_EQ(tensorNamed(model, "a")->shape, (std::vector<std::uint64_t>{5}));
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "b")), "678");
  EXPECT_EQ(model.oddTensors,
            (std::vector<std::string>{"a: 5 bytes, where f32 1 has 4",
                                      "b: 3 bytes, where f32 9223372036854775807x4 has more than "
                                      "2^64"}));
}

TEST_F(Safetensors, RefusesOffsetsThatCannotBe) {
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})",
                  "a: data_offsets are 0 to 9, but the file has 8 data bytes");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[2,1]}})", "are 2 to 1");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551615,0]}})",
                  "data_offsets are");
  expectBadHeader(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                  R"("b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})",
                  "b begins inside a");
}

}  // namespace
}  // namespace strata
