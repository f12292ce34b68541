// Snapshots whose run cannot be read any more: what they would stand on is damaged or elsewhere.
#include <gmock/gmock.h>

#include <memory>

#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/versions/init_store.h"
#include "core/profile/profile.h"
#include "core/store/catalog/manifest_summary.h"
#include "hub/folder/folder_transport.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UnreadParent : public test::RunFixture {
 protected:
  static void makeLossy(SnapshotOptions& options) {
    options.plan = loadProfile({}, "safe")->plan;
    options.add.profile = "safe";
  }

  /// What a watcher does with one checkpoint.
  Result<SnapshotReport> watched(Store& store, std::uint64_t step, bool isLossy,
                                 const std::string& base = {}) {
    SnapshotOptions options{.add = {.name = "run"}, .path = checkpoint(step), .isWatched = true};
    if (isLossy) makeLossy(options);
    if (!base.empty()) {
      options.add.base = base;
      options.add.baseChoice = BaseChoice::Reference;
    }
    return takeSnapshot(store, tools_, options, {}, {});
  }

  void deletePacksOf(const std::string& reference) {
    const VersionEntry version = *store().resolve(reference);
    const auto objects = store().catalog().objectsOf(version.manifestDigest);
    ASSERT_TRUE(objects);
    for (const CatalogObject& object : *objects) {
      if (object.isManifest) continue;
      const std::string name = toHex(object.digest);
      EXPECT_TRUE(fs::remove(storeFolder() / "objects" / name.substr(0, 2) / name.substr(2)));
    }
  }

  std::map<std::string, std::string> filesOf(Store& store, const std::string& reference) {
    const fs::path back = folder_ / "back";
    fs::remove_all(back);
    const auto done = restoreVersion(store, {.reference = reference, .target = back}, {}, {});
    EXPECT_TRUE(done) << done.error().message;
    return test::filesBelow(back);
  }
};

TEST_F(UnreadParent, IsPassedByForALossySnapshot) {
  for (const std::uint64_t step : {10U, 20U, 30U}) {
    writeCheckpoint(step);
    ASSERT_TRUE(watched(store(), step, true));
  }
  deletePacksOf("run:v1");
  writeCheckpoint(40);
  const auto taken = watched(store(), 40, true);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_THAT(taken->exactBecause, HasSubstr("run:v1"));
  EXPECT_TRUE(taken->added.version.isBase());
  EXPECT_FALSE(taken->added.version.lossy);
  EXPECT_EQ(filesOf(store(), "run"), test::filesBelow(checkpoint(40)));
  // What comes then stands on that.
  writeCheckpoint(50);
  const auto next = watched(store(), 50, true);
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_THAT(next->exactBecause, IsEmpty());
  EXPECT_TRUE(next->added.version.lossy);
  EXPECT_EQ(next->added.parentLabel, taken->added.version.label());
}

TEST_F(UnreadParent, IsPassedByWhereTheWatcherNamesIt) {
  for (const bool isLossy : {false, true}) {
    const std::uint64_t step = isLossy ? 60 : 30;
    writeCheckpoint(step - 20);
    ASSERT_TRUE(watched(store(), step - 20, false));
    const std::string base = store().resolve("run")->label();
    writeCheckpoint(step - 10);
    ASSERT_TRUE(watched(store(), step - 10, false, base));
    deletePacksOf(base);
    writeCheckpoint(step);
    const auto taken = watched(store(), step, isLossy, base);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_THAT(taken->inFullBecause, HasSubstr(base));
    EXPECT_TRUE(taken->added.version.isBase());
    EXPECT_EQ(filesOf(store(), "run"), test::filesBelow(checkpoint(step)));
    EXPECT_FALSE(watched(store(), step - 20, isLossy, "nothing:v1"));
  }
}

TEST_F(UnreadParent, IsPassedByWhereItsPacksAreElsewhere) {
  for (const std::uint64_t step : {10U, 20U}) {
    writeCheckpoint(step);
    ASSERT_TRUE(watched(store(), step, false));
  }
  hub::FolderTransport remote(folder_ / "remote");
  ASSERT_TRUE(pushVersions(store(), remote, {.keptAs = "hub"}, {}, {}));
  for (const bool isLossy : {false, true}) {
    const fs::path folder = folder_ / (isLossy ? "lossy" : "exact");
    ASSERT_TRUE(initStore({.folder = folder}));
    const std::unique_ptr<Store> opened = Store::open(folder).value();
    Store& other = *opened;
    ASSERT_TRUE(pullVersions(other, remote, {.lazy = true, .keptAs = "hub"}, {}, {}));
    for (const std::uint64_t step : {30U, 40U}) {
      writeCheckpoint(step);
      const auto taken = watched(other, step, isLossy);
      ASSERT_TRUE(taken) << taken.error().message;
      const bool isFirst = step == 30;
      EXPECT_EQ(taken->added.version.isBase(), isFirst);
      EXPECT_EQ(taken->inFullBecause.empty(), !isFirst);
      EXPECT_EQ(taken->added.version.lossy, isLossy && !isFirst);
    }
    EXPECT_EQ(filesOf(other, "run:step-30"), test::filesBelow(checkpoint(30)));
  }
}

}  // namespace
}  // namespace strata
