#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_lock.h"
#include "core/store/store_places.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Links, fifos and files of others inside a store.
class ForeignPlaces : public test::StoreFixture {
 protected:
  ForeignPlaces() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    AddOptions options{.name = "sst2"};
    options.tags = {"prod"};
    add(*tuned_, options);
    fs::create_directory(mine());
    test::writeWhole(mine() / "v1.json", "precious");
  }

  fs::path mine() const { return folder_ / "mine"; }

  /// Puts a folder elsewhere and a link to it in its place.
  fs::path moveAway(const fs::path& place) {
    const fs::path elsewhere = folder_ / "elsewhere";
    fs::rename(place, elsewhere);
    fs::create_symlink(elsewhere, place);
    return elsewhere;
  }

  void expectMineUntouched() {
    EXPECT_EQ(test::readWhole(mine() / "v1.json"), "precious");
    EXPECT_EQ(test::entryCount(mine()), 1U);
  }

  template <typename Answer>
  static void expectRefused(const Result<Answer>& result, const std::string& text) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::CorruptData) << result.error().message;
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }

  VerifyReport verify() {
    auto report = verifyStore(store(), {.level = VerifyOptions::Level::Full}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  }

  static bool names(const VerifyReport& report, const fs::path& place) {
    return std::any_of(report.damages.begin(), report.damages.end(), [&](const Damage& damage) {
      return damage.kind == Damage::Kind::Place && damage.path == place;
    });
  }

  /// As a writer leaves it that is killed.
  void leaveMark() {
    auto lock = StoreLock::acquire(storeFolder() / "lock", "test", {}, {});
    ASSERT_TRUE(lock);
    lock->leaveMark();
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(ForeignPlaces, ALinkedFolderOfTheStoreIsRefused) {
  store_.reset();
  fs::create_directory(storeFolder() / "partial");
  for (const char* const name : {"objects", "refs", "trash", "tmp", "partial"}) {
    const fs::path place = storeFolder() / name;
    const fs::path elsewhere = moveAway(place);
    test::writeWhole(elsewhere / "mine.tmp", "precious");
    expectRefused(Store::open(storeFolder()), place.string() + ": is a link, expected a folder");
    expectRefused(rebuildCatalog(storeFolder(), {}, {}), place.string() + ": is a link");
    EXPECT_EQ(test::readWhole(elsewhere / "mine.tmp"), "precious");
    fs::remove(place);
    fs::remove(elsewhere / "mine.tmp");
    fs::rename(elsewhere, place);
  }
  reopen();
  EXPECT_TRUE(verify().sound());
}

TEST_F(ForeignPlaces, AFolderThatBecomesALinkStopsAnOpenStore) {
  moveAway(storeFolder() / "tmp");
  expectRefused(store().lock("test"), "tmp: is a link");
}

TEST_F(ForeignPlaces, AreFoundHoweverTheirPathIsWritten) {
  const fs::path mark = fs::path("refs") / "sst2" / "v1.json";
  const auto bytes = fs::file_size(storeFolder() / mark);
  const std::string store = storeFolder().string();
  const std::pair<fs::path, fs::path> ways[] = {
      {store, storeFolder() / mark},
      {store + "/", storeFolder() / mark},
      {store, store + "//refs/sst2/v1.json"},
      {store, store + "/./refs/sst2/v1.json"},
      {store, store + "/refs/../refs/sst2/v1.json"},
  };
  for (const auto& [folder, file] : ways) {
    EXPECT_EQ(ownFileSize(folder, file), bytes) << folder << " " << file;
  }
  EXPECT_EQ(ownFileSize(store, store + "/refs/sst2/v7.json"), std::nullopt);
  expectRefused(ownFileSize(store, store + "/refs/sst2"), "is a folder, expected a file");
  moveAway(storeFolder() / "refs" / "sst2");
  for (const auto& [folder, file] : ways) {
    expectRefused(ownFileSize(folder, file), "sst2: is a link, expected a folder");
  }
  const fs::path link = storeFolder() / "refs" / "v1.json";
  fs::create_symlink(mine() / "v1.json", link);
  expectRefused(ownFileSize(store, link), "v1.json: is a link, expected a file");
}

TEST_F(ForeignPlaces, TheStoreAsAWholeMayBeALink) {
  store_.reset();
  const fs::path elsewhere = moveAway(storeFolder());
  reopen();
  const auto second = test::makeTuned(*base_, 11);
  add("sst2", *second);
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2:v2", *second));
  EXPECT_TRUE(fs::exists(elsewhere / "refs" / "sst2" / "v2.json"));
}

TEST_F(ForeignPlaces, NothingIsDeletedThroughALinkInTheTrash) {
  const fs::path link = storeFolder() / "trash" / "sst2";
  fs::create_symlink(mine(), link);
  leaveMark();
  expectRefused(store().lock("test"), link.string() + ": is a link");
  expectRefused(emptyTrash(store(), {}), link.string());
  expectRefused(removeVersions(store(), {.references = {"sst2"}, .now = true}), link.string());
  expectRefused(collectGarbage(store(), {.dryRun = false}, {}), link.string());
  EXPECT_TRUE(names(verify(), link));
  store_.reset();
  expectRefused(rebuildCatalog(storeFolder(), {}, {}), link.string());
  expectMineUntouched();
  fs::remove(link);
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(ForeignPlaces, ALinkedFolderOfRefsIsDamageUntilItIsGone) {
  const fs::path place = storeFolder() / "refs" / "sst2";
  const fs::path elsewhere = moveAway(place);
  const VerifyReport report = verify();
  EXPECT_TRUE(names(report, place));
  EXPECT_EQ(report.damagedVersions, std::vector<std::string>{"sst2:v1"});
  expectRefused(removeVersions(store(), {.references = {"sst2"}}), place.string());
  expectRefused(addTag(store(), {.reference = "sst2", .tag = "old"}), place.string());
  EXPECT_TRUE(fs::exists(elsewhere / "v1.json"));
  EXPECT_TRUE(fs::exists(elsewhere / "tags" / "prod.json"));
  fs::remove(place);
  fs::rename(elsewhere, place);
  ASSERT_TRUE(recoverVersions(store(), {}));
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(ForeignPlaces, ALinkedFolderOfTagsIsDamage) {
  const fs::path place = storeFolder() / "refs" / "sst2" / "tags";
  const fs::path elsewhere = moveAway(place);
  EXPECT_TRUE(names(verify(), place));
  expectRefused(addTag(store(), {.reference = "sst2", .tag = "old"}), place.string());
  expectRefused(removeTag(store(), "sst2:prod"), place.string());
  expectRefused(removeVersions(store(), {.references = {"sst2"}}), place.string());
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  EXPECT_EQ(test::entryCount(elsewhere), 1U);
  fs::remove(place);
  fs::rename(elsewhere, place);
  EXPECT_TRUE(verify().sound());
}

TEST_F(ForeignPlaces, ALinkedFolderOfObjectsIsDamage) {
  const Digest manifest = store().resolve("sst2")->manifestDigest;
  const fs::path place = store().objects().pathOf(manifest).parent_path();
  const fs::path elsewhere = moveAway(place);
  const std::size_t count = test::entryCount(elsewhere);
  EXPECT_TRUE(names(verify(), place));
  EXPECT_FALSE(collectGarbage(store(), {.dryRun = false, .unnamedToo = true}, {}));
  EXPECT_FALSE(removeVersions(store(), {.references = {"sst2"}, .now = true}));
  EXPECT_EQ(test::entryCount(elsewhere), count);
}

TEST_F(ForeignPlaces, ARefThatLeadsNowhereIsDamageAfterAFailedRename) {
  const fs::path ref = store().refs().versionPath("sst2", 1);
  fs::remove(ref);
  fs::create_symlink(folder_ / "nowhere", ref);
  EXPECT_FALSE(renameVersions(store(), {.name = "sst2", .newName = "other"}));
  for (int look = 0; look < 2; ++look) {
    EXPECT_TRUE(names(verify(), ref));
    (void)store().lock("test");
  }
  fs::remove(ref);
  ASSERT_TRUE(recoverVersions(store(), {}));
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(ForeignPlaces, AFolderInThePlaceOfARefIsNamed) {
  const fs::path ref = store().refs().versionPath("sst2", 1);
  fs::remove(ref);
  fs::create_directory(ref);
  test::writeWhole(ref / "mine", "precious");
  EXPECT_TRUE(names(verify(), ref));
  expectRefused(recoverVersions(store(), {}), ref.string());
  EXPECT_EQ(test::readWhole(ref / "mine"), "precious");
  fs::remove_all(ref);
  ASSERT_TRUE(recoverVersions(store(), {}));
  EXPECT_TRUE(verify().sound());
}

/// Each is refused before it has begun, so that other commands go on.
TEST_F(ForeignPlaces, AFolderWhereAFileIsDueStopsOnlyWhatWritesIt) {
  const RefFolder& refs = store().refs();
  const TagOptions first{.reference = "sst2:v1", .tag = "first"};
  const auto refusedAt = [&](const fs::path& place, const auto& command) {
    fs::create_directories(place);
    expectRefused(command(), place.string() + ": is a folder");
    EXPECT_FALSE(fs::exists(refs.changePath())) << place;
    const auto tagged = addTag(store(), {.reference = "base:v1", .tag = "other", .move = true});
    EXPECT_TRUE(tagged) << place << ": " << tagged.error().message;
    fs::remove(place);
    EXPECT_TRUE(verify().sound()) << place;
  };
  const auto remove = [&] { return removeVersions(store(), {.references = {"sst2:v1"}}); };
  refusedAt(refs.versionPath("sst2", 1, Place::Trash), remove);
  refusedAt(refs.tagPath("sst2", "first"), [&] { return addTag(store(), first); });
  AddOptions options{.name = "sst2"};
  options.tags = {"second"};
  const auto second = test::makeTuned(*base_, 11);
  refusedAt(refs.tagPath("sst2", "second"),
            [&] { return addVersion(store(), *second, options, {}, {}); });
  ASSERT_TRUE(remove());
  const auto bringBack = [&] { return restoreFromTrash(store(), {"sst2:v1"}); };
  refusedAt(refs.versionPath("sst2", 1), bringBack);
  ASSERT_TRUE(bringBack());
  EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
}

TEST_F(ForeignPlaces, AFolderInTheWayOfAChangeThatHasBegunIsNamed) {
  const RefFolder& refs = store().refs();
  VersionRef gone = *refs.readVersion("sst2", 1);
  gone.removedAt = currentTime();
  gone.tags = {*refs.readTag("sst2", "prod")};
  ASSERT_TRUE(refs.writeChange({.versions = {gone}}));
  const fs::path place = refs.versionPath("sst2", 1, Place::Trash);
  fs::create_directories(place);
  leaveMark();
  expectRefused(store().lock("test"), place.string() + ": is a folder");
  expectRefused(recoverVersions(store(), {}), place.string() + ": is a folder");
  EXPECT_TRUE(names(verify(), place));
  fs::remove(place);
  ASSERT_TRUE(store().lock("test"));
  EXPECT_FALSE(fs::exists(refs.changePath()));
  EXPECT_TRUE(fs::is_regular_file(place));
  EXPECT_TRUE(verify().sound());
}

/// Tools that copy drop folders that are empty, and a catalog is derived.
TEST_F(ForeignPlaces, FoldersThatAreMissingAreMadeWithTheCatalog) {
  store_.reset();
  fs::remove_all(storeFolder() / "tmp");
  fs::remove_all(storeFolder() / "trash");
  for (const char* end : {"", "-wal", "-shm"}) {
    fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
  }
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  reopen();
  EXPECT_TRUE(verify().damages.empty());
  EXPECT_TRUE(store().resolve("sst2:prod"));
}

TEST_F(ForeignPlaces, AFileInThePlaceOfAFolderIsNamedWhereSomethingWasInThat) {
  const Digest manifest = store().resolve("sst2")->manifestDigest;
  const fs::path name = store().refs().versionPath("sst2", 1).parent_path();
  const fs::path objects = store().objects().pathOf(manifest).parent_path();
  for (const fs::path& place : {name, name / "tags", objects}) {
    const fs::path elsewhere = folder_ / "elsewhere";
    fs::rename(place, elsewhere);
    test::writeWhole(place, "precious");
    const VerifyReport report = verify();
    EXPECT_TRUE(names(report, place)) << place;
    EXPECT_EQ(report.foreign, std::vector<fs::path>{}) << place;
    const auto below = std::count_if(
        report.damages.begin(), report.damages.end(),
        [&](const Damage& one) { return one.path.string().starts_with(place.string() + "/"); });
    EXPECT_EQ(below, place.filename() == "tags" ? 1 : 0) << place;
    EXPECT_EQ(test::readWhole(place), "precious");
    fs::remove(place);
    if (place == objects) fs::rename(elsewhere, place);
    ASSERT_TRUE(recoverVersions(store(), {}));
    EXPECT_TRUE(verify().sound()) << place;
    EXPECT_TRUE(comesBack("sst2:prod", *tuned_));
    fs::remove_all(elsewhere);
  }
}

TEST_F(ForeignPlaces, FilesOfOthersAreNamedAndLeftAlone) {
  std::vector<fs::path> strays;
  for (const char* const name :
       {"refs/.DS_Store", "refs/foo.txt", "refs/sst2/notes", "refs/sst2/tags/prod.json~",
        "refs/sst2/v1.json~", "trash/.DS_Store", "trash/foo.txt", "objects/Thumbs.db"}) {
    test::writeWhole(storeFolder() / name, "precious");
    strays.push_back(storeFolder() / name);
  }
  fs::create_directory(storeFolder() / "objects" / "lost+found");
  strays.push_back(storeFolder() / "objects" / "lost+found");
  leaveMark();
  const auto second = test::makeTuned(*base_, 11);
  add("sst2", *second);
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v2"}}));
  ASSERT_TRUE(emptyTrash(store(), {}));
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  const VerifyReport report = verify();
  EXPECT_TRUE(report.sound());
  std::sort(strays.begin(), strays.end());
  EXPECT_EQ(report.foreign, strays);
  store_.reset();
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  for (const fs::path& stray : strays) EXPECT_TRUE(fs::exists(stray)) << stray;
}

TEST_F(ForeignPlaces, NothingIsDoneWithoutTheLock) {
  const fs::path ref = store().refs().versionPath("sst2", 1);
  const std::size_t objects = store().objects().list()->size();
  {
    const auto writer = store().lock("test");
    ASSERT_TRUE(writer) << writer.error().message;
    fs::remove(storeFolder() / "lock");
    EXPECT_EQ((*writer)->rescueRefs().error().code, ErrorCode::StoreLocked);
    const auto other = Store::open(storeFolder());
    ASSERT_TRUE(other);
    (*other)->setLockWait({.longest = std::chrono::milliseconds(0)});
    EXPECT_EQ((*other)->lock("test").error().code, ErrorCode::StoreLocked);
    EXPECT_EQ((*writer)->renameVersions("sst2", "new").error().code, ErrorCode::StoreLocked);
    const auto version = store().resolve("sst2");
    EXPECT_EQ((*writer)->trashVersions({*version}, "remove").error().code, ErrorCode::StoreLocked);
    EXPECT_TRUE(fs::exists(ref));
  }
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  EXPECT_EQ(store().objects().list()->size(), objects);
}

TEST_F(ForeignPlaces, NoRefIsWrittenForObjectsThatAreGone) {
  const VersionEntry version = *store().resolve("sst2");
  const auto manifest = readManifest(store(), version.manifestDigest, version.contentDigest);
  ASSERT_TRUE(manifest);
  const ManifestSummary summary = summarize(*manifest, version.manifestDigest, store().objects());
  ASSERT_TRUE(store().objects().remove(summary.packs.front()));
  VersionRef ref;
  ref.name = "second";
  ref.contentDigest = version.contentDigest;
  ref.manifestDigest = version.manifestDigest;
  const auto writer = store().lock("test");
  ASSERT_TRUE(writer);
  expectRefused((*writer)->addVersion(ref, summary, {}), toHex(summary.packs.front()));
  EXPECT_FALSE(fs::exists(storeFolder() / "refs" / "second"));
}

TEST_F(ForeignPlaces, AFifoKeepsNobodyWaiting) {
  const auto replace = [](const fs::path& place) {
    fs::remove(place);
    ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0) << place;
  };
  const fs::path ref = store().refs().versionPath("sst2", 1);
  const fs::path manifest = store().objects().pathOf(store().resolve("sst2")->manifestDigest);
  replace(ref);
  replace(manifest);
  const VerifyReport report = verify();
  EXPECT_TRUE(names(report, ref));
  EXPECT_TRUE(names(report, manifest));
  EXPECT_FALSE(test::restoredBytes(store(), "sst2"));
  store_.reset();
  for (const char* const name : {"lock", "catalog.sqlite", "reserve"}) {
    replace(storeFolder() / name);
    expectRefused(Store::open(storeFolder()), std::string(name) + ": is a fifo, expected a file");
    EXPECT_FALSE(readLock(storeFolder() / "lock").held);
    fs::remove(storeFolder() / name);
  }
}

}  // namespace
}  // namespace strata
