#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/digest.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Outcome = AddReport::Outcome;
using Labels = std::vector<std::string>;

/// A base with a version that is a difference to it; adding a model again repairs what is damaged.
class Repair : public test::StoreFixture {
 protected:
  Repair() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *tuned_, "base");
  }

  VersionEntry entry(const std::string& reference) {
    return store().resolve(reference).value_or(VersionEntry{});
  }

  std::vector<fs::path> objectsOf(const std::string& reference, bool manifests) {
    std::vector<fs::path> paths;
    const auto objects = store().catalog().objectsOf(entry(reference).manifestDigest);
    for (const CatalogObject& object : objects.value()) {
      if (object.isManifest == manifests) paths.push_back(store().objects().pathOf(object.digest));
    }
    return paths;
  }

  static void flipByte(const fs::path& file) {
    std::string bytes = test::readWhole(file);
    bytes[bytes.size() / 2] ^= 1;
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    test::writeWhole(file, bytes);
  }

  Labels damagedVersions() {
    const auto report = verifyStore(store(), {}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report->damagedVersions;
  }

  void expectSound() {
    VerifyOptions options;
    options.level = VerifyOptions::Level::Rebuild;
    const auto report = verifyStore(store(), options, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.path << damage.reason;
    EXPECT_TRUE(comesBack("base", *base_));
    EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(Repair, WritesADamagedBaseAnewForItsDependants) {
  flipByte(objectsOf("base", false).at(0));
  EXPECT_EQ(damagedVersions(), (Labels{"base:v1", "sst2:v1"}));
  EXPECT_FALSE(test::restoredBytes(store(), "sst2"));
  const AddReport report = import("base", *base_);
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(report.repaired, Labels{"base:v1"});
  EXPECT_EQ(report.version.label(), "base:v1");
  expectSound();
}

TEST_F(Repair, WritesAMissingPackOfAVersionAnew) {
  const VersionEntry before = entry("sst2");
  fs::remove(objectsOf("sst2", false).at(0));
  const AddReport report = add("sst2", *tuned_);
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(report.parentLabel, "base:v1");
  EXPECT_EQ(entry("sst2").storedBytes, before.storedBytes);
  EXPECT_EQ(entry("sst2").addedAt, before.addedAt);
  expectSound();
}

TEST_F(Repair, TakesOtherSettingsThanTheDamagedVersionHad) {
  const auto raw = test::makeModel(50);
  const auto child = test::makeTuned(*raw, 60);
  ASSERT_TRUE(importBase(store(), *raw, {.name = "raw", .raw = true}, {}, {}));
  add("child", *child, "raw");
  const VersionEntry before = entry("raw");
  const fs::path pack = objectsOf("raw", false).at(0);
  flipByte(pack);
  // As a version of another name, and without saying that it is to be a base.
  const AddReport report = add("again", *raw);
  EXPECT_EQ(report.outcome, Outcome::Shared);
  EXPECT_EQ(report.repaired, Labels{"raw:v1"});
  EXPECT_EQ(report.version.label(), "again:v1");
  EXPECT_NE(entry("raw").manifestDigest, before.manifestDigest);
  EXPECT_EQ(entry("raw").contentDigest, before.contentDigest);
  EXPECT_TRUE(entry("raw").isBase());
  EXPECT_LT(entry("raw").storedBytes, before.storedBytes);
  EXPECT_EQ(report.version.storedBytes, 0U);
  EXPECT_FALSE(fs::exists(pack));
  EXPECT_TRUE(comesBack("raw", *raw));
  EXPECT_TRUE(comesBack("child", *child));
  expectSound();
}

TEST_F(Repair, FreesAVersionOfItsDamagedBase) {
  flipByte(objectsOf("base", false).at(0));
  EXPECT_FALSE(test::restoredBytes(store(), "sst2"));
  const AddReport report = add("sst2", *tuned_);
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(report.repaired, Labels{"sst2:v1"});
  EXPECT_EQ(report.parentLabel, "");
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_EQ(damagedVersions(), Labels{"base:v1"});
  EXPECT_EQ(add("sst2", *tuned_).outcome, Outcome::Unchanged);
  EXPECT_EQ(import("base", *base_).outcome, Outcome::Repaired);
  expectSound();
}

TEST_F(Repair, FreesAVersionOfADamagedMiddleOfItsChain) {
  const auto child = test::makeTuned(*tuned_, 70, 0.01);
  AddOptions options{.name = "child", .baseChoice = BaseChoice::Reference, .base = "sst2"};
  ASSERT_EQ(add(*child, options).parentLabel, "sst2:v1");
  fs::remove(objectsOf("sst2", false).at(0));
  // Even where the damaged parent is asked for.
  const AddReport report = add(*child, options);
  EXPECT_EQ(report.repaired, Labels{"child:v1"});
  EXPECT_TRUE(comesBack("child", *child));
  EXPECT_EQ(damagedVersions(), Labels{"sst2:v1"});
  EXPECT_EQ(add("sst2", *tuned_).outcome, Outcome::Repaired);
  expectSound();
}

TEST_F(Repair, OfAnOlderVersionMakesNoNewOne) {
  const auto next = test::makeTuned(*base_, 77);
  add("sst2", *next);
  flipByte(objectsOf("sst2:v1", false).at(0));
  AddOptions options{.name = "sst2"};
  options.tags = {"mended"};
  const AddReport report = add(*tuned_, options);
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(report.version.label(), "sst2:v1");
  EXPECT_TRUE(comesBack("sst2", *next));
  EXPECT_TRUE(comesBack("sst2:mended", *tuned_));
  expectSound();
}

TEST_F(Repair, SharesNoContentWhoseBaseIsDamaged) {
  flipByte(objectsOf("base", false).at(0));
  const AddReport report = add("copy", *tuned_);
  EXPECT_EQ(report.outcome, Outcome::Shared);
  EXPECT_EQ(report.repaired, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("copy", *tuned_));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  EXPECT_EQ(damagedVersions(), Labels{"base:v1"});
}

TEST_F(Repair, SharesNoContentOfTheTrashWhoseBaseIsDamaged) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  flipByte(objectsOf("base", false).at(0));
  EXPECT_EQ(add("copy", *tuned_).repaired, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("copy", *tuned_));
  ASSERT_TRUE(restoreFromTrash(store(), {"sst2"}));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(Repair, WritesABaseAnewThatIsAddedUnderAnotherName) {
  flipByte(objectsOf("base", false).at(0));
  const AddReport report = import("other", *base_);
  EXPECT_EQ(report.repaired, Labels{"base:v1"});
  EXPECT_TRUE(comesBack("other", *base_));
  expectSound();
}

TEST_F(Repair, WritesALostManifestAnew) {
  flipByte(objectsOf("base", true).at(0));
  fs::remove(objectsOf("sst2", true).at(0));
  EXPECT_EQ(import("base", *base_).outcome, Outcome::Repaired);
  EXPECT_EQ(add("sst2", *tuned_).outcome, Outcome::Repaired);
  expectSound();
}

TEST_F(Repair, RepairsWhatLiesInTheTrash) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2"}}));
  const auto trashed = store().catalog().version("sst2", 1, Place::Trash);
  ASSERT_TRUE(trashed && *trashed);
  const auto objects = store().catalog().objectsOf((*trashed)->manifestDigest);
  for (const CatalogObject& object : objects.value()) {
    fs::remove(store().objects().pathOf(object.digest));
  }
  const AddReport report = add("new", *tuned_, "base");
  EXPECT_EQ(report.repaired, Labels{"sst2:v1"});
  EXPECT_TRUE(comesBack("new", *tuned_));
  EXPECT_TRUE(damagedVersions().empty());
}

TEST_F(Repair, SaysInADryRunWhatItWouldDo) {
  flipByte(objectsOf("base", false).at(0));
  const std::size_t entries = test::entryCount(storeFolder());
  AddOptions options{.name = "base"};
  options.dryRun = true;
  const AddReport report = add(*base_, options);
  EXPECT_TRUE(report.dryRun);
  EXPECT_EQ(report.repaired, Labels{"base:v1"});
  EXPECT_EQ(test::entryCount(storeFolder()), entries);
  EXPECT_EQ(damagedVersions(), (Labels{"base:v1", "sst2:v1"}));
}

TEST_F(Repair, DoesWithoutAParentThatIsDamaged) {
  flipByte(objectsOf("base", false).at(0));
  fs::remove(objectsOf("sst2", false).at(0));
  EXPECT_EQ(add("sst2", *tuned_).outcome, Outcome::Repaired);
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  EXPECT_EQ(damagedVersions(), Labels{"base:v1"});
  import("base", *base_);
  expectSound();
}

/// A ref file's text as a program eight schemas later would write it.
std::string ofSchemaNine(std::string text) {
  constexpr std::string_view kSchema = "\"schema\":";
  constexpr std::string_view kRef = "\"ref\":";
  text.at(text.find(kSchema) + kSchema.size()) = '9';
  const std::size_t body = text.find(kRef) + kRef.size();
  const std::string_view ref = std::string_view(text).substr(body, text.rfind('}') - body);
  const std::string checksum = fmt::format("{:016x}", xxh3(std::as_bytes(std::span(ref))));
  return text.replace(text.find(":\"") + 2, checksum.size(), checksum);
}

/// Refs and manifests that were unreadable, with the catalog there and when it was lost, too.
class LostRef : public Repair {
 protected:
  LostRef() {
    AddOptions options{.name = "sst2"};
    options.note = "second";
    options.tags = {"kept"};
    add(*second_, options);
  }

  /// Without the old catalog, which knows what the refs said.
  void rebuild() {
    store_.reset();
    for (const char* end : {"", "-wal", "-shm"}) {
      fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
    }
    EXPECT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
    reopen();
  }

  fs::path refOf(std::uint32_t number) { return store().refs().versionPath("sst2", number); }

  const std::unique_ptr<test::MemoryModel> second_ = test::makeTuned(*base_, 900);
};

TEST_F(LostRef, IsWrittenAnewFromTheCatalog) {
  const VersionEntry before = entry("sst2:v2");
  for (const bool isGone : {false, true}) {
    isGone ? void(fs::remove(refOf(2))) : flipByte(refOf(2));
    EXPECT_EQ(damagedVersions(), Labels{"sst2:v2"});
    const AddReport report = add("sst2", *second_);
    EXPECT_EQ(report.outcome, Outcome::Repaired);
    EXPECT_EQ(report.repaired, Labels{"sst2:v2"});
    const auto ref = store().refs().readVersion("sst2", 2);
    ASSERT_TRUE(ref) << ref.error().message;
    EXPECT_EQ(ref->note, "second");
    EXPECT_EQ(ref->addedAt, before.addedAt);
    EXPECT_EQ(ref->storedBytes, before.storedBytes);
    expectSound();
  }
}

TEST_F(LostRef, GetsItsNumberBackAfterARebuild) {
  std::string text = test::readWhole(refOf(2));
  text[text.find("addedAt")] = 'X';
  test::writeWhole(refOf(2), text);
  rebuild();
  EXPECT_FALSE(store().resolve("sst2:v2"));
  const AddReport report = add("sst2", *second_);
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(report.version.label(), "sst2:v2");
  EXPECT_EQ(entry("sst2:kept").number, 2U);
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  expectSound();
}

TEST_F(LostRef, GetsItsNumberAndNoteBackIfItsManifestWasLost) {
  const VersionEntry before = entry("sst2:v2");
  flipByte(objectsOf("sst2:v2", true).at(0));
  rebuild();
  EXPECT_FALSE(store().resolve("sst2:v2"));
  const AddReport report = add("sst2", *second_);
  EXPECT_EQ(report.repaired, Labels{"sst2:v2"});
  EXPECT_EQ(report.version.label(), "sst2:v2");
  EXPECT_EQ(report.version.note, "second");
  EXPECT_EQ(report.version.addedAt, before.addedAt);
  expectSound();
}

TEST_F(LostRef, IsNoReasonToDeleteWhatItMayNeed) {
  add("extra", *test::makeTuned(*base_, 901));
  add("second", *test::makeTuned(*base_, 902));
  ASSERT_TRUE(removeVersions(store(), {.references = {"extra"}}));
  // A newer program's ref, and one that cannot be read.
  const std::string sound = test::readWhole(refOf(2));
  for (const auto& [text, code] : {std::pair(ofSchemaNine(sound), ErrorCode::FormatTooNew),
                                   std::pair(sound.substr(0, 60), ErrorCode::CorruptData)}) {
    test::writeWhole(refOf(2), text);
    rebuild();
    const std::size_t objects = store().objects().list()->size();
    const auto emptied = emptyTrash(store(), {});
    ASSERT_FALSE(emptied);
    EXPECT_EQ(emptied.error().code, code) << emptied.error().message;
    const auto removed = removeVersions(store(), {.references = {"second"}, .now = true});
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, code) << removed.error().message;
    EXPECT_TRUE(store().resolve("second"));
    EXPECT_EQ(store().objects().list()->size(), objects);
  }
  test::writeWhole(refOf(2), sound);
  rebuild();
  EXPECT_TRUE(emptyTrash(store(), {}));
  EXPECT_TRUE(comesBack("sst2:v2", *second_));
  expectSound();
}

TEST_F(LostRef, DoesNotGiveItsNumberToAnotherModel) {
  const std::string half = test::readWhole(refOf(2)).substr(0, 60);
  test::writeWhole(refOf(2), half);
  rebuild();
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 500)).version.label(), "sst2:v3");
  EXPECT_EQ(test::readWhole(refOf(2)), half);
}

