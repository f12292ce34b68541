// Every kind of payload that a TensorProto can hold, written by hand.
#include <gtest/gtest.h>

#include "onnx_io/onnx/tensor_proto.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::checkTiles;
using test::encodeVarint;
using test::floatBytes;
using test::kInitializerField;
using test::kSparseInitializerField;
using test::onnxModel;
using test::onnxRawTensor;
using test::onnxTensor;
using test::tensorNamed;
using test::tensorText;
using test::WireMessage;

constexpr int kFloat = 1;
constexpr int kDouble = 11;

/// A model with one initializer, opened.
class TensorPayload : public ::testing::Test {
 protected:
  const ModelDescription& open(const WireMessage& tensor) {
    return openGraph(WireMessage().message(kInitializerField, tensor));
  }
  const ModelDescription& openGraph(const WireMessage& graph) {
    return openBytes(onnxModel(graph).text());
  }
  const ModelDescription& openBytes(const std::string& bytes) {
    auto opened = folder_.open("model.onnx", bytes);
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) model_ = std::move(*opened);
    EXPECT_TRUE(checkTiles(model_->description()));
    return model_->description();
  }

 private:
  test::ModelFolder folder_;
  std::unique_ptr<ModelSource> model_;
};

struct TypeCase {
  int dataType;
  ElementType type;
  std::uint64_t byteCount;  ///< of 10 elements
};

class EveryOnnxType : public TensorPayload, public ::testing::WithParamInterface<TypeCase> {};

TEST_P(EveryOnnxType, KeepsTypeAndShapeOfRawData) {
  const auto [dataType, type, byteCount] = GetParam();
  const std::string raw(byteCount, '\x5A');
  const auto& model = openBytes(
      onnxModel(WireMessage().message(kInitializerField, onnxRawTensor("w", dataType, {5, 2}, raw)),
                13)
          .text());
  const TensorInfo* tensor = tensorNamed(model, "w");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->type, type);
  EXPECT_EQ(tensor->shape, (std::vector<std::uint64_t>{5, 2}));
  EXPECT_EQ(tensorText(model, *tensor), raw);
}

INSTANTIATE_TEST_SUITE_P(
    UpToIr13, EveryOnnxType,
    ::testing::Values(TypeCase{1, ElementType::F32, 40}, TypeCase{2, ElementType::U8, 10},
                      TypeCase{3, ElementType::I8, 10}, TypeCase{4, ElementType::U16, 20},
                      TypeCase{5, ElementType::I16, 20}, TypeCase{6, ElementType::I32, 40},
                      TypeCase{7, ElementType::I64, 80}, TypeCase{9, ElementType::Bool, 10},
                      TypeCase{10, ElementType::F16, 20}, TypeCase{11, ElementType::F64, 80},
                      TypeCase{12, ElementType::U32, 40}, TypeCase{13, ElementType::U64, 80},
                      TypeCase{14, ElementType::C64, 80}, TypeCase{15, ElementType::C128, 160},
                      TypeCase{16, ElementType::BF16, 20}, TypeCase{17, ElementType::F8E4M3FN, 10},
                      TypeCase{18, ElementType::F8E4M3FNUZ, 10},
                      TypeCase{19, ElementType::F8E5M2, 10},
                      TypeCase{20, ElementType::F8E5M2FNUZ, 10}, TypeCase{21, ElementType::U4, 5},
                      TypeCase{22, ElementType::I4, 5}, TypeCase{23, ElementType::F4E2M1, 5},
                      TypeCase{24, ElementType::F8E8M0, 10}, TypeCase{25, ElementType::U2, 3},
                      TypeCase{26, ElementType::I2, 3}, TypeCase{27, ElementType::F6E2M3, 8},
                      TypeCase{28, ElementType::F6E3M2, 8}),
    [](const auto& row) { return std::string(name(row.param.type)); });

