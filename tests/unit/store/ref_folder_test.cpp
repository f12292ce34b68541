#include "core/store/refs/ref_folder.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

VersionRef sampleRef() {
  VersionRef ref;
  ref.name = "sst2";
  ref.number = 3;
  ref.contentDigest = sha256(std::as_bytes(std::span("content")));
  ref.manifestDigest = sha256(std::as_bytes(std::span("manifest")));
  ref.addedAt = 1'773'000'000;
  ref.note = "lr 2e-5, \"quoted\"\n\xC3\xA9poque";
  ref.license = "Apache-2.0";
  ref.sourceUrl = "hf://org/repo@rev";
  ref.storedBytes = 17'100'000;
  ref.probe = 0xFEDCBA9876543210;
  ref.signature = std::string("\0\xFFsig", 5);
  ref.tags = {{"sst2", "prod", 3, "ready", 1'773'000'001}};
  ref.awaited = AwaitedPacks{"hub", "sst2:v7", {17'000'000, 99'538}};
  return ref;
}

class RefFolderTest : public ::testing::Test {
 protected:
  RefFolderTest() : refs_(folder_.path()) {
    for (const char* name : {"refs", "trash", "tmp"}) fs::create_directory(folder_ / name);
  }

  const test::TempFolder folder_;
  const RefFolder refs_;
};

TEST(VersionRef, ComesBackFromItsText) {
  const auto parsed = parseVersionRef(serializeVersionRef(sampleRef()));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, sampleRef());
}

TEST(VersionRef, SaysNothingOfPacksThatItDoesNotAwait) {
  VersionRef ref = sampleRef();
  ref.awaited.reset();
  const std::string text = serializeVersionRef(ref);
  EXPECT_EQ(text.find("awaited"), std::string::npos);
  EXPECT_EQ(parseVersionRef(text), ref);
}

TEST(VersionRef, RefusesEveryFlippedBitAndEveryCut) {
  const std::string text = serializeVersionRef(sampleRef());
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const auto parsed = parseVersionRef(damaged);
    ASSERT_FALSE(parsed) << "bit " << bit;
    EXPECT_EQ(parsed.error().code, ErrorCode::CorruptData);
  }
  for (std::size_t kept = 0; kept < text.size(); ++kept) {
    EXPECT_FALSE(parseVersionRef(std::string_view(text).substr(0, kept))) << kept;
  }
}

TEST(TagRef, ComesBackFromItsText) {
  const TagRef tag{"sst2", "prod", 3, "ready", 1'773'000'001};
  const auto parsed = parseTagRef(serializeTagRef(tag));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, tag);
  EXPECT_FALSE(parseVersionRef(serializeTagRef(tag)));
}

TEST_F(RefFolderTest, ListsWhatWasWritten) {
  VersionRef ref = sampleRef();
  ref.tags.clear();
  ASSERT_TRUE(refs_.writeVersion(ref));
  ref.number = 12;
  ASSERT_TRUE(refs_.writeVersion(ref));
  ref.number = 2;
  ASSERT_TRUE(refs_.writeTrashed(ref));
  ASSERT_TRUE(refs_.writeTag({"sst2", "prod", 3, {}, 1}));
  const auto numbers = refs_.versionNumbers();
  ASSERT_TRUE(numbers);
  EXPECT_EQ(*numbers, (RefFolder::Numbers{{"sst2", {3, 12}}}));
  EXPECT_EQ(*refs_.versionNumbers(Place::Trash), (RefFolder::Numbers{{"sst2", {2}}}));
  EXPECT_EQ(*refs_.tagNames("sst2"), (std::vector<std::string>{"prod"}));
  EXPECT_EQ(refs_.readVersion("sst2", 12)->number, 12U);
  EXPECT_EQ(refs_.readTag("sst2", "prod")->number, 3U);
  EXPECT_EQ(test::entryCount(folder_ / "tmp"), 0U);
}

TEST_F(RefFolderTest, ErasesFoldersWithTheirLastFile) {
  ASSERT_TRUE(refs_.writeVersion(sampleRef()));
  ASSERT_TRUE(refs_.writeTag({"sst2", "prod", 3, {}, 1}));
  ASSERT_TRUE(refs_.eraseVersion("sst2", 3));
  ASSERT_TRUE(refs_.eraseTag("sst2", "prod"));
  ASSERT_TRUE(refs_.eraseTag("sst2", "prod"));
  EXPECT_EQ(test::entryCount(folder_ / "refs"), 0U);
}

TEST_F(RefFolderTest, NoticesAFileInAnotherPlace) {
  ASSERT_TRUE(refs_.writeVersion(sampleRef()));
  fs::copy_file(refs_.versionPath("sst2", 3), refs_.versionPath("sst2", 4));
  const auto read = refs_.readVersion("sst2", 4);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::CorruptData);
  EXPECT_NE(read.error().message.find("sst2:v3"), std::string::npos);
}

TEST_F(RefFolderTest, RemembersTheLastNumber) {
  EXPECT_EQ(refs_.readLastNumber("sst2")->number, 0U);
  ASSERT_TRUE(refs_.writeLastNumber("sst2", {7}));
  EXPECT_EQ(refs_.readLastNumber("sst2")->number, 7U);
  EXPECT_EQ(*refs_.names(), (std::vector<std::string>{"sst2"}));
}

TEST_F(RefFolderTest, RemembersWhatNumbersStoodFor) {
  const Digest content = sampleRef().contentDigest;
  const std::string digits = toHex(content).substr(0, LastNumber::kFormerDigits);
  ASSERT_TRUE(refs_.writeLastNumber("sst2", {7, "mood", {{3, digits}}, 2}));
  const auto last = refs_.readLastNumber("sst2");
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->movedTo, "mood");
  EXPECT_TRUE(last->allows(3, content));
  EXPECT_FALSE(last->allows(3, Digest{}));
  EXPECT_FALSE(last->allows(2, content));
  EXPECT_TRUE(last->allows(4, Digest{}));
  // A number above the highest is none that it had.
  ASSERT_TRUE(refs_.writeLastNumber("sst2", {2, {}, {{3, digits}}}));
  EXPECT_EQ(refs_.readLastNumber("sst2").error().code, ErrorCode::CorruptData);
}

TEST_F(RefFolderTest, DoesNotKnowWhatNumbersOfAnEarlierProgramStoodFor) {
  ASSERT_TRUE(refs_.writeLastNumber("sst2", {7}));
  EXPECT_TRUE(refs_.readLastNumber("sst2")->allows(3, Digest{})) << "it had no versions that left";
  // What earlier programs wrote, which kept the number alone.
  test::writeWhole(refs_.lastNumberPath("sst2"), serializeTagRef({"sst2", "last", 7, "mood"}));
  for (const bool isWrittenAnew : {false, true}) {
    const auto last = refs_.readLastNumber("sst2");
    ASSERT_TRUE(last) << last.error().message;
    EXPECT_EQ(last->number, 7U);
    EXPECT_EQ(last->movedTo, "mood");
    EXPECT_FALSE(last->allows(7, Digest{})) << isWrittenAnew;
    EXPECT_TRUE(last->allows(8, Digest{})) << isWrittenAnew;
    ASSERT_TRUE(refs_.writeLastNumber("sst2", *last));
  }
}

}  // namespace
}  // namespace strata
