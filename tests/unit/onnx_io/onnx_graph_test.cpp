// Every place of a model where weights can hide, written by hand.
#include <gtest/gtest.h>

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
using test::listed;
using test::onnxAttribute;
using test::onnxModel;
using test::onnxNode;
using test::onnxRawTensor;
using test::tensorNamed;
using test::WireMessage;

WireMessage weight(std::string_view name, float first = 1) {
  return onnxRawTensor(name, 1, {2, 2}, floatBytes(4, first));
}

WireMessage graphOf(const WireMessage& node) { return WireMessage().message(kNodeField, node); }

class OnnxGraph : public ::testing::Test {
 protected:
  const ModelDescription& open(const WireMessage& model) {
    auto opened = folder_.open("model.onnx", model.text());
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) model_ = std::move(*opened);
    EXPECT_TRUE(checkTiles(model_->description()));
    return model_->description();
  }

 private:
  test::ModelFolder folder_;
  std::unique_ptr<ModelSource> model_;
};

TEST_F(OnnxGraph, LeavesSettingsInTheGraph) {
  WireMessage shape = onnxNode("Constant", "", {}, {"shape"});
  const WireMessage axes = onnxRawTensor("", 7, {7}, std::string(56, 1));
  shape.message(kAttributeField, onnxAttribute("value", 5, axes));
  WireMessage epsilon = onnxNode("Constant", "", {}, {"epsilon"});
  const WireMessage number = onnxRawTensor("", 1, {}, floatBytes(1));
  epsilon.message(kAttributeField, onnxAttribute("value", 5, number));
  WireMessage graph = WireMessage().message(kNodeField, shape).message(kNodeField, epsilon);
  graph.message(kInitializerField, onnxRawTensor("axes", 7, {1}, std::string(8, 1)));
  graph.message(kInitializerField, onnxRawTensor("index", 7, {8}, std::string(64, 1)));
  graph.message(kInitializerField, onnxRawTensor("scale", 1, {}, floatBytes(1)));
  const auto& model = open(onnxModel(graph));
  EXPECT_NE(tensorNamed(model, "index"), nullptr);
  EXPECT_NE(tensorNamed(model, "scale"), nullptr);
  EXPECT_EQ(model.tensors.size(), 2U);
}

TEST_F(OnnxGraph, FindsTensorsInConstants) {
  WireMessage node = onnxNode("Constant", "", {}, {"c"});
  node.message(kAttributeField, onnxAttribute("value", 5, weight("")));
  const auto& model = open(onnxModel(graphOf(node)));
  EXPECT_EQ(tensorNamed(model, "c")->shape, (std::vector<std::uint64_t>{2, 2}));
}

TEST_F(OnnxGraph, FindsFloatsSparseTensorsAndListsInAttributes) {
  WireMessage floats = onnxNode("Constant", "", {}, {"floats"});
  floats.message(kAttributeField, WireMessage().bytes(1, "value_floats").bytes(7, floatBytes(3)));
  WireMessage sparse = onnxNode("Constant", "", {}, {"sparse"});
  const WireMessage sparseTensor = WireMessage()
                                       .message(1, onnxRawTensor("", 1, {2}, floatBytes(2)))
                                       .message(2, onnxRawTensor("", 7, {2}, std::string(16, 1)));
  sparse.message(kAttributeField, onnxAttribute("sparse_value", 22, sparseTensor));
  WireMessage lists = onnxNode("Custom", "node", {}, {});
  lists.message(kAttributeField, WireMessage()
                                     .bytes(1, "list")
                                     .message(10, weight(""))
                                     .message(10, weight("own"))
                                     .message(23, sparseTensor));
  const auto& model = open(onnxModel(WireMessage()
                                         .message(kNodeField, floats)
                                         .message(kNodeField, sparse)
                                         .message(kNodeField, lists)));
  for (const std::string_view name : {"floats", "sparse", "sparse.indices", "node/list[0]", "own",
                                      "node/list[2]", "node/list[2].indices"}) {
    EXPECT_NE(tensorNamed(model, name), nullptr);
  }
  EXPECT_EQ(model.tensors.size(), 7U) << listed(model);
}

TEST_F(OnnxGraph, TakesLongFloatListsOfOtherNodesForWeights) {
  WireMessage trees = onnxNode("TreeEnsembleRegressor", "trees", {"x"}, {"y"});
  trees.message(kAttributeField, WireMessage().bytes(1, "nodes_values").bytes(7, floatBytes(16)));
  trees.message(kAttributeField, WireMessage().bytes(1, "scales").bytes(7, floatBytes(4)));
  const auto& model = open(onnxModel(graphOf(trees)));
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(model.tensors[0].name, "trees/nodes_values");
}

TEST_F(OnnxGraph, FindsWeightsInSubgraphs) {
  WireMessage inner = WireMessage().message(kInitializerField, weight("inner"));
  inner.message(kNodeField, onnxNode("MatMul", "use", {"x", "outer"}, {"y"}));
  WireMessage node = onnxNode("If", "choice", {"c"}, {"y"});
  node.message(kAttributeField, onnxAttribute("then_branch", 6, inner));
  node.message(
      kAttributeField,
      onnxAttribute("else_branch", 11, WireMessage().message(kInitializerField, weight("listed"))));
  WireMessage graph = graphOf(node).message(kInitializerField, weight("outer"));
  const auto& model = open(onnxModel(graph));
  EXPECT_NE(tensorNamed(model, "inner"), nullptr);
  EXPECT_NE(tensorNamed(model, "listed"), nullptr);
  EXPECT_EQ(tensorNamed(model, "outer")->place.view(), "use:1");
}

