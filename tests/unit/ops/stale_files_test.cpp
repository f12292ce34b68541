// Files that come back from a copy, or that somebody else made, and what commands make of them.
#include <gtest/gtest.h>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class StaleFiles : public test::StoreFixture {
 protected:
  StaleFiles() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *tuned_, "base");
  }

  /// As a writer leaves it that is killed.
  void leaveMark() {
    auto lock = StoreLock::acquire(storeFolder() / "lock", "test", {}, {});
    ASSERT_TRUE(lock);
    lock->leaveMark();
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(StaleFiles, AnOldRefInTheTrashDeletesNoVersionThatIsListed) {
  const fs::path trashed = store().refs().versionPath("sst2", 1, Place::Trash);
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  const std::string old = test::readWhole(trashed);
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  fs::create_directories(trashed.parent_path());
  test::writeWhole(trashed, old);
  fs::remove(store().refs().versionPath("sst2", 1));
  const auto emptied = emptyTrash(store(), {});
  ASSERT_FALSE(emptied);
  EXPECT_EQ(emptied.error().code, ErrorCode::CorruptData);
  store_.reset();
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(StaleFiles, AFormerNameLeadsToNoOtherFolder) {
  const fs::path victim = folder_ / "victim";
  fs::create_directories(victim);
  for (const std::string& former :
       {std::string("../../../victim"), victim.string(), std::string("sst2")}) {
    const fs::path note = storeFolder() / "refs" / "sst2" / "was.json";
    test::writeWhole(note, serializeTagRef({"sst2", "was", 1, former, 0}));
    leaveMark();
    // Whatever it says.
    static_cast<void>(collectGarbage(store(), {.dryRun = false}, {}).has_value());
    EXPECT_TRUE(fs::is_empty(victim)) << former;
    EXPECT_TRUE(comesBack("sst2", *tuned_)) << former;
    fs::remove(note);
  }
}

TEST_F(StaleFiles, EmptyFoldersThatACopyLeftOutAreMadeAgain) {
  fs::remove_all(storeFolder() / "tmp");
  fs::remove_all(storeFolder() / "trash");
  EXPECT_TRUE(addTag(store(), {.reference = "sst2", .tag = "prod"}));
  EXPECT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
}

TEST_F(StaleFiles, ACopyByHardLinksCanBeWrittenTo) {
  ASSERT_TRUE(store().lock("test"));
  fs::create_hard_link(storeFolder() / "lock", folder_ / "lock");
  EXPECT_TRUE(store().lock("test"));
  test::writeWhole(folder_ / "lock", "precious");
  EXPECT_FALSE(store().lock("test"));
  EXPECT_EQ(test::readWhole(folder_ / "lock"), "precious");
}

TEST_F(StaleFiles, TheReserveIsNoFileOfSomebodyElse) {
  fs::remove(storeFolder() / "reserve");
  test::writeWhole(folder_ / "mine", "precious");
  fs::create_hard_link(folder_ / "mine", storeFolder() / "reserve");
  ASSERT_TRUE(store().lock("test"));
  EXPECT_EQ(test::readWhole(folder_ / "mine"), "precious");
}

}  // namespace
}  // namespace strata
