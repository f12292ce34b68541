#include <gtest/gtest.h>

#include "tests/support/hostile_store.h"

namespace strata::test {
namespace {

/// Damages each byte of an object in turn: an error, or the files as they were, never others.
class DamagedStore : public testing::Test {
 protected:
  void SetUp() override { expected_ = filesOf(*pair_.variant); }

  Result<Files> restoreAll() const {
    STRATA_TRY(const Reader base, pair_.store.open(pair_.baseReport.manifestDigest));
    STRATA_TRY(const Reader variant, pair_.store.open(pair_.variantReport.manifestDigest, base));
    return restored(*variant);
  }

  void expectNothingBelieved(const Digest& object) {
    auto& bytes = pair_.store.objects.at(object);
    std::size_t harmless = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto flip = static_cast<std::byte>(i % 9 == 8 ? 0xff : 1 << (i % 9));
      bytes[i] ^= flip;
      const auto files = restoreAll();
      bytes[i] ^= flip;
      if (!files) continue;
      ++harmless;
      ASSERT_TRUE(*files == expected_) << "byte " << i << " of " << bytes.size();
    }
    EXPECT_LT(harmless, bytes.size() / 4) << "of " << bytes.size();
  }

  SmallPair pair_;
  Files expected_;
};

TEST_F(DamagedStore, IsWholeBeforeItIsDamaged) {
  const auto files = restoreAll();
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_TRUE(*files == expected_);
  const Manifest& manifest = pair_.variantReport.manifest;
  EXPECT_GT(manifest.tables.size(), 0) << "has shared tables";
  EXPECT_TRUE(manifest.tensors[0].parts[0].view->transposed);
  EXPECT_GT(manifest.tensors[1].parts.size(), 1);
  EXPECT_NE(manifest.tensors[3].parts[0].view->type, ElementType::BF16);
  EXPECT_TRUE(manifest.tensors[4].parts[0].view->own);
  EXPECT_TRUE(manifest.files[0].skeletonParent);
}

TEST_F(DamagedStore, GivesNoOtherBytesForAnyByteOfTheVersionsPack) {
  expectNothingBelieved(pair_.variantReport.manifest.packs[0]);
}

TEST_F(DamagedStore, GivesNoOtherBytesForAnyByteOfTheBasesPack) {
  expectNothingBelieved(pair_.baseReport.manifest.packs[0]);
}

TEST_F(DamagedStore, GivesNoOtherBytesForAnyByteOfTheManifests) {
  expectNothingBelieved(pair_.variantReport.manifestDigest);
  expectNothingBelieved(pair_.baseReport.manifestDigest);
}

}  // namespace
}  // namespace strata::test
