#include "core/match/master_copies.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/codec/words/cast.h"
#include "tests/support/memory_model.h"

namespace strata::test {
namespace {

using Weights = std::vector<MemoryModel::Weight>;

std::string rounded(const std::string& floats, ElementType type) {
  std::string halves(floats.size() / 2, '\0');
  castWords(ElementType::F32, std::as_bytes(std::span(floats)), type,
            std::as_writable_bytes(std::span(halves)));
  return halves;
}

/// Weights, and what an optimizer keeps of them in its own order.
class Masters : public testing::Test {
 protected:
  void make(const Weights& weights, const Weights& kept) {
    model_.addFile("model", "h", weights);
    model_.addFile("optimizer", "h", kept);
  }

  /// Pairs of names of those that are copies to the last word.
  std::vector<std::string> found() const {
    const ModelDescription& model = model_.description();
    std::vector<std::string> names;
    for (const MasterCopy& copy : findMasters(model)) {
      if (!isRoundedFrom(model, copy)) continue;
      names.push_back(model.tensors[copy.weights].name + " < " + model.tensors[copy.master].name);
    }
    return names;
  }

  const std::string a_ = randomFloats(6000, 1);
  const std::string b_ = randomFloats(6000, 2);
  MemoryModel model_;
};

using Names = std::vector<std::string>;

TEST_F(Masters, AreFoundByTheirWordsAlone) {
  make({{"a", ElementType::BF16, {60, 100}, rounded(a_, ElementType::BF16)},
        {"b", ElementType::F16, {60, 100}, rounded(b_, ElementType::F16)}},
       {{"0", ElementType::F32, {6000}, b_}, {"1", ElementType::F32, {60, 100}, a_}});
  EXPECT_EQ(found(), (Names{"a < 1", "b < 0"}));
}

TEST_F(Masters, OfEqualWeightsGoInTheirOrder) {
  std::string ones;
  for (int i = 0; i < 100; ++i) ones += std::string("\0\0\x80\x3f", 4);
  const std::string halves = rounded(ones, ElementType::BF16);
  make({{"a", ElementType::BF16, {100}, halves}, {"b", ElementType::BF16, {100}, halves}},
       {{"0", ElementType::F32, {100}, ones}, {"1", ElementType::F32, {100}, ones}});
  EXPECT_EQ(found(), (Names{"a < 0", "b < 1"}));
}

TEST_F(Masters, AreNoneThatDifferInOneWord) {
  std::string halves = rounded(a_, ElementType::BF16);
  halves[2] ^= 1;  // of a word that no sample has
  make({{"a", ElementType::BF16, {6000}, halves}}, {{"0", ElementType::F32, {6000}, a_}});
  EXPECT_EQ(findMasters(model_.description()), std::vector<MasterCopy>({{0, 1}}));
  EXPECT_TRUE(found().empty());
}

TEST_F(Masters, AreNoMomentsAndNoWeightsOfAnotherSize) {
  const std::string halves = rounded(a_, ElementType::BF16);
  make({{"a", ElementType::BF16, {6000}, halves}},
       {{"0", ElementType::F32, {6000}, a_}, {"1", ElementType::F32, {3000}, a_.substr(0, 12000)}});
  model_.description().tensors[1].kind = TensorKind::FirstMoment;
  EXPECT_TRUE(findMasters(model_.description()).empty());
}

TEST_F(Masters, OfOneWordAreFound) {
  make({{"a", ElementType::F16, {}, rounded(a_.substr(0, 4), ElementType::F16)}},
       {{"0", ElementType::F32, {}, a_.substr(0, 4)}});
  EXPECT_EQ(found(), Names{"a < 0"});
}

}  // namespace
}  // namespace strata::test
