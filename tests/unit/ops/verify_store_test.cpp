#include "core/ops/care/verify_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/check_dates.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Level = VerifyOptions::Level;

std::vector<fs::path> filesUnder(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class VerifyStore : public test::StoreFixture {
 protected:
  VerifyStore() : base_(test::makeModel(1, 300)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    add("sst2", *tuned_, "base");
  }

  VerifyReport verify(Level level) {
    VerifyOptions options;
    options.level = level;
    auto report = verifyStore(store(), options, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  }

  /// All that the catalog knows, as text.
  std::vector<std::string> snapshot() {
    std::vector<std::string> lines;
    const Catalog& catalog = store().catalog();
    for (const auto place : {Place::Live, Place::Trash}) {
      const auto entries = catalog.versions(place);
      for (const VersionEntry& e : entries.value()) {
        lines.push_back(e.label() + toHex(e.contentDigest) + toHex(e.manifestDigest) + e.note +
                        e.license + e.sourceUrl + std::to_string(e.addedAt) +
                        std::to_string(e.removedAt) + std::to_string(e.storedBytes) + "/" +
                        std::to_string(e.changedTensors) + (e.tags.empty() ? "" : e.tags[0]));
      }
    }
    const auto tags = catalog.tags();
    for (const TagRef& tag : tags.value()) lines.push_back(serializeTagRef(tag));
    const auto signatures =
        catalog.forEachSignature([&](std::string_view, std::uint32_t, std::string_view signature) {
          lines.emplace_back(signature);
        });
    EXPECT_TRUE(signatures);
    lines.push_back(std::to_string(catalog.lastNumber("ner").value()));
    return lines;
  }

  const std::unique_ptr<test::MemoryModel> base_;
  const std::unique_ptr<test::MemoryModel> tuned_;
};

TEST_F(VerifyStore, KeepsWhenAVersionWasFoundSound) {
  const auto checkedAt = [this](const char* label) { return store().resolve(label)->checkedAt; };
  EXPECT_EQ(checkedAt("sst2"), 0);
  verify(Level::Quick);
  EXPECT_EQ(checkedAt("sst2"), 0) << "nobody looked at its bytes";
  const std::int64_t before = currentTime();
  verify(Level::Full);
  EXPECT_GE(checkedAt("base"), before);
  EXPECT_GE(checkedAt("sst2"), before);
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_GE(checkedAt("sst2"), before) << "a sound catalog keeps it";
}

TEST_F(VerifyStore, ChecksOfOneVersionCountForItsParentsOnly) {
  add("ner", *test::makeTuned(*base_, 11), "base");
  const VerifyReport report =
      verifyStore(store(), {.references = {"sst2"}}, {}, {}).value_or(VerifyReport{});
  EXPECT_TRUE(report.sound());
  EXPECT_FALSE(report.notKept);
  EXPECT_NE(store().resolve("base")->checkedAt, 0);
  EXPECT_NE(store().resolve("sst2")->checkedAt, 0);
  EXPECT_EQ(store().resolve("ner")->checkedAt, 0);
}

TEST_F(VerifyStore, TellsOfEachOfManyVersionsWhenItWasFoundSound) {
  for (int seed = 20; seed < 28; ++seed) add("ner", *test::makeTuned(*base_, seed), "base");
  ASSERT_TRUE(verifyStore(store(), {.references = {"ner:v3"}}, {}, {}));
  const auto versions = store().catalog().versions();
  ASSERT_TRUE(versions);
  ASSERT_GT(versions->size(), 8U);
  for (const VersionEntry& one : *versions) {
    const bool isChecked = one.name == "base" || one.label() == "ner:v3";
    EXPECT_EQ(one.checkedAt != 0, isChecked) << one.label();
    EXPECT_EQ(one.checkedAt, store().resolve(one.label())->checkedAt);
  }
}

TEST_F(VerifyStore, TakesTheDateBackOfWhatIsDamaged) {
  verify(Level::Full);
  const auto objects = store().catalog().objectsOf(store().resolve("sst2")->manifestDigest);
  const fs::path pack = store().objects().pathOf(objects->back().digest);
  fs::permissions(pack, fs::perms::owner_write, fs::perm_options::add);
  std::string bytes = test::readWhole(pack);
  bytes[bytes.size() / 2] ^= 1;
  test::writeWhole(pack, bytes);
  EXPECT_FALSE(verify(Level::Full).sound());
  EXPECT_EQ(store().resolve("sst2")->checkedAt, 0);
  EXPECT_NE(store().resolve("base")->checkedAt, 0);
  // And it is known as damaged, until it is mended.
  const auto damaged = [this] { return damagedManifests(storeFolder()).value(); };
  const Digest manifest = store().resolve("sst2")->manifestDigest;
  ASSERT_EQ(damaged().size(), 1U);
  EXPECT_GT(damaged()[manifest], 0);
  EXPECT_TRUE(verify(Level::Quick).sound());
  EXPECT_EQ(damaged().size(), 1U) << "nobody looked at its bytes";
  EXPECT_EQ(add("sst2", *tuned_, "base").repaired.size(), 1U);
  EXPECT_TRUE(damaged().empty());
  EXPECT_TRUE(verify(Level::Full).sound());
}

TEST_F(VerifyStore, KnowsNoDamageBeforeTheFirstCheck) {
  EXPECT_TRUE(damagedManifests(storeFolder()).value().empty());
  EXPECT_TRUE(forgetDamage(storeFolder(), {}));
}

TEST_F(VerifyStore, CountsWhatWasNotCheckedLately) {
  EXPECT_EQ(countUnchecked(store(), currentTime() + 10), 2U);
  EXPECT_EQ(countUnchecked(store(), currentTime() - 10), 0U) << "added a moment ago";
  const auto listed = [this](const char* filter) {
    return listVersions(store(), {.allVersions = true, .filter = filter})->rows.size();
  };
  EXPECT_EQ(listed("unchecked<1"), 2U);
  EXPECT_EQ(listed("unchecked>1"), 0U);
  EXPECT_EQ(listed("checked<2026-01-01"), 2U) << "never is before all";
  verify(Level::Full);
  EXPECT_EQ(listed("checked>=2026-01-01"), 2U);
}

TEST_F(VerifyStore, FindsASoundStoreSound) {
  for (const Level level : {Level::Quick, Level::Full, Level::Rebuild}) {
    const VerifyReport report = verify(level);
    for (const Damage& damage : report.damages) ADD_FAILURE() << damage.path << damage.reason;
    EXPECT_EQ(report.baseCount, 1U);
    EXPECT_EQ(report.versionCount, 1U);
    EXPECT_GE(report.objectCount, 3U);
  }
}

TEST_F(VerifyStore, NamesAMissingObjectAndWhoNeedsIt) {
  const auto objects = store().catalog().objectsOf(store().resolve("base")->manifestDigest);
  ASSERT_TRUE(objects);
  const Digest pack = objects->back().digest;
  fs::remove(store().objects().pathOf(pack));
  const VerifyReport report = verify(Level::Quick);
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::Pack);
  EXPECT_EQ(report.damages[0].digest, pack);
  EXPECT_EQ(report.damagedVersions, (std::vector<std::string>{"base:v1", "sst2:v1"}));
}

TEST_F(VerifyStore, TakesSizesThatCouldNotBeReadForNoDamage) {
  const VersionRef ref = store().refs().readVersion("sst2", 1).value();
  const auto manifest = readManifest(store(), ref.manifestDigest, ref.contentDigest);
  ASSERT_TRUE(manifest);
  ManifestSummary summary = summarize(*manifest, ref.manifestDigest, store().objects());
  std::fill(summary.packBytes.begin(), summary.packBytes.end(), 0);
  {
    auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
    ASSERT_TRUE(catalog);
    ASSERT_TRUE((*catalog)->transact([&]() -> Result<void> {
      STRATA_TRY((*catalog)->eraseVersion("sst2", 1));
      STRATA_TRY((*catalog)->dropUnused());
      return (*catalog)->putVersion(ref, summary);
    }));
  }
  EXPECT_TRUE(verify(Level::Quick).sound());
  EXPECT_TRUE(verify(Level::Rebuild).sound());
}

TEST_F(VerifyStore, NeverGivesAWrongModelForAFlippedByte) {
  std::mt19937 random(7);
  for (const fs::path& file : filesUnder(storeFolder() / "objects")) {
    const std::string sound = test::readWhole(file);
    for (std::size_t i = 0; i < sound.size(); ++i) {
      std::string damaged = sound;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
      test::writeWhole(file, damaged);
      bool isNoticed = false;
      for (const auto& [reference, model] :
           {std::pair("base", base_.get()), std::pair("sst2", tuned_.get())}) {
        const auto bytes = test::restoredBytes(store(), reference);
        if (bytes) {
          ASSERT_EQ(*bytes, model->bytesOf(0)) << file << " byte " << i;
        } else {
          EXPECT_EQ(bytes.error().code, ErrorCode::CorruptData)
              << file << " byte " << i << ": " << bytes.error().message;
          isNoticed = true;
        }
      }
      const VerifyReport report = verify(Level::Full);
      ASSERT_FALSE(report.sound()) << file << " byte " << i;
      EXPECT_TRUE(!isNoticed || !report.damagedVersions.empty());
    }
    test::writeWhole(file, sound);
  }
  EXPECT_TRUE(verify(Level::Rebuild).sound());
}

TEST_F(VerifyStore, NeverGivesAWrongModelForAFlippedByteOfRefsOrCatalog) {
  std::vector<fs::path> files = filesUnder(storeFolder() / "refs");
  files.push_back(storeFolder() / "store.toml");
  files.push_back(storeFolder() / "catalog.sqlite");
  store_.reset();
  for (const fs::path& file : files) {
    const std::string sound = test::readWhole(file);
    // Every byte of the small ones, a part of the catalog's.
    const std::size_t step = sound.size() > 20'000 ? 97 : 1;
    for (std::size_t i = 0; i < sound.size(); i += step) {
      std::string damaged = sound;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
      test::writeWhole(file, damaged);
      const auto opened = Store::open(storeFolder());
      if (!opened) continue;
      for (const auto& [reference, model] :
           {std::pair("base", base_.get()), std::pair("sst2", tuned_.get())}) {
        const auto bytes = test::restoredBytes(**opened, reference);
        if (!bytes) continue;
        ASSERT_EQ(*bytes, model->bytesOf(0)) << file << " byte " << i;
      }
    }
    test::writeWhole(file, sound);
  }
}

TEST_F(VerifyStore, FindsACatalogThatDisagrees) {
  fs::remove(store().refs().versionPath("sst2", 1));
  const VerifyReport report = verify(Level::Quick);
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.damages[0].kind, Damage::Kind::Ref);
  EXPECT_EQ(test::restoredBytes(store(), "sst2").error().code, ErrorCode::CorruptData);
}

