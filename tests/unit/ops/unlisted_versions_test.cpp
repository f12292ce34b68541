#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/archive/write/version_writer.h"
#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_objects.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/show_version.h"
#include "core/ops/inspect/store_info.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/objects/version_chain.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// A base and a chain of versions of one name, each a difference to the one before.
class UnlistedVersions : public test::StoreFixture {
 protected:
  static constexpr std::size_t kVersions = 5;

  UnlistedVersions() : base_(test::makeModel(1)) {
    import("base", *base_);
    const test::MemoryModel* last = base_.get();
    for (std::size_t i = 0; i < kVersions; ++i) {
      models_.push_back(test::makeTuned(*last, 10 + static_cast<unsigned>(i), 0.1));
      last = models_.back().get();
      AddOptions options;
      options.name = "run";
      options.chain = ChainPolicy::Always;
      add(*last, options);
    }
  }

  RemoveReport remove(std::vector<std::string> references, bool now = false) {
    const auto report = removeVersions(store(), {.references = std::move(references), .now = now});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RemoveReport{});
  }

  EmptyTrashReport empty() {
    const auto report = emptyTrash(store(), {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(EmptyTrashReport{});
  }

  void expectSound() {
    const auto report = verifyStore(store(), {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.reason;
    EXPECT_TRUE(report->unnamed.empty());
    const auto garbage = collectGarbage(store(), {}, {});
    ASSERT_TRUE(garbage) << garbage.error().message;
    EXPECT_TRUE(garbage->freed.empty());
  }

  void expectLastTwo() {
    EXPECT_TRUE(comesBack("run:v4", *models_[3]));
    EXPECT_TRUE(comesBack("run:v5", *models_[4]));
  }

  std::unique_ptr<test::MemoryModel> base_;
  std::vector<std::unique_ptr<test::MemoryModel>> models_;
};

/// With its base the content is rebuilt as the other name has it.
TEST_F(UnlistedVersions, AVersionWhoseContentAnotherNameHasIsNotNeeded) {
  add("other", *models_[0]);
  const RemoveReport removed = remove({"run:v*", "base"});
  ASSERT_EQ(removed.needed.size(), 1U);
  EXPECT_EQ(removed.needed[0].label(), "base:v1");
  empty();
  EXPECT_TRUE(comesBack("other", *models_[0]));
  expectSound();
}

TEST_F(UnlistedVersions, LeaveTheLastVersionsOfAChain) {
  remove({"base", "run:v1", "run:v2", "run:v3"});
  expectLastTwo();
  expectSound();
  empty();
  expectLastTwo();
  expectSound();
  const auto all = listVersions(store(), {.allVersions = true});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->rows.size(), 2U);
  EXPECT_EQ(all->rows[0].version.label(), "run:v5");
  EXPECT_EQ(all->rows[0].parentLabel, "run:v4");
  const std::string parent = "@" + shortHex(*all->rows[1].version.parentDigest);
  EXPECT_EQ(all->rows[1].parentLabel, parent);
  EXPECT_EQ(showVersion(store(), {.reference = "run:v4"})->parentLabel, parent);
  EXPECT_TRUE(listTrash(store())->versions.empty());
  const auto info = storeInfo(store());
  EXPECT_EQ(info->trashedVersions, 0U);
  EXPECT_EQ(info->trashBytes, 0U);
  // A catalog that is made anew from the refs knows no more and no less.
  store_.reset();
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  expectLastTwo();
  expectSound();
  EXPECT_TRUE(listTrash(store())->versions.empty());
}

/// As an earlier program stored a quantized version that came to be its own base again.
TEST_F(UnlistedVersions, StayForADifferenceToItsOwnContent) {
  const VersionEntry base = *store().resolve("base");
  const auto reader = openVersion(store(), base.contentDigest);
  ASSERT_TRUE(reader);
  const auto staged = StagedObjects::make(storeFolder());
  ASSERT_TRUE(staged);
  const auto written = writeVersion(*base_, *reader, {}, **staged, {}, {});
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_EQ(written->contentDigest, base.contentDigest);
  {
    const auto writer = store().lock("add");
    ASSERT_TRUE((*writer)->take(**staged));
    VersionRef twin;
    twin.name = "twin";
    twin.contentDigest = written->contentDigest;
    twin.manifestDigest = written->manifestDigest;
    ASSERT_TRUE((*writer)->addVersion(
        twin, summarize(written->manifest, written->manifestDigest, store().objects()), {}));
  }
  const RemoveReport removed = remove({"base"}, true);
  EXPECT_EQ(removed.freedBytes, 0U);
  EXPECT_TRUE(comesBack("twin", *base_));
  expectLastTwo();
  expectSound();
  // Without the base it is damage that each check sees.
  fs::remove(store().refs().versionPath("base", 1, Place::Trash));
  store_.reset();
  fs::remove(storeFolder() / "catalog.sqlite");
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  const auto quick = verifyStore(store(), {.level = VerifyOptions::Level::Quick}, {}, {});
  ASSERT_TRUE(quick);
  EXPECT_FALSE(quick->damages.empty());
}

TEST_F(UnlistedVersions, CannotComeBackByName) {
  remove({"run:v2"});
  empty();
  const auto refused = restoreFromTrash(store(), {"run:v2"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(store().resolve("run:v2").error().message, HasSubstr("removed for good"));
  EXPECT_EQ(findRemoved(store().catalog(), "run:v2"), std::nullopt);
  // Its number is not given out again.
  remove({"run:v5"}, true);
  AddOptions options;
  options.name = "run";
  EXPECT_EQ(add(*test::makeTuned(*base_, 77), options).version.number, 6U);
}

TEST_F(UnlistedVersions, GoWithTheLastDifferenceToThem) {
  remove({"base", "run:v1", "run:v2", "run:v3", "run:v4"});
  const auto emptied = empty();
  EXPECT_EQ(emptied.versions.size(), 5U);
  EXPECT_EQ(emptied.needed.size(), 5U);
  EXPECT_EQ(emptied.freedBytes, 0U);
  EXPECT_TRUE(comesBack("run:v5", *models_[4]));
  const std::uint64_t bytes = bytesOnDisk();
  const auto removed = remove({"run:v5"});
  EXPECT_EQ(removed.freeableBytes, bytes);
  EXPECT_EQ(listTrash(store())->freeableBytes, bytes);
  const auto dry = emptyTrash(store(), {.dryRun = true});
  EXPECT_EQ(dry->freedBytes, bytes);
  EXPECT_EQ(empty().freedBytes, bytes);
  EXPECT_EQ(bytesOnDisk(), 0U);
}

TEST_F(UnlistedVersions, AreToldFromWhatBecomesFree) {
  const std::uint64_t before = bytesOnDisk();
  const auto both = remove({"run:v4", "run:v5"});
  EXPECT_TRUE(both.needed.empty());
  EXPECT_EQ(both.neededBytes, 0U);
  EXPECT_GT(both.freeableBytes, 0U);
  const auto first = remove({"base"});
  ASSERT_EQ(first.needed.size(), 1U);
  EXPECT_EQ(first.freeableBytes, 0U);
  EXPECT_GT(first.neededBytes, 0U);
  // Of two that the trash needs alone, each removal adds what it frees.
  const auto third = remove({"run:v3"});
  EXPECT_TRUE(third.needed.empty());
  EXPECT_GT(third.freeableBytes, 0U);
  EXPECT_EQ(listTrash(store())->freeableBytes, both.freeableBytes + third.freeableBytes);
  EXPECT_EQ(empty().freedBytes, both.freeableBytes + third.freeableBytes);
  EXPECT_EQ(bytesOnDisk(), before - both.freeableBytes - third.freeableBytes);
}

/// What a version of another name has itself is not needed as a difference.
TEST_F(UnlistedVersions, AreToldFromWhatOthersShare) {
  EXPECT_EQ(add("copy", *models_[4]).outcome, AddReport::Outcome::Shared);
  const auto alone = remove({"base"});
  ASSERT_EQ(alone.needed.size(), 1U);
  EXPECT_EQ(alone.sharedBytes, 0U);
  ASSERT_TRUE(restoreFromTrash(store(), {"base"}));
  const auto both = remove({"base", "run:v5"});
  EXPECT_GT(both.sharedBytes, 0U);
  EXPECT_EQ(both.neededBytes, alone.neededBytes + both.sharedBytes);
}

TEST_F(UnlistedVersions, AreMadeAtOnceWithoutTheTrash) {
  const auto report = remove({"run:v1", "run:v5"}, true);
  EXPECT_EQ(report.needed.size(), 1U);
  EXPECT_GT(report.freedBytes, 0U);
  EXPECT_TRUE(listTrash(store())->versions.empty());
  EXPECT_TRUE(comesBack("run:v4", *models_[3]));
  expectSound();
  EXPECT_EQ(restoreFromTrash(store(), {"run:v1"}).error().code, ErrorCode::NotFound);
}

TEST_F(UnlistedVersions, ServeWhatComesOutOfTheTrash) {
  remove({"run:v1", "run:v5"});
  ASSERT_TRUE(restoreFromTrash(store(), {"run:v5"}));
  EXPECT_TRUE(comesBack("run:v5", *models_[4]));
  // The parent comes back, too, as long as the trash has it.
  ASSERT_TRUE(restoreFromTrash(store(), {"run:*"}));
  EXPECT_TRUE(comesBack("run:v1", *models_[0]));
  EXPECT_EQ(restoreFromTrash(store(), {"run:*"}).error().code, ErrorCode::NotFound);
}

TEST_F(UnlistedVersions, AreFreedByGcOnceNothingIsADifferenceToThem) {
  remove({"run:v4"});
  empty();
  remove({"run:v5"});
  {
    // A program that does not know of them leaves them behind.
    const auto writer = store().lock("trash empty");
    ASSERT_TRUE(writer);
    const auto child = (*writer)->resolve("run:v5", Place::Trash);
    ASSERT_TRUE((*writer)->eraseTrashed("trash empty", {*child}));
  }
  const auto dry = collectGarbage(store(), {}, {});
  ASSERT_TRUE(dry) << dry.error().message;
  EXPECT_EQ(dry->freed.size(), 2U);
  const auto done = collectGarbage(store(), {.dryRun = false}, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->freed.size(), 2U);
  EXPECT_EQ(done->freedBytes, dry->freedBytes);
  EXPECT_TRUE(comesBack("run:v3", *models_[2]));
  expectSound();
}

TEST_F(UnlistedVersions, SurviveALostCatalogEntryAndALostRef) {
  remove({"run:v3"});
  empty();
  std::filesystem::remove(store().refs().versionPath("run", 3, Place::Trash));
  EXPECT_FALSE(emptyTrash(store(), {}));
  store_.reset();
  const auto rebuilt = Store::rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt);
  EXPECT_THAT(rebuilt->rescued, ElementsAre("run:v3"));
  reopen();
  EXPECT_TRUE(listTrash(store())->versions.empty());
  expectLastTwo();
  expectSound();
}

TEST_F(UnlistedVersions, MoveWithTheirName) {
  remove({"run:v2"});
  empty();
  const auto renamed = renameVersions(store(), {.name = "run", .newName = "walk"});
  ASSERT_TRUE(renamed) << renamed.error().message;
  EXPECT_EQ(renamed->trashedCount, 0U);
  EXPECT_TRUE(comesBack("walk:v5", *models_[4]));
  EXPECT_TRUE(listTrash(store())->versions.empty());
  expectSound();
}

TEST_F(UnlistedVersions, AreUsedByTheirDifferences) {
  remove({"run:v1", "run:v2"});
  empty();
  const auto objects = listObjects(store());
  ASSERT_TRUE(objects);
  for (const ObjectRow& row : *objects) {
    EXPECT_FALSE(row.usedBy.empty());
    EXPECT_THAT(row.trashedBy, IsEmpty());
  }
}

TEST_F(UnlistedVersions, AreNamedByPatterns) {
  const auto report = removeVersions(store(), {.references = {"run:v[1]", "base"}});
  EXPECT_FALSE(report);
  EXPECT_EQ(remove({"run:v?"}).versions.size(), kVersions);
  const auto none = removeVersions(store(), {.references = {"run*"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_EQ(restoreFromTrash(store(), {"*"})->versions.size(), kVersions);
}

}  // namespace
}  // namespace strata
