#include "core/ops/care/collect_garbage.h"

#include <gtest/gtest.h>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

class CollectGarbage : public test::StoreFixture {
 protected:
  CollectGarbage() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *tuned_, "base");
  }

  /// What a writer leaves that dies before it writes a ref.
  Digest leave(std::string_view text) {
    const auto object = store().objects().create();
    EXPECT_TRUE(object);
    EXPECT_TRUE((*object)->append(std::as_bytes(std::span(text))));
    return (*object)->commit().value_or(Digest{});
  }

  GarbageReport collect(bool dryRun) {
    const auto report = collectGarbage(store(), {.dryRun = dryRun}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(GarbageReport{});
  }

  std::size_t objectCount() { return store().objects().list()->size(); }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(CollectGarbage, FreesExactlyTheLeftovers) {
  const std::size_t needed = objectCount();
  const Digest left = leave("a pack");
  leave("another");
  GarbageReport report = collect(true);
  EXPECT_EQ(report.freed.size(), 2U);
  EXPECT_EQ(report.freedBytes, 13U);
  EXPECT_EQ(report.keptObjects, needed);
  EXPECT_EQ(objectCount(), needed + 2);
  report = collect(false);
  EXPECT_EQ(report.freed.size(), 2U);
  EXPECT_EQ(objectCount(), needed);
  EXPECT_FALSE(store().objects().open(left));
  EXPECT_TRUE(collect(false).freed.empty());
  EXPECT_TRUE(comesBack("base", *base_));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(CollectGarbage, KeepsWhatTheTrashNeeds) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  EXPECT_TRUE(collect(false).freed.empty());
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

/// What a repair would give a name is told from what nothing can restore any more.
TEST_F(CollectGarbage, TellsWhichModelsWithoutANameLackTheirBase) {
  const auto packs = store().catalog().objectsOnlyOf({store().resolve("base").value()}).value();
  for (const char* name : {"base", "sst2"}) {
    std::filesystem::remove(store().refs().versionPath(name, 1));
  }
  store_.reset();
  std::filesystem::remove(storeFolder() / "catalog.sqlite");
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_EQ(collect(true).unnamed.size(), 2U);
  for (const CatalogObject& object : packs) ASSERT_TRUE(store().objects().remove(object.digest));
  const GarbageReport report = collect(true);
  EXPECT_TRUE(report.unnamed.empty());
  ASSERT_EQ(report.baseless.size(), 1U);
  const auto named = recoverVersions(store(), {});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_TRUE(named->named.empty());
}

TEST_F(CollectGarbage, ReadsRefsNotTheCatalog) {
  // A catalog that forgot a version must not cost it its objects.
  {
    auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
    ASSERT_TRUE(catalog);
    ASSERT_TRUE((*catalog)->transact([&]() -> Result<void> {
      STRATA_TRY((*catalog)->eraseVersion("sst2", 1));
      return (*catalog)->dropUnused();
    }));
  }
  reopen();
  const std::size_t before = objectCount();
  EXPECT_TRUE(collect(false).freed.empty());
  EXPECT_EQ(objectCount(), before);
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(CollectGarbage, RefusesWhileARefOrManifestIsDamaged) {
  leave("a pack");
  const std::size_t before = objectCount();
  const auto ref = store().refs().versionPath("sst2", 1);
  const auto manifest = store().objects().pathOf(store().resolve("sst2")->manifestDigest);
  for (const auto& file : {ref, manifest}) {
    const std::string whole = test::readWhole(file);
    std::filesystem::permissions(file, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    test::writeWhole(file, whole.substr(0, whole.size() / 2));
    const auto refused = collectGarbage(store(), {.dryRun = false}, {});
    ASSERT_FALSE(refused) << file;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
    EXPECT_EQ(objectCount(), before);
    test::writeWhole(file, whole);
  }
  EXPECT_EQ(collect(false).freed.size(), 1U);
}

TEST_F(CollectGarbage, WaitsForNoWriter) {
  const auto writer = store().lock("add");
  ASSERT_TRUE(writer);
  leave("a pack on its way");
  store().setLockWait({.longest = std::chrono::milliseconds(0)});
  const auto refused = collectGarbage(store(), {.dryRun = true}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::StoreLocked);
}

}  // namespace
}  // namespace strata
