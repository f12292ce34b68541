#include "core/ops/versions/rename_versions.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/store_writer.h"
#include "core/transfer/transfer_claim.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

/// A base, two versions of one fine-tune, the newest tagged, and a third in the trash.
class Renaming : public test::StoreFixture {
 protected:
  Renaming() : base_(test::makeModel(1)), first_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *first_, "base");
    second_ = test::makeTuned(*base_, 20);
    add("sst2", *second_, "base");
    third_ = test::makeTuned(*base_, 30);
    add("sst2", *third_, "base");
    EXPECT_TRUE(addTag(store(), {.reference = "sst2:v2", .tag = "prod", .note = "passed"}));
    EXPECT_TRUE(addTag(store(), {.reference = "sst2:v3", .tag = "lab"}));
    EXPECT_TRUE(removeVersions(store(), {.references = {"sst2:v3"}}));
  }

  RenameReport rename(const std::string& name, const std::string& to) {
    auto report = renameVersions(store(), {.name = name, .newName = to});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RenameReport{});
  }

  /// Why it is refused; empty if it is not.
  std::string refusal(const std::string& name, const std::string& to) {
    const auto report = renameVersions(store(), {.name = name, .newName = to});
    if (report) return {};
    EXPECT_TRUE(report.error().code == ErrorCode::InvalidArgument ||
                report.error().code == ErrorCode::NotFound);
    return report.error().message;
  }

  std::string label(const std::string& reference) {
    const auto found = store().resolveChecked(reference);
    return found ? found->label() : found.error().message;
  }

  void expectSound() {
    const auto verified = verifyStore(store(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_TRUE(verified->damages.empty());
  }

  /// What a rename to "tone" has done, whoever finished it.
  void expectMoved() {
    EXPECT_TRUE(comesBack("tone:v1", *first_));
    EXPECT_TRUE(comesBack("tone:v2", *second_));
    EXPECT_EQ(label("tone:prod"), "tone:v2");
    EXPECT_FALSE(store().resolve("sst2"));
    EXPECT_EQ(store().refs().versionNumbers("sst2")->size(), 0U);
    EXPECT_EQ(store().refs().versionNumbers("sst2", Place::Trash)->size(), 0U);
    EXPECT_EQ(*store().refs().readFormerName("tone"), "");
    ASSERT_TRUE(restoreFromTrash(store(), {"tone:v3"}));
    EXPECT_EQ(label("tone:lab"), "tone:v3");
    EXPECT_TRUE(comesBack("tone:v3", *third_));
    expectSound();
  }

  std::unique_ptr<test::MemoryModel> base_, first_, second_, third_;
};

TEST_F(Renaming, MovesVersionsTagsAndTheTrash) {
  const auto before = store().resolve("sst2:v2");
  const RenameReport report = rename("sst2", "tone");
  ASSERT_EQ(report.versions.size(), 2U);
  EXPECT_EQ(report.versions[1].label(), "tone:v2");
  EXPECT_EQ(report.trashedCount, 1U);
  const auto after = store().resolve("tone:v2");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->addedAt, before->addedAt);
  EXPECT_EQ(after->manifestDigest, before->manifestDigest);
  EXPECT_EQ(store().catalog().tags("tone")->front().note, "passed");
  expectMoved();
}

TEST_F(Renaming, SurvivesTheLossOfTheCatalog) {
  rename("sst2", "tone");
  store_.reset();
  std::filesystem::remove(storeFolder() / "catalog.sqlite");
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  expectMoved();
}

TEST_F(Renaming, KeepsDifferencesToARenamedBase) {
  rename("base", "encoder");
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  EXPECT_TRUE(comesBack("encoder", *base_));
  const auto added = add("new", *test::makeTuned(*base_, 40), "encoder");
  EXPECT_EQ(added.version.parentDigest, store().resolve("encoder")->contentDigest);
}

TEST_F(Renaming, NumbersGoOnUnderBothNames) {
  rename("sst2", "tone");
  EXPECT_EQ(add("tone", *test::makeTuned(*base_, 50), "base").version.label(), "tone:v4");
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 60), "base").version.label(), "sst2:v4");
}

TEST_F(Renaming, GoesBackToItsOldNameAlsoByWayOfAThird) {
  rename("sst2", "tone");
  rename("tone", "mood");
  rename("mood", "sst2");
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  EXPECT_EQ(label("sst2:prod"), "sst2:v2");
  rename("sst2", "tone");
  expectMoved();
}

/// What had the name in between went to another one: the numbers are those of the same models.
TEST_F(Renaming, GoesBackWhereAnotherHadTheNameSince) {
  rename("sst2", "tone");
  add("sst2", *test::makeTuned(*base_, 60), "base");
  EXPECT_NE(refusal("tone", "sst2").find("is in use: it has v4"), std::string::npos);
  rename("sst2", "other");
  rename("tone", "sst2");
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  EXPECT_EQ(label("sst2:prod"), "sst2:v2");
  expectSound();
}

