#include "core/match/optimizer_pairs.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace strata {
namespace {

using Shape = std::vector<std::uint64_t>;

/// A model of f32 tensors in this order.
ModelDescription modelOf(const std::vector<std::pair<std::string, Shape>>& tensors) {
  ModelDescription model;
  for (const auto& [name, shape] : tensors) {
    TensorInfo info;
    info.name = name;
    info.type = ElementType::F32;
    info.shape = shape;
    model.tensors.push_back(std::move(info));
  }
  return model;
}

/// Pairs as "weights < first moment, second moment, master".
std::vector<std::string> namesOf(const ModelDescription& model,
                                 const std::vector<OptimizerPair>& pairs) {
  std::vector<std::string> names;
  for (const OptimizerPair& pair : pairs) {
    std::string text =
        model.tensors[pair.weights].name + " < " + model.tensors[pair.firstMoment].name;
    if (pair.secondMoment) text += ", " + model.tensors[*pair.secondMoment].name;
    if (pair.master) text += ", " + model.tensors[*pair.master].name;
    names.push_back(text);
  }
  return names;
}

std::vector<std::string> pairsOf(const std::vector<std::pair<std::string, Shape>>& tensors,
                                 std::span<const std::string> params = {}) {
  const ModelDescription model = modelOf(tensors);
  return namesOf(model, pairOptimizer(model, params));
}

using Names = std::vector<std::string>;

const Shape kSquare = {8, 8};
const Shape kRow = {8};

TEST(OptimizerPairs, FollowNamesBehindTheMoment) {
  EXPECT_EQ(pairsOf({{"head.weight", kSquare},
                     {"optimizer.exp_avg.head.weight", kSquare},
                     {"optimizer.exp_avg_sq.head.weight", kSquare},
                     {"optimizer.master.head.weight", kSquare}}),
            Names{"head.weight < optimizer.exp_avg.head.weight, "
                  "optimizer.exp_avg_sq.head.weight, optimizer.master.head.weight"});
}

TEST(OptimizerPairs, FollowNamesInFrontOfTheMoment) {
  EXPECT_EQ(pairsOf({{"model.head.weight", kSquare},
                     {"optim.state.head.weight.exp_avg", kSquare},
                     {"optim.state.head.weight.exp_avg_sq", kSquare},
                     {"optim.state.head.weight.step", {}}}),
            Names{"model.head.weight < optim.state.head.weight.exp_avg, "
                  "optim.state.head.weight.exp_avg_sq"});
}

TEST(OptimizerPairs, FollowTheNamesOfJaxAndKeras) {
  EXPECT_EQ(pairsOf({{"params/head/kernel", kSquare},
                     {"opt_state/0/mu/head/kernel", kSquare},
                     {"opt_state/0/nu/head/kernel", kSquare}}),
            Names{"params/head/kernel < opt_state/0/mu/head/kernel, opt_state/0/nu/head/kernel"});
  EXPECT_EQ(pairsOf({{"dense/kernel", kSquare},
                     {"optimizer/m/dense/kernel", kSquare},
                     {"optimizer/v/dense/kernel", kSquare}}),
            Names{"dense/kernel < optimizer/m/dense/kernel, optimizer/v/dense/kernel"});
}

TEST(OptimizerPairs, TakeNoWeightForAMoment) {
  EXPECT_TRUE(
      pairsOf({{"attn.v", kSquare}, {"attn.m", kSquare}, {"opticnerve.weight", kRow}}).empty());
}

TEST(OptimizerPairs, NeedNoSecondMoment) {
  EXPECT_EQ(pairsOf({{"a.weight", kSquare}, {"state.0.momentum_buffer", kSquare}}),
            Names{"a.weight < state.0.momentum_buffer"});
}

TEST(OptimizerPairs, FollowNumbersInTheOrderOfTheModel) {
  // As torch.save writes a model: in its own order.
  EXPECT_EQ(pairsOf({{"l.query.weight", kSquare},
                     {"l.query.bias", kRow},
                     {"l.key.weight", kSquare},
                     {"l.key.bias", kRow},
                     {"state.0.exp_avg", kSquare},
                     {"state.1.exp_avg", kRow},
                     {"state.2.exp_avg", kSquare},
                     {"state.3.exp_avg", kRow}}),
            (Names{"l.query.weight < state.0.exp_avg", "l.query.bias < state.1.exp_avg",
                   "l.key.weight < state.2.exp_avg", "l.key.bias < state.3.exp_avg"}));
}

TEST(OptimizerPairs, SeeThroughFilesSortedByTheLetters) {
  // As safetensors sorts them; weights with decay come first in transformers' optimizers.
  EXPECT_EQ(pairsOf({{"h.10.key.bias", kRow},
                     {"h.10.key.weight", kSquare},
                     {"h.10.query.bias", kRow},
                     {"h.10.query.weight", kSquare},
                     {"h.9.key.bias", kRow},
                     {"h.9.key.weight", kSquare},
                     {"h.9.query.bias", kRow},
                     {"h.9.query.weight", kSquare},
                     {"state.0.exp_avg", kSquare},
                     {"state.1.exp_avg", kSquare},
                     {"state.2.exp_avg", kSquare},
                     {"state.3.exp_avg", kSquare},
                     {"state.4.exp_avg", kRow},
                     {"state.5.exp_avg", kRow},
                     {"state.6.exp_avg", kRow},
                     {"state.7.exp_avg", kRow}}),
            (Names{"h.10.key.bias < state.7.exp_avg", "h.10.key.weight < state.3.exp_avg",
                   "h.10.query.bias < state.6.exp_avg", "h.10.query.weight < state.2.exp_avg",
                   "h.9.key.bias < state.5.exp_avg", "h.9.key.weight < state.1.exp_avg",
                   "h.9.query.bias < state.4.exp_avg", "h.9.query.weight < state.0.exp_avg"}));
}

TEST(OptimizerPairs, HaveOneOrderOfNumbersAndWords) {
  EXPECT_EQ(pairsOf({{"h.10.weight", kSquare},
                     {"h.1a.weight", kSquare},
                     {"h.9.weight", kSquare},
                     {"state.0.exp_avg", kSquare},
                     {"state.1.exp_avg", kSquare},
                     {"state.2.exp_avg", kSquare}}),
            (Names{"h.10.weight < state.1.exp_avg", "h.1a.weight < state.2.exp_avg",
                   "h.9.weight < state.0.exp_avg"}));
}

TEST(OptimizerPairs, FollowTheOrderOfTheGroups) {
  const Names order = {"1", "0"};
  EXPECT_EQ(pairsOf({{"b.weight", kSquare},
                     {"a.weight", kSquare},
                     {"state.0.exp_avg", kSquare},
                     {"state.1.exp_avg", kSquare}},
                    order),
            (Names{"b.weight < state.1.exp_avg", "a.weight < state.0.exp_avg"}));
}

TEST(OptimizerPairs, LeaveShapesAloneThatHaveOtherNumbersOfWeights) {
  EXPECT_EQ(pairsOf({{"frozen.weight", kSquare},
                     {"trained.weight", kSquare},
                     {"trained.bias", kRow},
                     {"state.0.exp_avg", kSquare},
                     {"state.1.exp_avg", kRow}}),
            Names{"trained.bias < state.1.exp_avg"});
}

TEST(OptimizerPairs, PairNothingOfOtherShapes) {
  EXPECT_TRUE(pairsOf({{"head.weight", kSquare}, {"optimizer.exp_avg.head.weight", kRow}}).empty());
  EXPECT_EQ(pairsOf({{"head.weight", kSquare},
                     {"optimizer.exp_avg.head.weight", kSquare},
                     {"optimizer.exp_avg_sq.head.weight", kRow}}),
            Names{"head.weight < optimizer.exp_avg.head.weight"});
}

TEST(OptimizerPairs, LeaveNamesAloneThatMeanSeveralWeights) {
  EXPECT_TRUE(pairsOf({{"a.head.weight", kSquare},
                       {"b.head.weight", kSquare},
                       {"optimizer.exp_avg.head.weight", kSquare}})
                  .empty());
}

TEST(OptimizerPairs, CopeWithOddNames) {
  EXPECT_TRUE(pairsOf({{"", kRow},
                       {"...", kRow},
                       {"exp_avg", kRow},
                       {"optimizer.state.exp_avg", kRow},
                       {"state.99999999999999999999999.exp_avg", kRow}})
                  .empty());
}

}  // namespace
}  // namespace strata