TEST_F(TensorPayload, KeepsUnknownTypesAsBytes) {
  for (const int dataType : {0, 8, 29, 200}) {
    const auto& model = open(onnxRawTensor("w", dataType, {3}, "abc"));
    EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
    EXPECT_TRUE(model.oddTensors.empty());
  }
}

TEST_F(TensorPayload, KeepsDataThatDoesNotMatchItsShapeAsBytes) {
  const auto& model = open(onnxRawTensor("w", kFloat, {4}, floatBytes(3)));
  EXPECT_EQ(model.oddTensors, std::vector<std::string>{"w: 12 bytes, where f32 4 has 16"});
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
  EXPECT_EQ(tensorNamed(model, "w")->shape, std::vector<std::uint64_t>{12});
}

TEST_F(TensorPayload, KeepsShapesThatOverflowOrAreNegativeAsBytes) {
  const std::uint64_t minusOne = ~std::uint64_t{0};
  const std::uint64_t huge = std::uint64_t{1} << 62;
  for (const auto& dims : {std::vector<std::uint64_t>{minusOne}, {huge, huge}, {huge, 4}}) {
    const auto& model = open(onnxRawTensor("w", kFloat, dims, floatBytes(3)));
    EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
  }
  const auto& model =
      open(onnxRawTensor("w", kFloat, std::vector<std::uint64_t>(65, 1), floatBytes(1)));
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
}

TEST_F(TensorPayload, ReadsScalarsAndLeavesOutEmptyTensors) {
  const auto& model =
      openGraph(WireMessage()
                    .message(kInitializerField, onnxRawTensor("scalar", kFloat, {}, floatBytes(1)))
                    .message(kInitializerField, onnxRawTensor("empty", kFloat, {0, 4}, ""))
                    .message(kInitializerField, onnxTensor("without data", kFloat, {4})));
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(model.tensors[0].name, "scalar");
  EXPECT_TRUE(model.tensors[0].shape.empty());
}

TEST_F(TensorPayload, FindsPackedFloatsAndDoubles) {
  const auto& floats = open(onnxTensor("w", kFloat, {3}).bytes(4, floatBytes(3)));
  EXPECT_EQ(tensorNamed(floats, "w")->type, ElementType::F32);
  EXPECT_EQ(tensorText(floats, floats.tensors[0]), floatBytes(3));
  const auto& doubles = open(onnxTensor("d", kDouble, {2}).bytes(10, std::string(16, 'd')));
  EXPECT_EQ(tensorNamed(doubles, "d")->type, ElementType::F64);
  const auto& complex = open(onnxTensor("c", 14, {2}).bytes(4, floatBytes(4)));
  EXPECT_EQ(tensorNamed(complex, "c")->type, ElementType::C64);
}

TEST_F(TensorPayload, MakesAFragmentOfEachPackedChunk) {
  const auto& model =
      open(onnxTensor("w", kFloat, {5}).bytes(4, floatBytes(3)).bytes(4, floatBytes(2, 4)));
  ASSERT_EQ(model.tensors.size(), 2U);
  EXPECT_EQ(tensorNamed(model, "w")->shape, std::vector<std::uint64_t>{3});
  EXPECT_EQ(tensorNamed(model, "w#2")->shape, std::vector<std::uint64_t>{2});
  EXPECT_EQ(tensorNamed(model, "w#2")->type, ElementType::F32);
}

TEST_F(TensorPayload, KeepsACutPackedChunkAsBytes) {
  const auto& model = open(onnxTensor("w", kFloat, {3}).bytes(4, "seven b"));
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
}

TEST_F(TensorPayload, LeavesSmallVarintsStringsAndUnpackedFloatsInTheSkeleton) {
  WireMessage tensor = onnxTensor("w", 7, {3});
  tensor.bytes(7, encodeVarint(5) + encodeVarint(300)).varint(7, 9).bytes(6, "text");
  tensor.bytes(5, encodeVarint(1)).bytes(11, encodeVarint(2)).fixed32(4, 7).fixed64(10, 8);
  EXPECT_TRUE(open(tensor).tensors.empty());
}