TEST_F(VerifyStore, RebuildsTheCatalogWithNothingLost) {
  ASSERT_TRUE(addTag(store(), {.reference = "sst2", .tag = "prod", .note = "ready"}));
  AddOptions options{.name = "ner"};
  options.note = "a note";
  options.license = "MIT";
  options.sourceUrl = "file:///x";
  options.tags = {"lab"};
  add(*test::makeTuned(*base_, 30), options);
  add("ner", *test::makeTuned(*base_, 31));
  ASSERT_TRUE(removeVersions(store(), {.references = {"ner:v1"}}));
  const auto before = snapshot();
  store_.reset();
  for (const char* name : {"catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"}) {
    fs::remove(storeFolder() / name);
  }
  EXPECT_EQ(Store::open(storeFolder()).error().code, ErrorCode::CorruptData);
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_TRUE(rebuilt->problems.empty());
  EXPECT_EQ(rebuilt->versionCount, 3U);
  EXPECT_EQ(rebuilt->trashedCount, 1U);
  EXPECT_EQ(rebuilt->tagCount, 1U);
  reopen();
  EXPECT_EQ(snapshot(), before);
  EXPECT_TRUE(verify(Level::Rebuild).sound());
  // An unreadable one is replaced, a sound one is written over.
  store_.reset();
  test::writeWhole(storeFolder() / "catalog.sqlite", "this is no database, whatever its name says");
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_EQ(snapshot(), before);
}

