#include "core/ops/care/store_parity.h"

#include <algorithm>
#include <set>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/repair_here.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/store_info.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/parity/parity_grouping.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class StoreParity : public test::StoreFixture {
 protected:
  StoreParity() : base_(test::makeModel(1, 300)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
  }

  void set(const char* value) {
    const auto done = setParity(store(), value, {}, {});
    ASSERT_TRUE(done) << done.error().message;
  }

  Digest addObject(std::string_view text) {
    auto object = store().objects().create();
    EXPECT_TRUE((*object)->append(std::as_bytes(std::span(text))));
    return (*object)->commit().value();
  }

  ParityState state() {
    auto found = checkParity(storeFolder(), store().objects(), ParityLook::Checksums, {});
    EXPECT_TRUE(found);
    return *std::move(found);
  }

  VerifyReport verify() {
    auto report = verifyStore(store(), {}, {}, {});
    EXPECT_TRUE(report);
    return *std::move(report);
  }

  void expectAllProtected() {
    const ParityState now = state();
    EXPECT_GT(now.protectedObjects, 0U);
    EXPECT_EQ(now.unprotectedObjects, 0U);
    EXPECT_TRUE(now.absentMembers.empty());
    EXPECT_TRUE(now.damages.empty());
  }

  std::unique_ptr<test::MemoryModel> base_;
  std::unique_ptr<test::MemoryModel> tuned_;
};

TEST_F(StoreParity, IsOffUnlessItIsSet) {
  add("sst2", *tuned_, "base");
  EXPECT_FALSE(fs::exists(storeFolder() / "parity"));
  EXPECT_FALSE(verify().parity);
}

TEST_F(StoreParity, WhatWasThereAndWhatComesIsProtected) {
  set("2/10");
  expectAllProtected();
  add("sst2", *tuned_, "base");
  expectAllProtected();
  EXPECT_TRUE(verify().sound());
  const auto info = storeInfo(store());
  ASSERT_TRUE(info);
  EXPECT_EQ(info->parity.protectedObjects, store().objects().list()->size());
}

TEST_F(StoreParity, SaysHowFarItIs) {
  add("sst2", *tuned_, "base");
  std::vector<Progress> said;
  const auto done =
      setParity(store(), "1/5", {}, [&](const Progress& one) { said.push_back(one); });
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_FALSE(said.empty());
  std::uint64_t bytes = 0;
  const auto all = store().objects().list();
  ASSERT_TRUE(all);
  for (const StoredObject& object : *all) bytes += object.byteCount;
  for (const Progress& one : said) {
    EXPECT_EQ(one.phase, "protecting");
    EXPECT_EQ(one.totalBytes, bytes);
    EXPECT_LE(one.doneBytes, bytes);
  }
}

TEST_F(StoreParity, SaysHowFarItIsWithinAGroup) {
  import("large", *test::makeModel(70, 2'000'000));
  test::writeWhole(storeFolder() / "config.toml", "parity = \"1/10\"\n");
  std::set<std::uint64_t> seen;
  const ParityGrouping* written = nullptr;
  ParityGrouping grouping(storeFolder(), store().objects(), [&]() -> Result<void> {
    if (written != nullptr) seen.insert(written->writtenBytes());
    return {};
  });
  written = &grouping;
  ASSERT_TRUE(grouping.settle());
  EXPECT_GT(seen.size(), state().groups.size() + 3);
  expectAllProtected();
}

