#include "core/archive/detail/manifest_places.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/model/element_type.h"

namespace strata::test {
namespace {

void set(archive::Section& section, std::uint32_t pack, std::uint64_t offset, std::uint64_t count) {
  section.set_pack(pack);
  section.set_offset(offset);
  section.set_byte_count(count);
}

/// A tensor of f32 in file 0, 4 x 8, of two parts of two rows, each with a view and a section.
void addTensor(Manifest& manifest, std::uint64_t offset, std::uint64_t viewOffset,
               std::uint64_t sectionOffset) {
  archive::Tensor& tensor = *manifest.add_tensors();
  tensor.set_type(static_cast<std::uint32_t>(ElementType::F32));
  tensor.add_shape(4);
  tensor.add_shape(8);
  tensor.set_offset(offset);
  for (std::uint64_t p = 0; p < 2; ++p) {
    archive::Part& part = *tensor.add_parts();
    part.set_row_count(2);
    part.mutable_view()->set_offset(viewOffset + 64 * p);
    set(*part.mutable_section(), 0, sectionOffset + 10 * p, 10);
  }
}

/// Its skeleton lies behind everything else.
Manifest example() {
  Manifest manifest;
  manifest.add_packs();
  set(*manifest.add_files()->mutable_skeleton(), 0, 56, 5);
  addTensor(manifest, 100, 300, 16);
  addTensor(manifest, 230, 430, 36);
  return manifest;
}

TEST(ManifestPlaces, AreZeroWhereTheyAreAsExpected) {
  Manifest manifest = example();
  ASSERT_TRUE(placesToDifferences(manifest));
  EXPECT_EQ(manifest.files(0).skeleton().offset(), 40) << "first, but not at 16";
  const archive::Tensor& first = manifest.tensors(0);
  EXPECT_EQ(first.offset(), 100);
  EXPECT_EQ(first.parts(0).view().offset(), 200) << "how far the parent's file is ahead";
  EXPECT_EQ(first.parts(0).section().offset(), std::uint64_t{16} - 61);
  EXPECT_EQ(first.parts(1).view().offset(), 0);
  EXPECT_EQ(first.parts(1).section().offset(), 0);
  const archive::Tensor& second = manifest.tensors(1);
  EXPECT_EQ(second.offset(), 2) << "a gap of two bytes";
  for (const archive::Part& part : second.parts()) {
    EXPECT_EQ(part.view().offset(), 0);
    EXPECT_EQ(part.section().offset(), 0);
  }
}

TEST(ManifestPlaces, ComeBackWhateverTheyWere) {
  Manifest manifest = example();
  manifest.mutable_tensors(0)->set_offset(std::numeric_limits<std::uint64_t>::max() - 3);
  manifest.mutable_tensors(1)->mutable_parts(1)->mutable_section()->set_offset(1);
  manifest.mutable_tensors(1)->mutable_parts(0)->mutable_view()->set_offset(7);
  const std::string before = manifest.SerializeAsString();
  ASSERT_TRUE(placesToDifferences(manifest));
  EXPECT_NE(manifest.SerializeAsString(), before);
  ASSERT_TRUE(placesFromDifferences(manifest));
  EXPECT_EQ(manifest.SerializeAsString(), before);
}

TEST(ManifestPlaces, AreOfPacksThatAreThere) {
  Manifest manifest = example();
  manifest.mutable_tensors(1)->mutable_parts(1)->mutable_section()->set_pack(1);
  const auto done = placesFromDifferences(manifest);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
  EXPECT_EQ(done.error().message, "manifest: section of pack 1, there are 1");
}

TEST(ManifestPlaces, NeedNoPartsThatTileTheirTensor) {
  Manifest manifest = example();
  manifest.mutable_tensors(0)->mutable_parts(1)->set_row_count(3);
  manifest.mutable_tensors(1)->mutable_parts()->DeleteSubrange(0, 1);
  const std::string before = manifest.SerializeAsString();
  ASSERT_TRUE(placesToDifferences(manifest));
  ASSERT_TRUE(placesFromDifferences(manifest));
  EXPECT_EQ(manifest.SerializeAsString(), before);
}

TEST(ManifestPlaces, AreOfTensorsThatMakeSense) {
  Manifest manifest = example();
  manifest.mutable_tensors(0)->set_type(99);
  const auto done = placesFromDifferences(manifest);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
}

}  // namespace
}  // namespace strata::test