TEST_F(LostRef, DoesNotGiveItsNumberToAVersionOfAnotherStore) {
  const std::string half = test::readWhole(refOf(2)).substr(0, 60);
  test::writeWhole(refOf(2), half);
  rebuild();
  VersionRef ref = store().refs().readVersion("sst2", 1).value();
  const auto manifest = readManifest(store(), ref.manifestDigest, ref.contentDigest);
  ASSERT_TRUE(manifest);
  const auto writer = store().lock("pull");
  ASSERT_TRUE(writer);
  ref.number = 2;
  const auto entry = (*writer)->adoptVersion(
      {ref, summarize(*manifest, ref.manifestDigest, store().objects()), {}});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->label(), "sst2:v3");
  EXPECT_EQ(test::readWhole(refOf(2)), half);
}

TEST_F(LostRef, GivesItsNumberToItsContentWhereNobodyKnowsWhatItStoodFor) {
  const VersionRef ref = store().refs().readVersion("sst2", 2).value();
  const auto manifest = readManifest(store(), ref.manifestDigest, ref.contentDigest);
  ASSERT_TRUE(manifest);
  ASSERT_TRUE(fs::remove(refOf(2)));
  // As earlier programs wrote it.
  const TagRef last{.name = "sst2", .tag = "last", .number = 2, .note = {}};
  test::writeWhole(store().refs().lastNumberPath("sst2"), serializeTagRef(last));
  const auto writer = store().lock("pull");
  ASSERT_TRUE(writer);
  const auto entry = (*writer)->adoptVersion(
      {ref, summarize(*manifest, ref.manifestDigest, store().objects()), {}});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->label(), "sst2:v2");
}