TEST_F(StoreParity, MayBeStoppedWhileItIsMade) {
  add("sst2", *tuned_, "base");
  std::stop_source stop;
  const auto done =
      setParity(store(), "2/10", stop.get_token(), [&](const Progress&) { stop.request_stop(); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(verify().sound());
  EXPECT_GT(state().unprotectedObjects, 0U);
  add("more", *test::makeTuned(*base_, 20), "base");
  expectAllProtected();
}

TEST_F(StoreParity, EveryTwoLostObjectsComeBack) {
  add("sst2", *tuned_, "base");
  set("2/10");
  const auto all = store().objects().list();
  for (std::size_t a = 0; a < all->size(); ++a) {
    for (std::size_t b = a + 1; b < all->size(); ++b) {
      fs::remove(store().objects().pathOf((*all)[a].digest));
      fs::remove(store().objects().pathOf((*all)[b].digest));
      EXPECT_EQ(verify().rebuildable.size(), 2U);
      const auto repaired = repairByParity(store(), {}, {});
      ASSERT_TRUE(repaired) << repaired.error().message;
      EXPECT_EQ(repaired->objectCount, 2U);
      EXPECT_TRUE(verify().sound());
    }
  }
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
}

TEST_F(StoreParity, ADamagedFileOfItIsDamageAndIsMended) {
  set("2/10");
  const StoredParity group = state().groups.front();
  const fs::path file = ParityFolder(storeFolder()).pathOf(group, 1);
  fs::permissions(file, fs::perms::owner_all);
  fs::resize_file(file, 100);
  const VerifyReport found = verify();
  ASSERT_EQ(found.damages.size(), 1U);
  EXPECT_EQ(found.damages.front().kind, Damage::Kind::Parity);
  EXPECT_EQ(found.damages.front().path, file);
  EXPECT_TRUE(found.damagedVersions.empty());
  const auto repaired = repairByParity(store(), {}, {});
  ASSERT_TRUE(repaired);
  EXPECT_EQ(repaired->shardCount, 1U);
  EXPECT_TRUE(verify().sound());
}

TEST_F(StoreParity, StaysTrueWhenVersionsGo) {
  add("sst2", *tuned_, "base");
  set("2/10");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v1"}, .now = true}));
  expectAllProtected();
  const auto freed = collectGarbage(store(), {.dryRun = false}, {});
  ASSERT_TRUE(freed);
  expectAllProtected();
  const auto left = store().objects().list();
  for (std::size_t i = 0; i < std::min<std::size_t>(2, left->size()); ++i) {
    fs::remove(store().objects().pathOf((*left)[i].digest));
  }
  EXPECT_EQ(repairByParity(store(), {}, {})->objectCount, std::min<std::size_t>(2, left->size()));
  EXPECT_TRUE(comesBack("base:v1", *base_));
}

/// As an earlier program does it.
TEST_F(StoreParity, GcForgetsWhatWasDeletedWithoutIt) {
  const Digest unneeded = addObject("no version's");
  set("2/10");
  ASSERT_TRUE(store().objects().remove(unneeded));
  EXPECT_EQ(state().absentMembers.size(), 1U);
  EXPECT_TRUE(verify().sound());
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  expectAllProtected();
}

/// The mark that a killed writer leaves goes with the rebuild, so nobody looks after it.
TEST_F(StoreParity, IsCompletedWhereTheCatalogIsRebuiltAfterAKilledWriter) {
  set("2/10");
  {
    auto lock = StoreLock::acquire(storeFolder() / "lock", "add", {}, {});
    ASSERT_TRUE(lock);
    lock->leaveMark();
    addObject("what it had stored");
  }
  EXPECT_EQ(state().unprotectedObjects, 1U);
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  expectAllProtected();
  EXPECT_FALSE(readLock(storeFolder() / "lock").isUnfinished());
}

TEST_F(StoreParity, UnsetTakesItAway) {
  set("2/10");
  add("sst2", *tuned_, "base");
  EXPECT_EQ(unsetParity(store(), {}), true);
  EXPECT_TRUE(state().groups.empty());
  EXPECT_FALSE(state().ratio);
  EXPECT_EQ(unsetParity(store(), {}), false);
}

/// Both are lost, so the parity of the one cannot be computed without the other.
TEST_F(StoreParity, GcSaysWhatStaysForParity) {
  const Digest unneeded = addObject("no version's");
  set("2/10");
  const auto all = store().objects().list();
  ASSERT_TRUE(all);
  const fs::path hurt = store().objects().pathOf(unneeded);
  fs::permissions(hurt, fs::perms::owner_all);
  test::writeWhole(hurt, "no version'S");
  for (const StoredObject& object : *all) {
    if (object.digest != unneeded && object.byteCount > 1000) {
      fs::remove(store().objects().pathOf(object.digest));
    }
  }
  const auto freed = collectGarbage(store(), {.dryRun = false}, {});
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_EQ(freed->heldObjects, 0U);
  EXPECT_EQ(freed->parityObjects, 1U);
  const auto repaired = repairHere(store(), {}, {});
  ASSERT_TRUE(repaired);
  EXPECT_TRUE(comesBack("base:v1", *base_));
}

TEST_F(StoreParity, ALinkInItsPlaceIsNamedAsDamage) {
  set("2/10");
  fs::remove_all(storeFolder() / "parity");
  fs::create_directory_symlink(storeFolder() / "objects", storeFolder() / "parity");
  const VerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages.front().kind, Damage::Kind::Parity);
}

TEST_F(StoreParity, OffDeletesIt) {
  set("2/10");
  set("off");
  EXPECT_TRUE(state().groups.empty());
  add("sst2", *tuned_, "base");
  EXPECT_TRUE(state().groups.empty());
  EXPECT_TRUE(verify().sound());
}

}  // namespace
}  // namespace strata
