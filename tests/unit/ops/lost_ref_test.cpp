#include <gtest/gtest.h>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/edit_note.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::MissingRef;
using Labels = std::vector<std::string>;

TEST_F(MissingRef, IsSetAsideIfNothingElseKnowsWhatItSaid) {
  const auto next = test::makeTuned(*tuned_, 11);
  add(*next, {.name = "sst2", .chain = ChainPolicy::Always});
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "");
  loseCatalog();
  EXPECT_FALSE(verify().sound());
  EXPECT_FALSE(collect());
  const RecoverReport report = recover();
  EXPECT_EQ(report.setAside, std::vector<fs::path>{ref.string() + ".damaged"});
  EXPECT_EQ(report.named, Labels{"recovered:v1"});
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(collect());
  EXPECT_TRUE(comesBack("recovered:v1", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *next));
  EXPECT_TRUE(recover().setAside.empty());
}

TEST_F(MissingRef, IsSetAsideOnlyAfterWhatItMayHaveNamedHasAnotherName) {
  const auto objects = store().catalog().objectsOf(store().resolve("sst2")->manifestDigest);
  for (const CatalogObject& object : objects.value()) {
    if (!object.isManifest) fs::remove(store().objects().pathOf(object.digest));
  }
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "");
  loseCatalog();
  const std::size_t count = objectCount();
  const RecoverReport report = recover();
  EXPECT_EQ(report.setAside, std::vector<fs::path>{ref.string() + ".damaged"});
  EXPECT_EQ(report.named, Labels{"recovered:v1"});
  const VerifyReport verified = verify();
  EXPECT_EQ(verified.damagedVersions, Labels{"recovered:v1"});
  EXPECT_EQ(verified.setAside, report.setAside);
  EXPECT_TRUE(verified.foreign.empty());
  ASSERT_TRUE(collect(true));
  EXPECT_EQ(objectCount(), count);
  add(*tuned_, {.name = "again"});
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("recovered:v1", *tuned_));
}

TEST_F(MissingRef, OfATagIsDamageForEachWriterAfterAKill) {
  ASSERT_TRUE(fs::remove(store().refs().tagPath("sst2", "prod")));
  for (int writer = 0; writer < 2; ++writer) {
    leaveMark();
    settle();
    const VerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_EQ(report.damages[0].path, store().refs().tagPath("sst2", "prod"));
  }
  recover();
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, LeavesNothingOfAKilledWriterWhereTheCatalogIsWrittenAnew) {
  test::writeWhole(storeFolder() / "tmp" / "left.tmp", "left");
  leaveMark();
  loseCatalog();
  EXPECT_FALSE(fs::exists(storeFolder() / "tmp" / "left.tmp"));
}

TEST_F(MissingRef, OfAParentDoesNotKeepItsModelFromBeingAddedAgain) {
  const auto next = test::makeTuned(*tuned_, 11);
  add(*next, {.name = "sst2", .chain = ChainPolicy::Always});
  loseRef("sst2");
  loseCatalog();
  ASSERT_FALSE(comesBack("sst2:v2", *next));
  // By its base, for the newest version of the name cannot be read.
  add(*tuned_, {.name = "sst2"});
  EXPECT_TRUE(comesBack("sst2:v3", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *next));
}

TEST_F(MissingRef, IsDamageForEachWriterAfterAKill) {
  const std::size_t objects = objectCount();
  loseRef("base");
  leaveMark();
  for (int writer = 0; writer < 2; ++writer) {
    settle();
    const VerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_EQ(report.damages[0].reason, "is missing; its model is still here");
    EXPECT_EQ(report.damagedVersions, Labels{"base:v1"});
    EXPECT_EQ(collect().error().code, ErrorCode::CorruptData);
    EXPECT_EQ(emptyTrash(store(), {}).error().code, ErrorCode::CorruptData);
    EXPECT_EQ(objectCount(), objects);
  }
  EXPECT_EQ(recover().rewritten, Labels{"base:v1"});
  expectSound();
  EXPECT_TRUE(comesBack("base", *base_));
  EXPECT_TRUE(collect()->freed.empty());
}