TEST_F(VerifyStore, LeavesABrokenCatalogToTheNextOneIfItIsCancelled) {
  store_.reset();
  const std::string broken = "this is no database, whatever its name says";
  test::writeWhole(storeFolder() / "catalog.sqlite", broken);
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled = rebuildCatalog(storeFolder(), stop.get_token(), {});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(test::readWhole(storeFolder() / "catalog.sqlite"), broken);
  EXPECT_FALSE(Store::open(storeFolder()));
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_EQ(add("sst2", *test::makeTuned(*base_, 77), "base").version.label(), "sst2:v2");
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(verify(Level::Rebuild).sound());
}

TEST_F(VerifyStore, NeverWritesOneVersionOverAnother) {
  // A catalog that knows of nothing, as it might be restored from an old backup.
  store_.reset();
  const std::string ref = test::readWhole(storeFolder() / "refs" / "sst2" / "v1.json");
  for (const char* end : {"", "-wal", "-shm"}) {
    fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
  }
  ASSERT_TRUE(Catalog::create(storeFolder() / "catalog.sqlite"));
  reopen();
  const std::unique_ptr<test::MemoryModel> other = test::makeTuned(*base_, 78);
  EXPECT_EQ(add("sst2", *other).version.label(), "sst2:v2");
  EXPECT_EQ(test::readWhole(storeFolder() / "refs" / "sst2" / "v1.json"), ref);
}