TEST_F(TensorPayload, MakesLargeVarintFieldsOpaque) {
  const std::string packed(100'000, '\x01');
  for (const std::uint32_t field : {5, 6, 7, 11}) {
    const auto& model = open(onnxTensor("w", 7, {100'000}).bytes(field, packed));
    ASSERT_EQ(model.tensors.size(), 1U);
    EXPECT_EQ(model.tensors[0].type, ElementType::Bytes);
    EXPECT_EQ(tensorText(model, model.tensors[0]), packed);
  }
}

TEST_F(TensorPayload, KeepsTheSkeletonOfManySmallPiecesSmall) {
  WireMessage tensor = onnxTensor("w", kFloat, {600'000});
  for (int index = 0; index < 600'000; ++index) tensor.fixed32(4, 7);
  const auto& model = open(tensor);
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(model.tensors[0].name, "model.onnx@0");
  EXPECT_EQ(test::skeletonBytes(model, 0), 0U);
}

TEST_F(TensorPayload, TakesTheLastOfRepeatedScalarFields) {
  const auto& model = open(WireMessage()
                               .bytes(9, "old data")
                               .bytes(8, "old name")
                               .varint(2, kDouble)
                               .varint(2, kFloat)
                               .bytes(8, "w")
                               .bytes(9, floatBytes(2))
                               .varint(1, 2));
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::F32);
  EXPECT_EQ(tensorText(model, model.tensors[0]), floatBytes(2));
}

TEST_F(TensorPayload, ReadsLongVarintsPackedDimsAndUnknownFields) {
  WireMessage tensor;
  tensor.group(90, WireMessage().bytes(9, "not this").group(1, {}));
  tensor.bytes(1, encodeVarint(2, 3) + encodeVarint(1)).varint(2, kFloat, 5);
  tensor.bytes(99, "unknown").fixed64(98, 1).bytes(8, "w", 4).bytes(9, floatBytes(2), 6);
  const auto& model = openGraph(WireMessage().message(kInitializerField, tensor, 5));
  EXPECT_EQ(tensorNamed(model, "w")->shape, (std::vector<std::uint64_t>{2, 1}));
}

TEST_F(TensorPayload, IgnoresKnownFieldsOfAForeignWireType) {
  const auto& model = open(onnxRawTensor("w", kFloat, {2}, floatBytes(2))
                               .varint(8, 1)
                               .fixed32(9, 1)
                               .bytes(2, "x")
                               .fixed64(1, 3));
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::F32);
}

TEST_F(TensorPayload, FindsValuesAndIndicesOfSparseTensors) {
  const WireMessage sparse = WireMessage()
                                 .message(1, onnxRawTensor("s", kFloat, {2}, floatBytes(2)))
                                 .message(2, onnxRawTensor("", 7, {2}, std::string(16, '\1')))
                                 .varint(3, 100);
  const auto& model = openGraph(WireMessage().message(kSparseInitializerField, sparse));
  EXPECT_EQ(tensorNamed(model, "s")->type, ElementType::F32);
  EXPECT_EQ(tensorNamed(model, "s.indices")->type, ElementType::I64);
}

TEST_F(TensorPayload, NamesTensorsWithoutAName) {
  const auto& model = open(onnxRawTensor("", kFloat, {1}, floatBytes(1)));
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_TRUE(model.tensors[0].name.starts_with('@'));
}

TEST_F(TensorPayload, ShowsNamesThatAreNotUtf8) {
  const auto& model = open(onnxRawTensor("w\xFF", kFloat, {1}, floatBytes(1)));
  EXPECT_NE(tensorNamed(model, "w\\xff"), nullptr);
}

}  // namespace
}  // namespace strata
