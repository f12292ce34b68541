// Models as Debian's ONNX library writes them.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"

namespace strata {
namespace {

using test::tensorNamed;
using test::tensorText;

class LibraryModel : public ::testing::Test {
 protected:
  LibraryModel() {
    proto_.set_ir_version(onnx::IR_VERSION);
    proto_.set_producer_name("library");
    proto_.add_opset_import()->set_version(17);
  }

  onnx::TensorProto& addInitializer(const std::string& name, onnx::TensorProto::DataType type) {
    return fill(*proto_.mutable_graph()->add_initializer(), name, type);
  }
  static onnx::TensorProto& fill(onnx::TensorProto& tensor, const std::string& name,
                                 onnx::TensorProto::DataType type) {
    tensor.set_name(name);
    tensor.set_data_type(type);
    tensor.add_dims(3);
    return tensor;
  }
  const ModelDescription& open() {
    auto opened = folder_.open("model.onnx", proto_.SerializeAsString());
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) model_ = std::move(*opened);
    EXPECT_TRUE(test::checkTiles(model_->description()));
    return model_->description();
  }

  onnx::ModelProto proto_;

 private:
  test::ModelFolder folder_;
  std::unique_ptr<ModelSource> model_;
};

TEST_F(LibraryModel, KeepsEachPayloadFieldWhereItBelongs) {
  onnx::TensorProto& floats = addInitializer("floats", onnx::TensorProto::FLOAT);
  for (const float value : {1.0F, -0.0F, 3.5F}) floats.add_float_data(value);
  onnx::TensorProto& doubles = addInitializer("doubles", onnx::TensorProto::DOUBLE);
  onnx::TensorProto& halves = addInitializer("halves", onnx::TensorProto::FLOAT16);
  onnx::TensorProto& longs = addInitializer("longs", onnx::TensorProto::INT64);
  onnx::TensorProto& texts = addInitializer("texts", onnx::TensorProto::STRING);
  for (int index = 0; index < 3; ++index) {
    doubles.add_double_data(index);
    halves.add_int32_data(index + 15360);
    longs.add_int64_data(-index);
    texts.add_string_data("text");
  }
  addInitializer("raw", onnx::TensorProto::BFLOAT16).set_raw_data("abcdef");
  const auto& model = open();
  EXPECT_EQ(tensorNamed(model, "doubles")->shape, std::vector<std::uint64_t>{3});
  EXPECT_EQ(tensorNamed(model, "doubles")->type, ElementType::F64);
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "raw")), "abcdef");
  EXPECT_EQ(tensorNamed(model, "raw")->type, ElementType::BF16);
  EXPECT_EQ(tensorNamed(model, "floats")->byteCount, 12U);
  EXPECT_EQ(model.tensors.size(), 3U) << test::listed(model);
}

TEST_F(LibraryModel, FindsWeightsInEveryPlace) {
  onnx::GraphProto& graph = *proto_.mutable_graph();
  const auto raw = std::string(12, 'r');
  onnx::NodeProto& loop = *graph.add_node();
  loop.set_op_type("Loop");
  onnx::AttributeProto& body = *loop.add_attribute();
  body.set_name("body");
  fill(*body.mutable_g()->add_initializer(), "body", onnx::TensorProto::FLOAT).set_raw_data(raw);
  onnx::SparseTensorProto& sparse = *graph.add_sparse_initializer();
  fill(*sparse.mutable_values(), "sparse", onnx::TensorProto::FLOAT).set_raw_data(raw);
  onnx::NodeProto& constant = *proto_.add_functions()->add_node();
  constant.set_op_type("Constant");
  constant.add_output("function");
  onnx::AttributeProto& value = *constant.add_attribute();
  value.set_name("value");
  fill(*value.mutable_t(), "", onnx::TensorProto::FLOAT).set_raw_data(raw);
  fill(*proto_.add_training_info()->mutable_algorithm()->add_initializer(), "train",
       onnx::TensorProto::FLOAT)
      .set_raw_data(raw);
  const auto& model = open();
  for (const std::string_view name : {"body", "sparse", "function", "train"}) {
    EXPECT_EQ(tensorNamed(model, name)->type, ElementType::F32);
  }
}

}  // namespace
}  // namespace strata
