#include "onnx_io/span_tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

#include "onnx_io/tensor_span.h"
#include "tests/support/model_checks.h"

namespace strata {
namespace {

class SpanTiling : public ::testing::Test {
 protected:
  ModelDescription tile(std::vector<TensorInfo> found, std::vector<std::size_t> fileBytes) {
    ModelDescription model;
    for (const std::size_t count : fileBytes) {
      content_.emplace_back(count, 'x');
      model.files.push_back({std::string(1, static_cast<char>('a' + model.files.size())),
                             FileKind::Other, std::as_bytes(std::span(content_.back()))});
    }
    model.tensors = tileSpans(std::move(found), model.files);
    EXPECT_TRUE(test::checkTiles(model)) << test::listed(model);
    return model;
  }

 private:
  std::list<std::string> content_;
};

TEST_F(SpanTiling, SortsByFileAndOffset) {
  const auto model =
      tile({opaqueSpan("c", 1, {0, 2}), opaqueSpan("b", 0, {5, 2}), opaqueSpan("a", 0, {1, 2})},
           {10, 10});
  ASSERT_EQ(model.tensors.size(), 3U);
  EXPECT_EQ(model.tensors[0].name, "a");
  EXPECT_EQ(model.tensors[2].name, "c");
}

TEST_F(SpanTiling, DropsWhatLiesInsideAnother) {
  const auto model = tile({opaqueSpan("in", 0, {4, 2}), opaqueSpan("out", 0, {0, 10})}, {10});
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(model.tensors[0].name, "out");
}

TEST_F(SpanTiling, LeavesGapsUpToTheLimitInTheSkeleton) {
  EXPECT_TRUE(tile({}, {kMaxSkeletonGap}).tensors.empty());
  EXPECT_EQ(tile({}, {kMaxSkeletonGap + 1}).tensors.size(), 1U);
}

TEST_F(SpanTiling, GivesUpSmallerGapsWhereTheyAddUp) {
  std::vector<TensorInfo> found;
  for (std::uint64_t index = 0; index < 40; ++index) {
    found.push_back(opaqueSpan("t", 0, {index << 20, 16}));
  }
  const auto model = tile(found, {40 << 20});
  EXPECT_EQ(model.tensors.size(), 80U);
}

TEST_F(SpanTiling, SplitsLongBytesButNotNumbers) {
  TensorInfo numbers = opaqueSpan("n", 0, {0, 20 << 20});
  numbers.type = ElementType::U8;
  const auto model = tile({numbers, opaqueSpan("b", 1, {0, 40 << 20})}, {20 << 20, 40 << 20});
  ASSERT_EQ(model.tensors.size(), 4U);
  EXPECT_EQ(model.tensors[3].name, "b#3");
}

TEST_F(SpanTiling, MakesTilesOfAnySpans) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<TensorInfo> found;
    for (int index = 0; index < 30; ++index) {
      const std::uint64_t offset = random() % 200;
      found.push_back(opaqueSpan("t", random() % 2, {offset, random() % (201 - offset)}));
      if (found.back().byteCount == 0) found.pop_back();
    }
    std::vector<bool> isCovered(400);
    for (const TensorInfo& span : found) {
      for (std::uint64_t at = 0; at < span.byteCount; ++at) {
        isCovered[span.file * 200 + span.offset + at] = true;
      }
    }
    const auto model = tile(found, {200, 200});
    std::uint64_t covered = 0;
    for (const TensorInfo& span : model.tensors) covered += span.byteCount;
    EXPECT_EQ(covered,
              static_cast<std::uint64_t>(std::count(isCovered.begin(), isCovered.end(), true)));
  }
}

}  // namespace
}  // namespace strata