TEST_F(MissingRef, IsWrittenAnewWithTheCatalog) {
  loseRef("base");
  store_.reset();
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_EQ(rebuilt->rescued, Labels{"base:v1"});
  EXPECT_TRUE(rebuilt->problems.empty());
  reopen();
  expectSound();
  EXPECT_TRUE(comesBack("base", *base_));
}

TEST_F(MissingRef, IsAProblemWhereItsManifestIsLostToo) {
  const fs::path manifest = store().objects().pathOf(store().resolve("base")->manifestDigest);
  const std::string bytes = test::readWhole(manifest);
  fs::remove(manifest);
  loseRef("base");
  const RebuildReport rebuilt = rebuild();
  EXPECT_EQ(rebuilt.rescued, Labels{"base:v1"});
  ASSERT_EQ(rebuilt.problems.size(), 1U);
  EXPECT_EQ(rebuilt.problems[0].find("base:v1: "), 0U) << rebuilt.problems[0];
  // Whoever brings the manifest back finds the version as it was.
  test::writeWhole(manifest, bytes);
  EXPECT_TRUE(rebuild().problems.empty());
  expectSound();
  EXPECT_TRUE(comesBack("base:v1", *base_));
}

TEST_F(MissingRef, DamagedIsWrittenAnewWithTheCatalog) {
  ASSERT_TRUE(editNote(store(), {.reference = "sst2", .text = "kept"}));
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "{");
  const RebuildReport rebuilt = rebuild();
  EXPECT_EQ(rebuilt.rescued, Labels{"sst2:v1"});
  EXPECT_TRUE(rebuilt.problems.empty());
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->note, "kept");
}

TEST_F(MissingRef, DamagedInTheTrashIsWrittenAnewWithTheCatalog) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  test::writeWhole(store().refs().versionPath("sst2", 1, Place::Trash), "{");
  EXPECT_EQ(rebuild().rescued, Labels{"sst2:v1"});
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, DamagedStaysBesideTheNewOneWhereItsManifestIsLost) {
  const fs::path manifest = store().objects().pathOf(store().resolve("sst2")->manifestDigest);
  const std::string bytes = test::readWhole(manifest);
  fs::remove(manifest);
  const fs::path ref = store().refs().versionPath("sst2", 1);
  test::writeWhole(ref, "{");
  const RebuildReport rebuilt = rebuild();
  EXPECT_EQ(rebuilt.setAside, std::vector<fs::path>{ref.string() + ".damaged"});
  EXPECT_EQ(rebuilt.problems.size(), 1U);
  EXPECT_EQ(verify().damagedVersions, Labels{"sst2:v1"});
  recover();
  test::writeWhole(manifest, bytes);
  EXPECT_TRUE(rebuild().problems.empty());
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(MissingRef, ThatIsALinkStaysForWhoeverPutItThere) {
  const fs::path ref = store().refs().versionPath("sst2", 1);
  fs::remove(ref);
  fs::create_symlink("elsewhere", ref);
  EXPECT_EQ(rebuild().problems.size(), 1U);
  EXPECT_TRUE(fs::is_symlink(ref));
}

TEST_F(MissingRef, OfTheTrashIsDamageToo) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  loseRef("sst2", Place::Trash);
  leaveMark();
  settle();
  EXPECT_EQ(verify().damagedVersions, Labels{"sst2:v1"});
  EXPECT_FALSE(emptyTrash(store(), {}));
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, KeepsTheTagOfItsVersion) {
  loseRef("sst2");
  leaveMark();
  settle();
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
  fs::remove(store().refs().tagPath("sst2", "prod"));
  EXPECT_FALSE(verify().sound());
  recover();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
  expectSound();
}

TEST_F(MissingRef, WithTheFolderOfItsNameComesBackWithItsTagAtOnce) {
  const std::filesystem::path folder = store().refs().versionPath("sst2", 1).parent_path();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(recover().rewritten, std::vector<std::string>{"sst2:v1"});
  expectSound();
  EXPECT_EQ(store().resolve("sst2:prod")->label(), "sst2:v1");
}

