#include "core/archive/layout.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/part_samples.h"

namespace strata::test {
namespace {

ManifestTensor tensorOf(ElementType type, const std::vector<std::uint64_t>& shape) {
  ManifestTensor tensor;
  tensor.name = "w";
  tensor.type = type;
  tensor.shape = shape;
  return tensor;
}

void addPart(ManifestTensor& tensor, std::uint64_t rows, std::uint64_t first,
             std::uint64_t columns) {
  tensor.parts.push_back({.rowCount = rows, .firstColumn = first, .columnCount = columns});
}

TEST(TensorLayout, TakesOnePartForTheWhole) {
  ManifestTensor tensor = tensorOf(ElementType::BF16, {6, 4, 2});
  addPart(tensor, 0, 0, 0);
  const auto layout = layoutOf(tensor);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->byteCount, 96U);
  EXPECT_EQ(layout->matrix, (WordMatrix{6, 8}));
  EXPECT_EQ(layout->parts[0].rowCount, 6U);
  EXPECT_EQ(layout->parts[0].columnCount, 8U);
}

TEST(TensorLayout, TakesBandsOfPartsSideBySide) {
  ManifestTensor tensor = tensorOf(ElementType::F32, {6, 10});
  addPart(tensor, 2, 0, 7);
  addPart(tensor, 2, 7, 0);
  addPart(tensor, 4, 0, 10);
  const auto layout = layoutOf(tensor);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->parts[1].columnCount, 3U);
  EXPECT_EQ(layout->parts[2].firstRow, 2U);
}

TEST(TensorLayout, IsRejectedUnlessItsPartsTileIt) {
  using Part = std::array<std::uint64_t, 3>;
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::vector<std::vector<Part>> odd{
      {},
      {{5, 0, 0}},
      {{7, 0, 0}},
      {{0, 0, 0}, {1, 0, 0}},
      {{6, 0, 9}},
      {{6, 1, 9}},
      {{6, 0, 11}},
      {{6, 0, 5}, {6, 4, 6}},
      {{6, 0, 5}, {6, 6, 4}},
      {{3, 0, 5}, {2, 5, 5}, {3, 0, 10}},
      {{kHuge, 0, 0}},
      {{6, kHuge, 0}},
      {{6, 0, kHuge}},
      {{6, 0, 5}, {6, 5, kHuge}},
  };
  for (const auto& parts : odd) {
    ManifestTensor tensor = tensorOf(ElementType::F32, {6, 10});
    for (const Part& part : parts) addPart(tensor, part[0], part[1], part[2]);
    const auto layout = layoutOf(tensor);
    ASSERT_FALSE(layout) << "parts of example " << (&parts - odd.data());
    EXPECT_EQ(layout.error().code, ErrorCode::CorruptData);
  }
}

TEST(TensorLayout, IsRejectedIfItsShapeHasNoBytesOrTooMany) {
  constexpr std::uint64_t kBig = std::uint64_t{1} << 33;
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{0}, {5, 0, 3}, {kBig, kBig}, {~std::uint64_t{0}}}) {
    ManifestTensor tensor = tensorOf(ElementType::F32, shape);
    addPart(tensor, 0, 0, 0);
    EXPECT_FALSE(layoutOf(tensor));
  }
  ManifestTensor unknown = tensorOf(ElementType::F32, {2});
  unknown.type = static_cast<ElementType>(200);
  addPart(unknown, 0, 0, 0);
  EXPECT_FALSE(layoutOf(unknown));
}

/// A file of the words 0, 1, 2 … as u16.
ByteSource countingFile() {
  return [](std::uint32_t, std::uint64_t offset, std::span<std::byte> out) -> Result<void> {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t at = offset + i;
      out[i] = static_cast<std::byte>(at / 2 >> (at % 2 * 8));
    }
    return {};
  };
}

std::vector<std::uint64_t> gathered(const PartView& view, std::uint64_t rows,
                                    std::uint64_t columns) {
  const PartShape shape{wordFormat(ElementType::U16), rows, columns};
  Bytes out(shape.byteCount());
  EXPECT_TRUE(gatherView(countingFile(), view, shape, ElementType::U16, out));
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < shape.wordCount(); ++i) words.push_back(wordAt(out, 2, i));
  return words;
}

TEST(PartView, GathersRowsAcrossAStride) {
  const PartView view{.offset = 20, .stride = 100, .type = ElementType::U16};
  EXPECT_EQ(gathered(view, 3, 2), (std::vector<std::uint64_t>{10, 11, 110, 111, 210, 211}));
}

TEST(PartView, GathersATransposedRectangle) {
  PartView view{.offset = 20, .transposed = true, .type = ElementType::U16};
  EXPECT_EQ(gathered(view, 2, 3), (std::vector<std::uint64_t>{10, 12, 14, 11, 13, 15}));
  view.stride = 50;
  EXPECT_EQ(gathered(view, 2, 3), (std::vector<std::uint64_t>{10, 60, 110, 11, 61, 111}));
  EXPECT_EQ(gathered(view, 1, 3), (std::vector<std::uint64_t>{10, 60, 110}));
  EXPECT_EQ(gathered(view, 3, 1), (std::vector<std::uint64_t>{10, 11, 12}));
}

TEST(PartView, GathersMoreThanOneTile) {
  const PartView view{.stride = 301, .transposed = true, .type = ElementType::U16};
  const auto words = gathered(view, 70, 90);
  for (std::uint64_t r = 0; r < 70; ++r) {
    for (std::uint64_t c = 0; c < 90; ++c) ASSERT_EQ(words[r * 90 + c], c * 301 + r);
  }
}

TEST(PartView, KnowsWhichWordsItTouches) {
  const PartShape shape{wordFormat(ElementType::U16), 3, 5};
  EXPECT_EQ(viewExtent({.type = ElementType::U16}, shape), 30U);
  EXPECT_EQ(viewExtent({.stride = 100, .type = ElementType::U16}, shape), 410U);
  EXPECT_EQ(viewExtent({.stride = 100, .transposed = true, .type = ElementType::U16}, shape), 806U);
  EXPECT_FALSE(viewExtent({.stride = ~std::uint64_t{0}, .type = ElementType::U16}, shape));
  EXPECT_FALSE(viewExtent({.stride = std::uint64_t{1} << 62, .type = ElementType::U16}, shape));
}

TEST(PartView, IsRejectedWithATypeThatCannotBeCast) {
  EXPECT_FALSE(isCastable({.type = ElementType::I32}, ElementType::F32));
  EXPECT_FALSE(isCastable({.type = static_cast<ElementType>(99)}, ElementType::F32));
  EXPECT_FALSE(isCastable({.type = ElementType::F32}, ElementType::U8));
  EXPECT_TRUE(isCastable({.type = ElementType::F32}, ElementType::BF16));
  EXPECT_TRUE(isCastable({.type = ElementType::I32}, ElementType::I32));
}

}  // namespace
}  // namespace strata::test