/// A second manifest of the base's content, as a store that others fill may have.
class RepairFromCopy : public Repair {
 protected:
  RepairFromCopy() {
    auto other = Store::create(folder_ / "other");
    EXPECT_TRUE(other);
    EXPECT_TRUE(importBase(**other, *base_, {.name = "copy", .raw = true}, {}, {}));
    for (const char* part : {"objects", "refs"}) {
      fs::copy(folder_ / "other" / part, storeFolder() / part,
               fs::copy_options::recursive | fs::copy_options::skip_existing);
    }
    store_.reset();
    EXPECT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
    reopen();
  }
};

TEST_F(RepairFromCopy, RestsOnASoundCopyWithoutCodingAnew) {
  const fs::path pack = objectsOf("base", false).at(0);
  flipByte(pack);
  const AddReport report = import("base", *base_);
  EXPECT_EQ(report.outcome, Outcome::Repaired);
  EXPECT_EQ(entry("base").manifestDigest, entry("copy").manifestDigest);
  EXPECT_FALSE(fs::exists(pack));
  expectSound();
}

TEST_F(RepairFromCopy, IsSettledByTheNextWriterWhenKilledBeforeTheCatalog) {
  VersionRef ref = store().refs().readVersion("base", 1).value();
  ref.manifestDigest = entry("copy").manifestDigest;
  ASSERT_TRUE(store().refs().writeVersion(ref));
  EXPECT_NE(entry("base").manifestDigest, ref.manifestDigest);
  auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
  ASSERT_TRUE(catalog);
  ASSERT_TRUE(syncCatalog(**catalog, store().refs(), store().objects(), SyncScope::Differences, {},
                          {}, {}));
  reopen();
  EXPECT_EQ(entry("base").manifestDigest, ref.manifestDigest);
  expectSound();
}

}  // namespace
}  // namespace strata
