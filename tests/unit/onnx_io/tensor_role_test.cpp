#include "onnx_io/tensor_role.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

struct UseCase {
  TensorUse use;
  std::string_view name;
  std::size_t rank;
  TensorKind kind;
};

TEST(TensorRole, FollowsFromTheNodeThatUsesIt) {
  for (const UseCase& row : {
           UseCase{{"Gather", "", 0}, "w", 2, TensorKind::Embedding},
           UseCase{{"Gather", "", 1}, "indices", 2, TensorKind::Unknown},
           UseCase{{"MatMul", "/layer.0/attention/self/query/MatMul", 1},
                   "onnx::MatMul_8",
                   2,
                   TensorKind::Attention},
           UseCase{{"MatMul", "/mlp/MatMul", 1}, "onnx::MatMul_9", 2, TensorKind::Linear},
           UseCase{
               {"Gemm", "", 1}, "model.layers.3.self_attn.q_proj.weight", 2, TensorKind::Attention},
           UseCase{{"Gemm", "/classifier/Gemm", 1}, "w", 2, TensorKind::Head},
           UseCase{{"Gemm", "/classifier/Gemm", 2}, "b", 1, TensorKind::Bias},
           UseCase{{"MatMul", "/value_head/MatMul", 1}, "w", 2, TensorKind::Linear},
           UseCase{{"Conv", "", 1}, "w", 4, TensorKind::Convolution},
           UseCase{{"Conv", "", 2}, "b", 1, TensorKind::Bias},
           UseCase{{"BatchNormalization", "", 3}, "mean", 1, TensorKind::Norm},
           UseCase{{"LayerNormalization", "", 2}, "b", 1, TensorKind::Norm},
           UseCase{{"Mul", "/encoder/LayerNorm/Mul", 1}, "onnx::Mul_3", 1, TensorKind::Norm},
           UseCase{{"Add", "", 1}, "layer.LayerNorm.bias", 1, TensorKind::Norm},
           UseCase{{"Add", "/dense/Add", 0}, "dense.bias", 1, TensorKind::Bias},
           UseCase{{"Add", "", 1}, "position", 2, TensorKind::Unknown},
           UseCase{{"Reshape", "", 1}, "shape", 1, TensorKind::Unknown},
       }) {
    EXPECT_EQ(kindFromUse(row.use, row.name, row.rank), row.kind)
        << row.use.opType << ' ' << row.use.nodeName << ' ' << row.name;
  }
}

struct NameCase {
  std::string_view name;
  std::size_t rank;
  TensorKind kind;
};

TEST(TensorRole, FollowsFromTheName) {
  for (const NameCase& row : {
           NameCase{"bert.embeddings.word_embeddings.weight", 2, TensorKind::Embedding},
           NameCase{"transformer.wte.weight", 2, TensorKind::Embedding},
           NameCase{"bert.encoder.layer.0.attention.self.key.weight", 2, TensorKind::Attention},
           NameCase{"bert.encoder.layer.0.attention.self.key.bias", 1, TensorKind::Bias},
           NameCase{"bert.encoder.layer.0.attention.output.LayerNorm.weight", 1, TensorKind::Norm},
           NameCase{"transformer.h.0.ln_1.bias", 1, TensorKind::Norm},
           NameCase{"encoder.layer.0.intermediate.dense.weight", 2, TensorKind::Linear},
           NameCase{"classifier.weight", 2, TensorKind::Head},
           NameCase{"lm_head.weight", 2, TensorKind::Head},
           NameCase{"layer1.0.conv1.weight", 4, TensorKind::Convolution},
           NameCase{"layer1.0.bn1.running_mean", 1, TensorKind::Norm},
           NameCase{"position_ids", 2, TensorKind::Unknown},
           NameCase{"LayerNorm/Constant", 0, TensorKind::Unknown},
       }) {
    EXPECT_EQ(kindFromName(row.name, row.rank), row.kind) << row.name;
  }
}

TEST(TensorRole, TellsWhatAnOptimizerKeeps) {
  EXPECT_EQ(kindOfOptimizerState("state.17.exp_avg"), TensorKind::FirstMoment);
  EXPECT_EQ(kindOfOptimizerState("state.17.momentum_buffer"), TensorKind::FirstMoment);
  EXPECT_EQ(kindOfOptimizerState("state.17.exp_avg_sq"), TensorKind::SecondMoment);
  EXPECT_EQ(kindOfOptimizerState("state.17.sum"), TensorKind::SecondMoment);
  EXPECT_EQ(kindOfOptimizerState("step"), TensorKind::OptimizerState);
  EXPECT_EQ(kindOfOptimizerState("exp_avg.head.weight"), TensorKind::FirstMoment);
  EXPECT_EQ(kindOfOptimizerState("exp_avg_sq.head.weight"), TensorKind::SecondMoment);
  EXPECT_EQ(kindOfOptimizerState("0.mu.params.head.kernel"), TensorKind::FirstMoment);
  EXPECT_EQ(kindOfOptimizerState("0.nu.params.head.kernel"), TensorKind::SecondMoment);
  EXPECT_EQ(kindOfOptimizerState("master.head.exp_avg_norm.weight"), TensorKind::OptimizerState);
}

TEST(TensorRole, KnowsMomentsByNameWhereNoStructureTells) {
  const auto kind = [](std::string_view name, ElementType type = ElementType::F32) {
    return kindOfStored(name, type, 2);
  };
  EXPECT_EQ(kind("embed.weight.exp_avg"), TensorKind::FirstMoment);
  EXPECT_EQ(kind("optim.state.0.weight.exp_avg_sq"), TensorKind::SecondMoment);
  EXPECT_EQ(kind("optimizer_0/state/3/master"), TensorKind::OptimizerState);
  EXPECT_EQ(kind("optim.state.3.step", ElementType::I64), TensorKind::OptimizerState);
  EXPECT_EQ(kind("optimizer.exp_avg.embed.weight"), TensorKind::FirstMoment);
  EXPECT_EQ(kind("mu.embed.weight"), TensorKind::Embedding);
  EXPECT_EQ(kind("embed.weight"), TensorKind::Embedding);
  EXPECT_EQ(kind("state.embed.weight"), TensorKind::Embedding);
  EXPECT_EQ(kind("embed.sum"), TensorKind::Embedding);
  EXPECT_EQ(kind("embed.weight", ElementType::I8), TensorKind::Unknown);
}

}  // namespace
}  // namespace strata