TEST_F(VerifyStore, ReadsWhatIsDoneWhileAWriterIsAtWork) {
  const std::unique_ptr<test::MemoryModel> next = test::makeTuned(*base_, 79);
  add("sst2", *next, "base");
  ASSERT_TRUE(addTag(store(), {.reference = "sst2:v1", .tag = "prod"}));
  const VersionRef second = store().refs().readVersion("sst2", 2).value();
  const auto writer = store().lock("test");
  ASSERT_TRUE(writer);
  // A third version whose ref is there before the catalog knows it.
  VersionRef third = second;
  third.number = 3;
  ASSERT_TRUE(store().refs().writeNewVersion(third));
  EXPECT_EQ(test::restoredBytes(store(), "sst2").value(), next->bytesOf(0));
  EXPECT_EQ(test::restoredBytes(store(), "sst2:v3").error().code, ErrorCode::NotFound);
  // One that is on its way to the trash.
  ASSERT_TRUE(store().refs().writeTrashed(second));
  ASSERT_TRUE(store().refs().eraseVersion("sst2", 2));
  EXPECT_EQ(test::restoredBytes(store(), "sst2:v2").value(), next->bytesOf(0));
  // A tag that moves.
  ASSERT_TRUE(store().refs().writeTag({"sst2", "prod", 2, {}, 0}));
  EXPECT_EQ(test::restoredBytes(store(), "sst2:prod").value(), tuned_->bytesOf(0));
  // A version that is nowhere is damage all the same.
  ASSERT_TRUE(store().refs().eraseVersion("sst2", 1));
  EXPECT_EQ(test::restoredBytes(store(), "sst2:v1").error().code, ErrorCode::CorruptData);
}

TEST_F(VerifyStore, ReportsRefsThatItCannotRebuildFrom) {
  store_.reset();
  test::writeWhole(storeFolder() / "refs" / "sst2" / "v1.json", "{}");
  fs::remove(storeFolder() / "catalog.sqlite");
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_EQ(rebuilt->versionCount, 1U);
  ASSERT_EQ(rebuilt->problems.size(), 1U);
  EXPECT_NE(rebuilt->problems[0].find("sst2:v1"), std::string::npos);
}

TEST_F(VerifyStore, HealsByAddingTheModelAgain) {
  const auto objects = store().catalog().objectsOf(store().resolve("sst2")->manifestDigest);
  ASSERT_TRUE(objects);
  for (const CatalogObject& object : *objects) {
    if (!object.isManifest) fs::remove(store().objects().pathOf(object.digest));
  }
  ASSERT_FALSE(verify(Level::Quick).sound());
  add("sst2", *tuned_, "base");
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(verify(Level::Rebuild).sound());
}

}  // namespace
}  // namespace strata
