#include <gtest/gtest.h>

#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// `last.json` of a name says which numbers are used up. It is lost after v2 of v1 to v3 was
/// deleted for good.
class LostNumbersOfName : public test::MissingRef {
 protected:
  LostNumbersOfName() {
    add("sst2", *second_, "base");
    add("sst2", *test::makeTuned(*base_, 21), "base");
    deleteForGood("sst2:v2");
    text_ = test::readWhole(file());
    EXPECT_TRUE(verify().sound());
  }

  fs::path file(const std::string& name = "sst2") { return store().refs().lastNumberPath(name); }

  void deleteForGood(const std::string& reference) {
    const auto removed = removeVersions(store(), {.references = {reference}, .now = true});
    ASSERT_TRUE(removed) << removed.error().message;
  }

  /// The number that a pull of a version of sst2 gives the base's content.
  std::string pulledAs(std::uint32_t number) {
    VersionRef ref = store().refs().readVersion("base", 1).value();
    const auto manifest = readManifest(store(), ref.manifestDigest, ref.contentDigest);
    ref.name = "sst2";
    ref.number = number;
    const auto writer = store().lock("pull");
    if (!writer || !manifest) return "no writer";
    const auto entry = (*writer)->adoptVersion(
        {ref, summarize(*manifest, ref.manifestDigest, store().objects()), {}});
    return entry ? entry->label() : entry.error().message;
  }

  void expectOneDamage(const fs::path& path, const std::string& reason) {
    const VerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_EQ(report.damages[0].path, path);
    EXPECT_NE(report.damages[0].reason.find(reason), std::string::npos) << report.damages[0].reason;
  }

  const std::unique_ptr<test::MemoryModel> second_ = test::makeTuned(*base_, 20);
  std::string text_;
};

TEST_F(LostNumbersOfName, AreDamageThatARepairBringsBack) {
  ASSERT_TRUE(fs::remove(file()));
  expectOneDamage(file(), "is missing: it says which numbers up to v3 are used up");
  recover();
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(test::readWhole(file()), text_);
}

TEST_F(LostNumbersOfName, AreGivenToNoOtherContent) {
  ASSERT_TRUE(fs::remove(file()));
  EXPECT_EQ(pulledAs(2), "sst2:v4");
  EXPECT_TRUE(verify().sound());
}

TEST_F(LostNumbersOfName, AreGivenToNoOtherContentOnceTheCatalogIsWrittenAnew) {
  ASSERT_TRUE(fs::remove(file()));
  EXPECT_TRUE(rebuild().problems.empty());
  EXPECT_EQ(test::readWhole(file()), text_);
  EXPECT_EQ(pulledAs(2), "sst2:v4");
}

TEST_F(LostNumbersOfName, ComeBackWithTheFolderOfAName) {
  deleteForGood("sst2:v1");
  deleteForGood("sst2:v3");
  text_ = test::readWhole(file());
  fs::remove_all(file().parent_path());
  expectOneDamage(file(), "is missing");
  EXPECT_EQ(pulledAs(1), "sst2:v4");
  EXPECT_EQ(test::readWhole(file()), text_);
}

TEST_F(LostNumbersOfName, OfAnOlderCopyAreThoseOfBoth) {
  deleteForGood("sst2:v3");
  const std::string newer = test::readWhole(file());
  test::writeWhole(file(), text_);
  expectOneDamage(file(), "is an older copy");
  EXPECT_EQ(pulledAs(3), "sst2:v4");
  EXPECT_EQ(test::readWhole(file()), newer);
  test::writeWhole(file(), text_);
  recover();
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(test::readWhole(file()), newer);
}

TEST_F(LostNumbersOfName, OfADamagedFileComeBackWhole) {
  test::writeWhole(file(), "cut");
  EXPECT_EQ(verify().damages.size(), 1U);
  EXPECT_EQ(pulledAs(2), "sst2:v4");
  EXPECT_EQ(test::readWhole(file()), text_);
  test::writeWhole(file(), "cut");
  recover();
  EXPECT_TRUE(verify().sound());
  const auto last = store().refs().readLastNumber("sst2");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->number, 4U);
  EXPECT_EQ(last->former.size(), 1U);
  EXPECT_EQ(last->unknownTo, 0U);
}

TEST_F(LostNumbersOfName, AreKnownOfWhatARenameTookAway) {
  ASSERT_TRUE(renameVersions(store(), {.name = "sst2", .newName = "org/mood"}));
  EXPECT_TRUE(verify().sound());
  const std::string here = test::readWhole(file());
  ASSERT_TRUE(fs::remove(file()));
  expectOneDamage(file(), "is missing");
  EXPECT_EQ(pulledAs(1), "sst2:v4");
  EXPECT_EQ(test::readWhole(file()), here);
  ASSERT_TRUE(fs::remove(file("org/mood")));
  expectOneDamage(file("org/mood"), "is missing");
}

/// The loss stays known where further numbers are given and deleted before anybody verifies.
TEST_F(LostNumbersOfName, StayKnownWhileWritersGoOn) {
  ASSERT_TRUE(fs::remove(file()));
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 22), "base").version.label(), "sst2:v4");
  deleteForGood("sst2:v4");
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(pulledAs(2), "sst2:v5");
  const auto last = store().refs().readLastNumber("sst2");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->former.size(), 2U);
  EXPECT_EQ(last->unknownTo, 0U);
}

/// Numbers that a store never gave are no loss.
TEST_F(LostNumbersOfName, AreNotThoseThatWereNeverGiven) {
  EXPECT_EQ(pulledAs(9), "sst2:v9");
  EXPECT_EQ(pulledAs(7), "sst2:v7");
  EXPECT_TRUE(verify().sound());
  ASSERT_TRUE(fs::remove(file()));
  EXPECT_EQ(pulledAs(5), "sst2:v5");
}

}  // namespace
}  // namespace strata
