// Files that are no model, or broken, or made to hurt: an error that says where, and nothing else.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::encodeVarint;
using test::floatBytes;
using test::kAttributeField;
using test::kInitializerField;
using test::kNodeField;
using test::onnxAttribute;
using test::onnxModel;
using test::onnxNode;
using test::onnxRawTensor;
using test::onnxTensor;
using test::WireMessage;

class HostileModel : public ::testing::Test {
 protected:
  void expectError(std::string_view name, std::string_view bytes, ErrorCode code,
                   std::string_view part) {
    const auto opened = folder_.open(name, bytes);
    ASSERT_FALSE(opened) << name << " was opened; expected: " << part;
    EXPECT_EQ(opened.error().code, code) << opened.error().message;
    EXPECT_NE(opened.error().message.find(part), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find(name), std::string::npos) << opened.error().message;
  }

  test::ModelFolder folder_;
};

TEST_F(HostileModel, RefusesFilesThatAreNoModel) {
  const std::string_view text =
      "not an ONNX model, a safetensors, PyTorch or .npz file or a folder";
  for (const std::string_view name : {"file", "file.onnx", "file.txt"}) {
    expectError(name, "hello world", ErrorCode::Unsupported, text);
    expectError(name, "", ErrorCode::Unsupported, "it is empty");
    expectError(name, "PK\x03\x04rest", ErrorCode::Unsupported, "zip");
    expectError(name, "version https://git-lfs.github.com/spec/v1\n", ErrorCode::Unsupported,
                "git-lfs pointer");
    expectError(name, "{\"a\": 1}", ErrorCode::Unsupported, text);
  }
}

TEST_F(HostileModel, SaysThatWeightsWereNeverFetched) {
  expectError("m.safetensors", "version https://git-lfs.github.com/spec/v1\n",
              ErrorCode::Unsupported, "git-lfs pointer");
}

TEST_F(HostileModel, RefusesProtobufWithoutAGraph) {
  expectError("m.onnx", WireMessage().varint(1, 8).bytes(2, "p").text(), ErrorCode::Unsupported,
              "not an ONNX model");
  const std::string tensorFile = onnxRawTensor("w", 1, {2}, floatBytes(2)).text();
  expectError("input_0.pb", tensorFile, ErrorCode::Unsupported, "not an ONNX model");
}

TEST_F(HostileModel, SaysThatAPathDoesNotExist) {
  const auto opened = openModel(folder_.path() / "nothing");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::NotFound);
}

TEST_F(HostileModel, DoesNotWaitOnAFifo) {
  const std::string fifo = folder_.path() / "pipe.onnx";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto opened = openModel(fifo);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::Unsupported);
}

TEST_F(HostileModel, RefusesACutModelNamingTheByte) {
  const std::string whole =
      onnxModel(WireMessage().message(kInitializerField, onnxRawTensor("w", 1, {2}, floatBytes(2))))
          .text();
  expectError("m.onnx", whole.substr(0, whole.size() - 1), ErrorCode::CorruptData,
              "bytes, but only");
}

TEST_F(HostileModel, NamesThePathToABrokenField) {
  WireMessage node = onnxNode("Constant", "", {}, {"c"});
  node.message(kAttributeField,
               onnxAttribute("value", 5, WireMessage().raw(encodeVarint(9 << 3 | 2)).raw("\x7F")));
  expectError("m.onnx", onnxModel(WireMessage().message(kNodeField, node)).text(),
              ErrorCode::CorruptData, "m.onnx: graph: node 0: attribute 0: byte ");
}

TEST_F(HostileModel, RefusesLengthsPastTheEndAtEachLevel) {
  const std::string bomb = encodeVarint(9 << 3 | 2) + encodeVarint(~std::uint64_t{0} - 5) + "x";
  const WireMessage broken = WireMessage().raw(bomb);
  const WireMessage sparse = WireMessage().message(1, broken);
  for (const WireMessage& graph :
       {WireMessage().message(kInitializerField, broken), WireMessage().raw(bomb),
        WireMessage().message(15, sparse), WireMessage().message(kNodeField, broken)}) {
    expectError("m.onnx", onnxModel(graph).text(), ErrorCode::CorruptData, "bytes, but only");
  }
  expectError("m.onnx", onnxModel({}).message(8, broken).text(), ErrorCode::CorruptData,
              "opset_import");
  expectError("m.onnx", onnxModel({}).message(14, broken).text(), ErrorCode::CorruptData,
              "metadata_props");
  expectError("m.onnx", onnxModel({}).message(25, broken).text(), ErrorCode::CorruptData,
              "function 0");
  expectError("m.onnx", onnxModel({}).message(20, broken).text(), ErrorCode::CorruptData,
              "training_info 0");
}

