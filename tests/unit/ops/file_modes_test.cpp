#include "core/archive/file_modes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Outcome = AddReport::Outcome;
using Labels = std::vector<std::string>;

constexpr std::uint32_t kPrivate = 0600;

/// One content that is added with different permission bits: each version keeps those of its own.
class FileModesOfVersions : public test::StoreFixture {
 protected:
  FileModesOfVersions() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *tuned_);
  }

  AddReport addPrivate(const std::string& name, bool dryRun = false) {
    tuned_->setMode(0, kPrivate);
    const AddReport report = add(*tuned_, {.name = name, .dryRun = dryRun});
    tuned_->setMode(0, 0);
    return report;
  }

  VersionEntry entry(const std::string& reference) {
    return store().resolve(reference).value_or(VersionEntry{});
  }

  /// Of the restored file, for its owner and others; 0 where it does not come back.
  unsigned restoredMode(const std::string& reference) {
    const fs::path file = folder_ / "restored";
    const RestoreOptions options{.reference = reference, .target = file, .force = true};
    const auto restored = restoreVersion(store(), options, {}, {});
    EXPECT_TRUE(restored) << restored.error().message;
    struct stat status {};
    if (!restored || ::stat(file.c_str(), &status) != 0) return 0;
    EXPECT_EQ(test::readWhole(file), tuned_->bytesOf(0));
    areKnown_ = restored->modesAreKnown;
    return status.st_mode & 0777;
  }

  void recode(const std::string& reference) {
    const RecodeOptions options{
        .reference = reference, .baseChoice = RecodeBase::None, .force = true};
    const auto report = recodeVersion(store(), options, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->outcome, RecodeReport::Outcome::Recoded);
  }

  void flipPackOf(const std::string& reference) { flip(reference, false); }
  void flipManifestOf(const std::string& reference) { flip(reference, true); }

  void flip(const std::string& reference, bool manifest) {
    const auto objects = store().catalog().objectsOf(entry(reference).manifestDigest);
    for (const CatalogObject& object : objects.value()) {
      if (object.isManifest != manifest) continue;
      const fs::path file = store().objects().pathOf(object.digest);
      std::string bytes = test::readWhole(file);
      bytes[bytes.size() / 2] ^= 1;
      fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
      test::writeWhole(file, bytes);
    }
  }

  void expectSound() {
    VerifyOptions options;
    options.level = VerifyOptions::Level::Rebuild;
    const auto report = verifyStore(store(), options, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.path << damage.reason;
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
  bool areKnown_ = true;
};

TEST_F(FileModesOfVersions, AreThoseThatEachWasAddedWith) {
  const std::uint64_t before = bytesOnDisk();
  const AddReport report = addPrivate("sst2");
  EXPECT_EQ(report.outcome, Outcome::Shared);
  EXPECT_TRUE(report.hasOtherModes);
  EXPECT_EQ(report.version.label(), "sst2:v2");
  EXPECT_LT(bytesOnDisk() - before, 3000U);  // a manifest
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  EXPECT_TRUE(areKnown_);
  EXPECT_EQ(addPrivate("sst2").outcome, Outcome::Unchanged);
  EXPECT_EQ(add("sst2", *tuned_).version.label(), "sst2:v3");
  EXPECT_EQ(entry("sst2:v3").manifestDigest, entry("sst2:v1").manifestDigest);
  EXPECT_EQ(addPrivate("other").version.manifestDigest, entry("sst2:v2").manifestDigest);
  reopen();
  EXPECT_EQ(restoredMode("sst2:v3"), 0644U);
  EXPECT_EQ(restoredMode("other"), kPrivate);
  expectSound();
}

TEST_F(FileModesOfVersions, AreSaidOfADryRun) {
  const std::uint64_t before = bytesOnDisk();
  const AddReport report = addPrivate("sst2", /*dryRun=*/true);
  EXPECT_EQ(report.outcome, Outcome::DryRun);
  EXPECT_TRUE(report.hasOtherModes);
  EXPECT_EQ(report.version.label(), "sst2:v2");
  EXPECT_EQ(bytesOnDisk(), before);
}

TEST_F(FileModesOfVersions, OutliveTheRemovalOfTheOthers) {
  addPrivate("sst2");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v1"}, .now = true}));
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  expectSound();
}

TEST_F(FileModesOfVersions, ComeBackFromTheTrash) {
  addPrivate("sst2");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v2"}}));
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  ASSERT_TRUE(undoOperation(store(), {}));
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  ASSERT_TRUE(renameVersions(store(), {.name = "sst2", .newName = "mine"}));
  EXPECT_EQ(restoredMode("mine:v1"), 0644U);
  EXPECT_EQ(restoredMode("mine:v2"), kPrivate);
}

TEST_F(FileModesOfVersions, StayWhereTheContentIsCodedAnew) {
  addPrivate("sst2");
  recode("sst2:v2");
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  EXPECT_TRUE(entry("sst2:v1").isBase());
  EXPECT_TRUE(entry("sst2:v2").isBase());
  ASSERT_TRUE(undoOperation(store(), {}));
  EXPECT_FALSE(entry("sst2:v1").isBase());
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  ASSERT_TRUE(undoOperation(store(), {.again = true}));
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  const auto garbage = collectGarbage(store(), {.dryRun = false}, {});
  ASSERT_TRUE(garbage);
  EXPECT_EQ(garbage->freed.size(), 3U);  // the pack that they shared, and two manifests
  expectSound();
}

TEST_F(FileModesOfVersions, StayWhereTheModelRepairsAPack) {
  addPrivate("sst2");
  flipPackOf("sst2:v1");
  const AddReport report = add("sst2", *tuned_);
  EXPECT_EQ(report.repaired, (Labels{"sst2:v1", "sst2:v2"}));
  EXPECT_EQ(report.version.label(), "sst2:v1");
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  expectSound();
}

TEST_F(FileModesOfVersions, StayWhereAModelWithOthersRepairsAPack) {
  flipPackOf("sst2:v1");
  const AddReport report = addPrivate("sst2");
  EXPECT_EQ(report.repaired, Labels{"sst2:v1"});
  EXPECT_EQ(report.version.label(), "sst2:v2");
  EXPECT_TRUE(report.hasOtherModes);
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  expectSound();
}

TEST_F(FileModesOfVersions, AreTheModelsWhereTheManifestIsLost) {
  addPrivate("sst2");
  flipManifestOf("sst2:v2");
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);  // nobody knows; it may have been private
  EXPECT_FALSE(areKnown_);
  const AddReport report = addPrivate("sst2");
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(report.version.label(), "sst2:v2");
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  EXPECT_TRUE(areKnown_);
  expectSound();
}

