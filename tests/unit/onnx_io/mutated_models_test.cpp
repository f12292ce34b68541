// Small models with bytes flipped, cut out and put in: whatever comes of it, it is an error or a
// description that holds its promises.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::checkTiles;
using test::floatBytes;
using test::kAttributeField;
using test::kInitializerField;
using test::kNodeField;
using test::onnxAttribute;
using test::onnxExternalTensor;
using test::onnxModel;
using test::onnxNode;
using test::onnxRawTensor;
using test::onnxTensor;
using test::safetensorsFile;
using test::WireMessage;

std::string onnxSample() {
  WireMessage inner =
      WireMessage().message(kInitializerField, onnxTensor("in", 1, {3}).bytes(4, floatBytes(3)));
  WireMessage node = onnxNode("If", "if", {"c"}, {"y"});
  node.message(kAttributeField, onnxAttribute("then_branch", 6, inner));
  WireMessage constant = onnxNode("Constant", "", {}, {"c"});
  constant.message(kAttributeField,
                   onnxAttribute("value", 5, onnxRawTensor("", 7, {1}, std::string(8, 1))));
  const WireMessage sparse = WireMessage()
                                 .message(1, onnxRawTensor("s", 1, {2}, floatBytes(2)))
                                 .message(2, onnxRawTensor("", 7, {2}, std::string(16, 1)));
  WireMessage graph = WireMessage()
                          .message(kNodeField, constant)
                          .message(kNodeField, node)
                          .message(kNodeField, onnxNode("MatMul", "m", {"x", "w"}, {"z"}))
                          .message(kInitializerField, onnxRawTensor("w", 1, {2, 2}, floatBytes(4)))
                          .message(15, sparse);
  graph.message(kInitializerField,
                onnxExternalTensor("e", 1, {2}, {{"location", "w.bin"}, {"offset", "4"}}));
  return onnxModel(graph)
      .message(14, WireMessage().bytes(1, "k").bytes(2, "v"))
      .message(25, WireMessage().bytes(1, "f").message(7, constant))
      .group(60, WireMessage().varint(1, 1))
      .text();
}

std::string safetensorsSample() {
  return safetensorsFile(
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"U8","shape":[2,2],"data_offsets":[8,12]}})",
      floatBytes(3));
}

void flipOrMove(std::string& bytes, std::mt19937& random) {
  const std::size_t at = random() % bytes.size();
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.erase(at, 1 + random() % 4);
      break;
    case 3:
      bytes.insert(at, 1 + random() % 3, static_cast<char>(random()));
      break;
    default:
      bytes[at] = '\xFF';
  }
}

struct Sample {
  std::string_view name;
  std::string (*make)();
};

class EveryMutation : public ::testing::TestWithParam<Sample> {
 protected:
  EveryMutation() { folder_.write("w.bin", floatBytes(3)); }

  /// Opens the bytes; counts how they fared.
  void check(const std::string& bytes) {
    const auto opened = folder_.open(GetParam().name, bytes);
    if (opened) {
      ASSERT_TRUE(checkTiles((*opened)->description()));
    } else {
      ASSERT_FALSE(opened.error().message.empty());
      ASSERT_NE(opened.error().code, ErrorCode::Internal);
    }
    ++(opened ? openedCount_ : failedCount_);
  }

  test::ModelFolder folder_;
  int openedCount_ = 0;
  int failedCount_ = 0;
};

TEST_P(EveryMutation, IsAnErrorOrAModel) {
  const std::string whole = GetParam().make();
  check(whole);
  ASSERT_EQ(openedCount_, 1);
  std::mt19937 random(20);
  for (int round = 0; round < 1500; ++round) {
    std::string bytes = whole;
    for (std::size_t left = 1 + random() % 3; left > 0 && !bytes.empty(); --left) {
      flipOrMove(bytes, random);
    }
    check(bytes);
  }
  EXPECT_GT(openedCount_, 20);
  EXPECT_GT(failedCount_, 100);
}

TEST_P(EveryMutation, OfASingleByteIsAnErrorOrAModel) {
  const std::string whole = GetParam().make();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      check(bytes);
    }
    check(whole.substr(0, at));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryMutation,
                         ::testing::Values(Sample{"m.onnx", onnxSample},
                                           Sample{"m.safetensors", safetensorsSample},
                                           Sample{"m", onnxSample}),
                         [](const auto& row) {
                           return std::string(row.index == 0   ? "OnnxFile"
                                              : row.index == 1 ? "SafetensorsFile"
                                                               : "FileWithoutExtension");
                         });

}  // namespace
}  // namespace strata
