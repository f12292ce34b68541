#include "core/archive/detail/manifest_offsets.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/model/element_type.h"

namespace strata::test {
namespace {

/// A tensor of f32 in file 0, 4 x 8, of two parts of two rows, each with a view and a section.
ManifestTensor makeTensor(std::uint64_t offset, std::uint64_t viewOffset,
                          std::uint64_t sectionOffset) {
  ManifestTensor tensor;
  tensor.type = ElementType::F32;
  tensor.shape = {4, 8};
  tensor.offset = offset;
  for (std::uint64_t p = 0; p < 2; ++p) {
    ManifestPart& part = tensor.parts.emplace_back();
    part.rowCount = 2;
    part.view = {.offset = viewOffset + 64 * p};
    part.section = {.offset = sectionOffset + 10 * p, .byteCount = 10};
  }
  return tensor;
}

/// What has offsets in a manifest of one pack and one file.
struct Offsetted {
  ManifestFile file;
  std::vector<ManifestTensor> tensors;

  friend bool operator==(const Offsetted&, const Offsetted&) = default;
};

/// The file's skeleton lies behind everything else.
Offsetted example() {
  Offsetted manifest;
  manifest.file.skeleton = {.offset = 56, .byteCount = 5};
  manifest.tensors = {makeTensor(100, 300, 16), makeTensor(230, 430, 36)};
  return manifest;
}

Result<void> walk(Offsetted& manifest, OffsetWalk::Way way) {
  OffsetWalk offsets(1, way);
  STRATA_TRY(offsets.file(manifest.file));
  for (ManifestTensor& tensor : manifest.tensors) STRATA_TRY(offsets.tensor(tensor));
  return {};
}

Result<void> offsetsToDifferences(Offsetted& manifest) {
  return walk(manifest, OffsetWalk::Way::ToDifferences);
}

Result<void> offsetsFromDifferences(Offsetted& manifest) {
  return walk(manifest, OffsetWalk::Way::FromDifferences);
}

TEST(ManifestOffsets, AreZeroWhereTheyAreAsExpected) {
  Offsetted manifest = example();
  ASSERT_TRUE(offsetsToDifferences(manifest));
  EXPECT_EQ(manifest.file.skeleton->offset, 40) << "first, but not at 16";
  const ManifestTensor& first = manifest.tensors[0];
  EXPECT_EQ(first.offset, 100);
  EXPECT_EQ(first.parts[0].view->offset, 200) << "how far the parent's file is ahead";
  EXPECT_EQ(first.parts[0].section->offset, std::uint64_t{16} - 61);
  EXPECT_EQ(first.parts[1].view->offset, 0);
  EXPECT_EQ(first.parts[1].section->offset, 0);
  const ManifestTensor& second = manifest.tensors[1];
  EXPECT_EQ(second.offset, 2) << "a gap of two bytes";
  for (const ManifestPart& part : second.parts) {
    EXPECT_EQ(part.view->offset, 0);
    EXPECT_EQ(part.section->offset, 0);
  }
}

TEST(ManifestOffsets, ComeBackWhateverTheyWere) {
  Offsetted manifest = example();
  manifest.tensors[0].offset = std::numeric_limits<std::uint64_t>::max() - 3;
  manifest.tensors[1].parts[1].section->offset = 1;
  manifest.tensors[1].parts[0].view->offset = 7;
  const Offsetted before = manifest;
  ASSERT_TRUE(offsetsToDifferences(manifest));
  EXPECT_FALSE(manifest == before);
  ASSERT_TRUE(offsetsFromDifferences(manifest));
  EXPECT_TRUE(manifest == before);
}

TEST(ManifestOffsets, CountEachSourceForItself) {
  Offsetted manifest = example();
  for (ManifestTensor& tensor : manifest.tensors) {
    for (ManifestPart& part : tensor.parts) {
      part.furtherViews.append({{.offset = part.view->offset + 5000}});
      part.furtherViews.append({{.offset = part.view->offset - 300, .own = true}});
    }
  }
  const Offsetted before = manifest;
  ASSERT_TRUE(offsetsToDifferences(manifest));
  const auto offsetOf = [&](std::size_t tensor, std::size_t part, std::size_t source) {
    return manifest.tensors[tensor].parts[part].source(source).offset;
  };
  EXPECT_EQ(offsetOf(0, 0, 1), 5200);
  EXPECT_EQ(offsetOf(0, 0, 2), std::uint64_t{0} - 100);
  for (std::size_t source = 0; source < 3; ++source) {
    EXPECT_EQ(offsetOf(0, 1, source), 0) << source;
    EXPECT_EQ(offsetOf(1, 1, source), 0) << source;
  }
  ASSERT_TRUE(offsetsFromDifferences(manifest));
  EXPECT_TRUE(manifest == before);
}

TEST(ManifestOffsets, AreOfPartsWithFewSources) {
  Offsetted manifest = example();
  for (int i = 0; i < 4; ++i) manifest.tensors[0].parts[0].furtherViews.append({});
  for (auto* turn : {offsetsToDifferences, offsetsFromDifferences}) {
    Offsetted turned = manifest;
    const auto done = turn(turned);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
  }
}

TEST(ManifestOffsets, AreOfPacksThatAreThere) {
  Offsetted manifest = example();
  manifest.tensors[1].parts[1].section->pack = 1;
  const auto done = offsetsFromDifferences(manifest);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
  EXPECT_EQ(done.error().message, "manifest: section of pack 1, there are 1");
}

TEST(ManifestOffsets, NeedNoPartsThatTileTheirTensor) {
  Offsetted manifest = example();
  manifest.tensors[0].parts[1].rowCount = 3;
  manifest.tensors[1].parts.erase(manifest.tensors[1].parts.begin());
  const Offsetted before = manifest;
  ASSERT_TRUE(offsetsToDifferences(manifest));
  ASSERT_TRUE(offsetsFromDifferences(manifest));
  EXPECT_TRUE(manifest == before);
}

TEST(ManifestOffsets, AreOfTensorsThatMakeSense) {
  Offsetted manifest = example();
  manifest.tensors[0].type = static_cast<ElementType>(99);
  const auto done = offsetsFromDifferences(manifest);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
}

}  // namespace
}  // namespace strata::test