TEST_F(FileModesOfVersions, AreTheirOwnersWhereAnotherManifestServes) {
  addPrivate("sst2");
  const auto own = store().objects().pathOf(entry("sst2:v2").manifestDigest);
  fs::remove(own);
  const auto recovered = recoverVersions(store(), {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_EQ(recovered->rewritten, Labels{"sst2:v2"});
  EXPECT_EQ(recovered->madePrivate, Labels{"sst2:v2"});
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  expectSound();
  // The other way round there is nothing to take away.
  fs::remove(store().objects().pathOf(entry("sst2:v1").manifestDigest));
  const auto again = recoverVersions(store(), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->rewritten, Labels{"sst2:v1"});
  EXPECT_EQ(again->madePrivate, Labels{});
  EXPECT_EQ(restoredMode("sst2:v1"), kPrivate);
  expectSound();
}

TEST_F(FileModesOfVersions, AreFoundWithModelsThatLostTheirNames) {
  addPrivate("sst2");
  fs::remove_all(storeFolder() / "refs" / "sst2");
  // What a catalog knows of lost refs would be written anew.
  for (const char* const end : {"", "-wal", "-shm"}) {
    fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
  }
  ASSERT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  const auto recovered = recoverVersions(store(), {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_EQ(recovered->named.size(), 2U);
  std::set<unsigned> modes;
  for (const std::string& label : recovered->named) modes.insert(restoredMode(label));
  EXPECT_EQ(modes, (std::set<unsigned>{0600, 0644}));
}

TEST_F(FileModesOfVersions, AreNotTakenFromAnotherVersionThatIsCodedAnew) {
  addPrivate("sst2");
  flipManifestOf("sst2:v2");
  const Digest before = entry("sst2:v2").manifestDigest;
  recode("sst2:v1");
  EXPECT_EQ(entry("sst2:v2").manifestDigest, before) << "nobody knows what to give it";
  EXPECT_EQ(restoredMode("sst2:v1"), 0644U);
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  EXPECT_FALSE(areKnown_);
  flipManifestOf("sst2:v2");  // back
  EXPECT_EQ(restoredMode("sst2:v2"), kPrivate);
  EXPECT_TRUE(areKnown_);
  expectSound();
}

TEST_F(FileModesOfVersions, StayWhereGcCodesTheContentAnew) {
  const auto next = test::makeTuned(*tuned_, 11, 0.1);
  const auto addNext = [&](std::uint32_t mode) {
    next->setMode(0, mode);
    add(*next, {.name = "next", .chain = ChainPolicy::Always});
  };
  addNext(0);
  addNext(kPrivate);
  // A new content, so that it is coded against sst2.
  ASSERT_EQ(entry("next:v2").parentDigest, entry("next:v1").parentDigest);
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}, .now = true}));
  const GarbageOptions options{.dryRun = false, .recode = true};
  const auto garbage = collectGarbage(store(), options, {});
  ASSERT_TRUE(garbage) << garbage.error().message;
  ASSERT_EQ(garbage->recoded.size(), 2U);
  EXPECT_EQ(garbage->recoded[0].bytesAfter, garbage->recoded[1].bytesAfter);
  const auto manifestOf = [&](const char* reference) {
    const VersionEntry version = entry(reference);
    return readManifest(store(), version.manifestDigest, version.contentDigest).value();
  };
  EXPECT_EQ(modesOf(manifestOf("next:v2")).begin()->second, kPrivate);
  EXPECT_NE(modesOf(manifestOf("next:v1")), modesOf(manifestOf("next:v2")));
  EXPECT_EQ(manifestOf("next:v1").packs, manifestOf("next:v2").packs);
  expectSound();
}

TEST_F(FileModesOfVersions, OfABaseAreNoSecondBaseOfItsName) {
  base_->setMode(0, kPrivate);
  AddOptions options{.name = "base", .baseChoice = BaseChoice::None};
  options.isNewBase = true;
  const auto refused = addVersion(store(), *base_, options, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(add("base", *base_).version.label(), "base:v2");
}

}  // namespace
}  // namespace strata