TEST_F(MissingRef, DoesNotKeepOtherVersionsFromTheirRestore) {
  const auto second = test::makeTuned(*base_, 11);
  add("sst2", *second, "base");
  loseRef("sst2");
  EXPECT_TRUE(comesBack("sst2:v2", *second));
  EXPECT_EQ(test::restoredBytes(store(), "sst2:v1").error().code, ErrorCode::CorruptData);
}

TEST_F(MissingRef, OfAParentWithTheCatalogLeavesItsObjects) {
  loseRef("base");
  loseCatalog();
  const std::size_t objects = objectCount();
  const VerifyReport report = verify();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::Parent);
  EXPECT_EQ(report.damages[0].reason, "has lost its ref; its model is still here");
  EXPECT_EQ(report.damages[0].versions, Labels{"sst2:v1"});
  const auto collected = collect(true);
  ASSERT_TRUE(collected) << collected.error().message;
  EXPECT_EQ(objectCount(), objects);
  EXPECT_EQ(recover().named, Labels{"recovered:v1"});
  expectSound();
  EXPECT_TRUE(comesBack("recovered", *base_));
}

TEST_F(MissingRef, OfAParentThatIsNowhereStopsAllDeleting) {
  fs::remove(store().objects().pathOf(store().resolve("base")->manifestDigest));
  loseRef("base");
  loseCatalog();
  const std::size_t objects = objectCount();
  const VerifyReport report = verify(VerifyOptions::Level::Quick);
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages[0].reason, "is not in this store");
  const auto refused = collect();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_NE(refused.error().message.find("sst2:v1: its parent"), std::string::npos);
  EXPECT_EQ(objectCount(), objects);
  // As the message says.
  import("base", *base_);
  EXPECT_TRUE(collect());
  expectSound();
}

TEST_F(MissingRef, OfAChildWithTheCatalogKeepsItsParent) {
  const std::size_t objects = objectCount();
  loseRef("sst2");
  loseCatalog();
  ASSERT_EQ(verify().unnamed.size(), 1U);
  ASSERT_TRUE(removeVersions(store(), {.references = {"base"}, .now = true}));
  ASSERT_TRUE(collect());
  EXPECT_EQ(objectCount(), objects);
  EXPECT_EQ(verify().unnamed.size(), 2U);
  EXPECT_EQ(recover().named, (Labels{"recovered:v1", "recovered:v2"}));
  EXPECT_TRUE(comesBack("recovered:v1", *base_));
  EXPECT_TRUE(comesBack("recovered:v2", *tuned_));
  EXPECT_TRUE(verify().unnamed.empty());
}

TEST_F(MissingRef, OfAChildGoesWithItsParentIfAskedFor) {
  loseRef("sst2");
  loseCatalog();
  ASSERT_TRUE(removeVersions(store(), {.references = {"base"}}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(collect(true));
  EXPECT_EQ(objectCount(), 0U);
}

TEST_F(MissingRef, WithoutTheCatalogLeavesAModelThatGcNames) {
  const auto alone = test::makeModel(70);
  import("alone", *alone);
  loseRef("alone");
  loseCatalog();
  const VerifyReport named = verify();
  EXPECT_TRUE(named.sound());
  ASSERT_EQ(named.unnamed.size(), 1U);
  const auto kept = collect();
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_EQ(kept->unnamed.size(), 1U);
  EXPECT_TRUE(kept->freed.empty());
  EXPECT_EQ(recover().named, Labels{"recovered:v1"});
  EXPECT_TRUE(comesBack("recovered", *alone));
  loseRef("recovered");
  loseCatalog();
  const auto freed = collect(true);
  EXPECT_EQ(freed->freed.size(), freed->unnamed.front().objects.size());
  expectSound();
}

TEST_F(MissingRef, DoesNotGiveItsNumberToAnotherModel) {
  loseRef("sst2");
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 12)).version.label(), "sst2:v2");
  EXPECT_EQ(recover().rewritten, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
}

}  // namespace
}  // namespace strata