TEST_F(HostileModel, RefusesGraphsNestedTenThousandDeep) {
  // Built from the inside out; each level is an If node around the one before.
  std::string inner;
  for (int depth = 0; depth < 10'000; ++depth) {
    WireMessage attribute = WireMessage().bytes(6, inner);
    inner = WireMessage().message(1, WireMessage().message(kAttributeField, attribute)).text();
  }
  expectError("m.onnx", onnxModel(WireMessage().raw(inner)).text(), ErrorCode::CorruptData,
              "graphs nest deeper than 64");
}

TEST_F(HostileModel, RefusesGroupsNestedTenThousandDeep) {
  std::string deep;
  for (int depth = 0; depth < 10'000; ++depth) deep += encodeVarint(50 << 3 | 3);
  expectError("m.onnx", onnxModel(WireMessage().raw(deep)).text(), ErrorCode::CorruptData,
              "groups nest deeper than 100");
}

TEST_F(HostileModel, TakesDeepTypesThatItDoesNotRead) {
  std::string type;
  for (int depth = 0; depth < 10'000; ++depth) type = WireMessage().bytes(4, type).text();
  const WireMessage value = WireMessage().bytes(1, "x").bytes(2, type);
  EXPECT_TRUE(folder_.open("m.onnx", onnxModel(WireMessage().message(11, value)).text()));
}

TEST_F(HostileModel, RefusesAMessageInTooManyPieces) {
  WireMessage model = onnxModel({});
  for (int index = 0; index < 5000; ++index) model.message(7, {});
  expectError("m.onnx", model.text(), ErrorCode::CorruptData, "occurs more than 4096 times");
}

TEST_F(HostileModel, StaysSmallOverAMillionEmptyNodes) {
  WireMessage graph;
  for (int index = 0; index < 1'000'000; ++index) graph.message(kNodeField, {});
  const auto opened = folder_.open("m.onnx", onnxModel(graph).text());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(test::checkTiles((*opened)->description()));
}

TEST_F(HostileModel, StaysSmallOverAWeightInAMillionRuns) {
  WireMessage weight = onnxTensor("w", 1, {1'000'000});
  for (int index = 0; index < 1'000'000; ++index) weight.bytes(4, "abcd");
  const WireMessage graph =
      WireMessage()
          .message(kInitializerField, weight)
          .message(kNodeField, onnxNode("MatMul", "m", {"x", "w", "w", "w"}, {"y"}));
  const auto opened = folder_.open("m.onnx", onnxModel(graph).text());
  ASSERT_TRUE(opened) << opened.error().message;
  const ModelDescription& model = (*opened)->description();
  EXPECT_TRUE(test::checkTiles(model));
  EXPECT_LT(model.tensors.size(), 5000U);
  EXPECT_EQ(model.tensors.front().name, "w");
  EXPECT_EQ(model.tensors.front().place.view(), "m:1");
}

TEST_F(HostileModel, StaysSmallOverLongNames) {
  const std::string name(1024, 'n');
  constexpr std::size_t kTensors = 90'000;
  WireMessage graph;
  const WireMessage weight = onnxRawTensor(name, 1, {1}, "abcd");
  for (std::size_t index = 0; index < kTensors; ++index) graph.message(kInitializerField, weight);
  const auto opened = folder_.open("m.onnx", onnxModel(graph).text());
  ASSERT_TRUE(opened) << opened.error().message;
  std::size_t nameBytes = 0;
  for (const TensorInfo& tensor : (*opened)->description().tensors) {
    nameBytes += tensor.name.size();
  }
  EXPECT_EQ((*opened)->description().tensors.size(), kTensors);
  EXPECT_LT(nameBytes, std::size_t{70} << 20U);
}

TEST_F(HostileModel, TakesTwoInitializersOfOneName) {
  // Runtimes take the last one and go on; every byte of both is kept.
  const WireMessage graph = WireMessage()
                                .message(kInitializerField, onnxRawTensor("w", 1, {1}, "aaaa"))
                                .message(kInitializerField, onnxRawTensor("w", 1, {1}, "bbbb"));
  const auto opened = folder_.open("m.onnx", onnxModel(graph).text());
  ASSERT_TRUE(opened);
  EXPECT_EQ((*opened)->description().tensors.size(), 2U);
}

}  // namespace
}  // namespace strata