TEST_F(OnnxGraph, FindsWeightsInFunctionsAndTrainingInfo) {
  WireMessage constant = onnxNode("Constant", "", {}, {"in function"});
  constant.message(kAttributeField, onnxAttribute("value", 5, weight("")));
  WireMessage function = WireMessage().bytes(1, "f").message(7, constant);
  function.message(11, onnxAttribute("preset", 5, weight("default")));
  const auto training = WireMessage()
                            .message(1, WireMessage().message(kInitializerField, weight("initial")))
                            .message(2, WireMessage().message(kInitializerField, weight("step")));
  WireMessage model = onnxModel(WireMessage());
  model.message(25, function).message(20, training);
  const auto& opened = open(model);
  for (const std::string_view name : {"in function", "default", "initial", "step"}) {
    EXPECT_NE(tensorNamed(opened, name), nullptr);
  }
}

TEST_F(OnnxGraph, MergesAGraphThatComesInPieces) {
  WireMessage model = onnxModel(graphOf(onnxNode("MatMul", "use", {"x", "w"}, {"y"})));
  model.message(7, WireMessage().message(kInitializerField, weight("w")));
  EXPECT_EQ(tensorNamed(open(model), "w")->place.view(), "use:1");
}

TEST_F(OnnxGraph, MergesATensorThatComesInPieces) {
  WireMessage node = onnxNode("Constant", "", {}, {"c"});
  node.message(kAttributeField,
               WireMessage()
                   .message(5, WireMessage().varint(1, 2).varint(2, 1))
                   .bytes(1, "value")
                   .message(5, WireMessage().varint(1, 2).bytes(9, floatBytes(4))));
  EXPECT_EQ(tensorNamed(open(onnxModel(graphOf(node))), "c")->shape,
            (std::vector<std::uint64_t>{2, 2}));
}

TEST_F(OnnxGraph, FollowsWeightsThroughNodesThatPassThemOn) {
  WireMessage graph = WireMessage().message(kInitializerField, weight("w"));
  graph.message(kNodeField, onnxNode("Identity", "", {"w"}, {"same"}));
  graph.message(kNodeField, onnxNode("Transpose", "", {"same"}, {"turned"}));
  graph.message(kNodeField, onnxNode("MatMul", "", {"x", "turned"}, {"y"}));
  graph.message(kNodeField, onnxNode("Relu", "", {"y"}, {"z"}));
  const auto& model = open(onnxModel(graph));
  EXPECT_EQ(tensorNamed(model, "w")->place.view(), "MatMul:1");
  EXPECT_EQ(tensorNamed(model, "w")->kind, TensorKind::Linear);
}

TEST_F(OnnxGraph, CallsTheLastLinearLayerTheHead) {
  WireMessage graph = WireMessage()
                          .message(kInitializerField, weight("first"))
                          .message(kInitializerField, weight("last", 9));
  graph.message(kNodeField, onnxNode("MatMul", "", {"x", "first"}, {"a"}));
  graph.message(kNodeField, onnxNode("Relu", "", {"a"}, {"b"}));
  graph.message(kNodeField, onnxNode("Gemm", "", {"b", "last", "bias"}, {"c"}));
  graph.message(kNodeField, onnxNode("Softmax", "", {"c"}, {"y"}));
  const auto& model = open(onnxModel(graph));
  EXPECT_EQ(tensorNamed(model, "first")->kind, TensorKind::Linear);
  EXPECT_EQ(tensorNamed(model, "last")->kind, TensorKind::Head);
}

TEST_F(OnnxGraph, CallsNoLayerTheHeadThatOtherWorkFollows) {
  WireMessage graph = WireMessage().message(kInitializerField, weight("w"));
  graph.message(kNodeField, onnxNode("MatMul", "", {"x", "w"}, {"a"}));
  graph.message(kNodeField, onnxNode("LayerNormalization", "", {"a"}, {"y"}));
  EXPECT_EQ(tensorNamed(open(onnxModel(graph)), "w")->kind, TensorKind::Linear);
}

TEST_F(OnnxGraph, TellsWhatTheModelSaysOfItself) {
  WireMessage model = onnxModel(WireMessage(), 9);
  model.message(14, WireMessage().bytes(1, "author").bytes(2, "someone"));
  const auto& pairs = open(model).metadata;
  const std::vector<std::pair<std::string, std::string>> expected{{"ir_version", "9"},
                                                                  {"producer_name", "hand"},
                                                                  {"opset_import", "ai.onnx 17"},
                                                                  {"author", "someone"}};
  EXPECT_EQ(pairs, expected);
}

TEST_F(OnnxGraph, BoundsTheMetadata) {
  WireMessage model = onnxModel(WireMessage());
  for (int index = 0; index < 40; ++index) {
    model.message(14, WireMessage().bytes(1, "k").bytes(2, std::string(100'000, 'v')));
  }
  std::size_t byteCount = 0;
  for (const auto& [key, value] : open(model).metadata) byteCount += key.size() + value.size();
  EXPECT_LE(byteCount, 1024U * 1024U);
}

}  // namespace
}  // namespace strata