TEST_F(Renaming, RefusesNamesThatAreTaken) {
  EXPECT_NE(refusal("sst2", "base").find("is in use: it has v1"), std::string::npos);
  EXPECT_NE(refusal("sst2", "sst2").find("is its name already"), std::string::npos);
  EXPECT_NE(refusal("sst2", "a b").find("name"), std::string::npos);
  EXPECT_NE(refusal("sst2:v1", "tone").find("give the name alone"), std::string::npos);
  EXPECT_NE(refusal("none", "tone").find("nothing has this name"), std::string::npos);
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}, .allVersions = true}));
  EXPECT_NE(refusal("sst2", "tone").find("in the trash"), std::string::npos);
  EXPECT_NE(refusal("base", "sst2").find("versions in the trash: v1, v2, v3"), std::string::npos);
  // Gone for good, its numbers are not given again.
  ASSERT_TRUE(emptyTrash(store(), {}));
  EXPECT_NE(refusal("base", "sst2").find("up to v3"), std::string::npos);
  EXPECT_EQ(label("base"), "base:v1");
}

TEST_F(Renaming, RefusesWhileAPushNamesIt) {
  TransferRequest push{.direction = TransferRequest::Direction::Push, .remote = "hub"};
  push.references = {"sst2:v2"};
  const auto claim = TransferClaim::take(store(), push, TransferEntry::State::Running, 1);
  EXPECT_NE(refusal("sst2", "tone").find("push to hub is not over (transfer 1)"),
            std::string::npos);
  claim->finish();
  EXPECT_EQ(refusal("sst2", "tone"), "");
}

TEST_F(Renaming, ChangesNothingInADryRunOrWhereARefIsDamaged) {
  const auto trial = renameVersions(store(), {.name = "sst2", .newName = "tone", .dryRun = true});
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->versions[0].label(), "tone:v1");
  std::ofstream(store().refs().tagPath("sst2", "prod"), std::ios::app) << "x";
  const auto refused = renameVersions(store(), {.name = "sst2", .newName = "tone"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  EXPECT_EQ(store().refs().versionNumbers("tone")->size(), 0U);
}

/// As far as a writer came that died.
TEST_F(Renaming, IsFinishedByTheNextWriterAfterEachStep) {
  ASSERT_TRUE(copyRefs(store().refs(), "sst2", "tone"));
  EXPECT_EQ(label("sst2:prod"), "sst2:v2");  // by the catalog, until somebody settles it
  EXPECT_TRUE(comesBack("sst2:v1", *first_));
  ASSERT_TRUE(store().refs().eraseVersion("sst2", 1));
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  expectMoved();
}

TEST_F(Renaming, LeavesADamagedRefWhereItIsWhenItIsFinished) {
  ASSERT_TRUE(copyRefs(store().refs(), "sst2", "tone"));
  std::ofstream(store().refs().versionPath("sst2", 1), std::ios::trunc) << "x";
  const auto rebuilt = Store::rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_EQ(rebuilt->problems.size(), 1U);
  reopen();
  EXPECT_TRUE(comesBack("tone:v1", *first_));
  EXPECT_EQ(store().refs().versionNumbers("sst2")->size(), 1U);
}

/// The catalog knows which numbers were used before.
TEST_F(Renaming, IsRefusedByNumbersThatADamagedFileHeld) {
  add("other", *test::makeTuned(*base_, 40), "base");
  ASSERT_TRUE(removeVersions(store(), {.references = {"other"}, .now = true}));
  test::writeWhole(store().refs().lastNumberPath("other"), "cut");
  EXPECT_NE(refusal("sst2", "other").find("up to v1"), std::string::npos);
  EXPECT_EQ(label("sst2:prod"), "sst2:v2");
  add("other", *test::makeTuned(*base_, 41), "base");
  EXPECT_EQ(label("other"), "other:v2");
  expectSound();
}

/// A version of the former name that was deleted for good since, and that another stands on.
TEST_F(Renaming, GoesBackBesideWhatIsKeptOfTheFormerName) {
  rename("sst2", "tone");
  const auto fourth = test::makeTuned(*base_, 40);
  EXPECT_EQ(add("sst2", *fourth, "base").version.label(), "sst2:v4");
  const auto child = test::makeTuned(*fourth, 41);
  add("child", *child, "sst2:v4");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}, .now = true}));
  EXPECT_TRUE(store().refs().readVersion("sst2", 4, Place::Trash)->isUnlisted);
  rename("tone", "sst2");
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  EXPECT_TRUE(comesBack("child", *child));
  expectSound();
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 42), "base").version.label(), "sst2:v5");
  rename("sst2", "tone");
  EXPECT_TRUE(comesBack("child", *child));
  expectSound();
}

/// A number that was another model's meanwhile is not used again.
TEST_F(Renaming, DoesNotGiveNumbersASecondMeaningOnTheWayBack) {
  rename("sst2", "tone");
  add("sst2", *test::makeTuned(*base_, 40), "base");
  add("tone", *test::makeTuned(*base_, 41), "base");
  EXPECT_EQ(label("sst2"), "sst2:v4");
  EXPECT_EQ(label("tone"), "tone:v4");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v4"}, .now = true}));
  EXPECT_NE(refusal("tone", "sst2").find("sst2:v4 was another model"), std::string::npos);
  EXPECT_EQ(label("tone"), "tone:v4");
  expectSound();
}

}  // namespace
}  // namespace strata
