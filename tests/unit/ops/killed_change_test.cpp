#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

using Step = std::function<Result<void>(const RefFolder&, Catalog&)>;

/// Changes of several refs, broken off after each of their steps: what the next writer finds is the
/// old store or what the change makes of it, and it makes it whole.
class KilledChange : public test::StoreFixture {
 protected:
  KilledChange() : base_(test::makeModel(1)) {
    import("base", *base_);
    for (unsigned seed : {10U, 20U}) {
      AddOptions options{.name = "run"};
      options.chain = ChainPolicy::Never;
      options.tags = {"t" + std::to_string(seed)};
      add(*test::makeTuned(*base_, seed), options);
    }
  }

  VersionRef ref(std::uint32_t number, Place place = Place::Live) {
    const auto read = store().refs().readVersion("run", number, place);
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(VersionRef{});
  }

  TagRef tag(const std::string& name) {
    const auto read = store().refs().readTag("run", name);
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(TagRef{});
  }

  /// Runs 0, 1, … all of `steps` on copies of the store, and then a writer. Without a step the
  /// store has to be as before, else as after the change.
  void finishesAfterEach(const std::vector<Step>& steps, const std::string& before,
                         const std::string& after) {
    store_.reset();
    for (std::size_t count = 0; count <= steps.size(); ++count) {
      SCOPED_TRACE("killed after step " + std::to_string(count));
      const fs::path copy = folder_ / ("copy" + std::to_string(count));
      fs::copy(storeFolder(), copy, fs::copy_options::recursive);
      {
        const auto catalog = Catalog::openForWriting(copy / "catalog.sqlite");
        ASSERT_TRUE(catalog) << catalog.error().message;
        for (std::size_t i = 0; i < count; ++i) {
          const auto done = steps[i](RefFolder(copy), **catalog);
          ASSERT_TRUE(done) << done.error().message;
        }
      }
      test::writeWhole(copy / "lock", "1\nhost\n0\nstrata remove\n");
      const auto store = Store::open(copy);
      ASSERT_TRUE(store) << store.error().message;
      expectSound(**store, VerifyOptions::Level::Quick);
      ASSERT_TRUE((*store)->lock("test"));
      EXPECT_EQ(listed(**store), count == 0 ? before : after);
      expectSound(**store, VerifyOptions::Level::Rebuild);
      EXPECT_FALSE(fs::exists(copy / "change.json"));
      EXPECT_EQ(test::entryCount(copy / "tmp"), 0U);
    }
  }

  static void expectSound(const Store& store, VerifyOptions::Level level) {
    const auto report = verifyStore(store, {.level = level}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.path << damage.reason;
  }

  /// "base:v1 run:v1(t10) | run:v2(t20)": what is live and what is in the trash.
  static std::string listed(const Store& store) {
    std::string text;
    for (const Place place : {Place::Live, Place::Trash}) {
      const auto versions = store.catalog().versions(place);
      for (const VersionEntry& version : versions.value()) {
        text += version.label();
        for (const std::string& one : version.tags) text += "(" + one + ")";
        text += ' ';
      }
      if (place == Place::Live) text += "| ";
    }
    return text;
  }

  static Step erase(std::uint32_t number, Place place) {
    return [=](const RefFolder& refs, Catalog&) { return refs.eraseVersion("run", number, place); };
  }

  const std::unique_ptr<test::MemoryModel> base_;
};

Step write(const VersionRef& ref) {
  return [=](const RefFolder& refs, Catalog&) {
    return ref.place() == Place::Live ? refs.writeVersion(ref) : refs.writeTrashed(ref);
  };
}

Step begin(const RefChange& change) {
  return [=](const RefFolder& refs, Catalog&) { return refs.writeChange(change); };
}

TEST_F(KilledChange, RemovesAllVersionsOrNone) {
  VersionRef first = ref(1);
  VersionRef second = ref(2);
  first.removedAt = second.removedAt = currentTime();
  first.tags = {tag("t10")};
  second.tags = {tag("t20")};
  finishesAfterEach({begin({{first, second}}),
                     [&](const RefFolder&, Catalog& catalog) -> Result<void> {
                       STRATA_TRY(catalog.markRemoved("run", 1, first.removedAt));
                       return catalog.markRemoved("run", 2, second.removedAt);
                     },
                     write(first), write(second), erase(1, Place::Live), erase(2, Place::Live),
                     [](const RefFolder& refs, Catalog&) { return refs.eraseTag("run", "t10"); },
                     [](const RefFolder& refs, Catalog&) { return refs.eraseTag("run", "t20"); },
                     [](const RefFolder& refs, Catalog&) { return refs.eraseChange(); }},
                    "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 | run:v1(t10) run:v2(t20) ");
}

TEST_F(KilledChange, AdoptsAllVersionsOrNone) {
  RefChange change{{ref(1), ref(2)}};
  for (VersionRef& one : change.versions) {
    one.name = "new";
    one.tags = {{"new", "t" + std::to_string(one.number), one.number, {}, currentTime()}};
  }
  Operation pulled = makeOperation("pull", labelsOf(change.versions));
  change.operation = serializeOperation(pulled);
  const auto put = [&](std::size_t i) -> Step {
    return [=](const RefFolder& refs, Catalog&) { return giveTags(refs, change.versions[i]); };
  };
  finishesAfterEach(
      {begin(change), write(change.versions[0]), write(change.versions[1]), put(0), put(1)},
      "base:v1 run:v1(t10) run:v2(t20) | ",
      "base:v1 new:v1(t1) new:v2(t2) run:v1(t10) run:v2(t20) | ");
  const auto settled = Store::open(folder_ / "copy1");
  ASSERT_TRUE(settled);
  std::string kinds;
  const auto done = (*settled)->catalog().operations(3).value();
  for (const Operation& one : done) kinds += one.kind + ' ';
  EXPECT_EQ(kinds, "verify settle pull ") << "one for both";
}

TEST_F(KilledChange, RestoresAllVersionsFromTheTrashOrNone) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1", "run:v2"}}));
  VersionRef first = ref(1, Place::Trash);
  VersionRef second = ref(2, Place::Trash);
  const RefChange change{{first, second}, {first.tags.at(0), second.tags.at(0)}};
  RefChange whole = change;
  for (VersionRef& one : whole.versions) {
    one.removedAt = 0;
    one.tags.clear();
  }
  const auto put = [&](std::size_t i) -> Step {
    return [=](const RefFolder& refs, Catalog&) { return refs.writeTag(whole.tags[i]); };
  };
  finishesAfterEach({begin(whole), put(0), put(1), write(whole.versions[0]),
                     write(whole.versions[1]), erase(1, Place::Trash), erase(2, Place::Trash)},
                    "base:v1 | run:v1(t10) run:v2(t20) ", "base:v1 run:v1(t10) run:v2(t20) | ");
}

TEST_F(KilledChange, PutsAllTagsOrNone) {
  const RefChange change{{}, {{"run", "t10", 2, {}, currentTime()}, {"run", "new", 2, {}, 5}}};
  const auto put = [&](std::size_t i) -> Step {
    return [=](const RefFolder& refs, Catalog&) { return refs.writeTag(change.tags[i]); };
  };
  finishesAfterEach({begin(change), put(0), put(1)}, "base:v1 run:v1(t10) run:v2(t20) | ",
                    "base:v1 run:v1 run:v2(new)(t10)(t20) | ");
}

/// The catalog still lists the tags of a writer that died before it was told.
TEST_F(KilledChange, ErasesAllTagsOrNone) {
  RefChange change;
  change.erasedTags = {tag("t10"), tag("t20")};
  const auto erase = [](const char* name) -> Step {
    return [=](const RefFolder& refs, Catalog&) { return refs.eraseTag("run", name); };
  };
  finishesAfterEach({begin(change), erase("t10"), erase("t20")},
                    "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 run:v1 run:v2 | ");
}

TEST_F(KilledChange, GivesAllVersionsAnotherManifestOrNone) {
  // Of a second store, that has the same model in another form.
  const auto other = Store::create(folder_ / "other");
  ASSERT_TRUE(other);
  AddOptions options{.name = "run"};
  options.codec = "raw";
  const auto model = test::makeTuned(*base_, 10);
  ASSERT_TRUE(addVersion(**other, *model, options, {}, {}));
  fs::copy(folder_ / "other" / "objects", storeFolder() / "objects",
           fs::copy_options::recursive | fs::copy_options::skip_existing);
  add("same", *model);
  RefChange change{{ref(1), *store().refs().readVersion("same", 1)}};
  const Digest old = change.versions[0].manifestDigest;
  const Digest next = (*other)->resolve("run:v1")->manifestDigest;
  for (VersionRef& one : change.versions) one.manifestDigest = next;
  const std::string all = "base:v1 run:v1(t10) run:v2(t20) same:v1 | ";
  finishesAfterEach({begin(change), write(change.versions[0]), write(change.versions[1])}, all,
                    all);
  for (unsigned count = 0; count <= 3; ++count) {
    const RefFolder refs(folder_ / ("copy" + std::to_string(count)));
    for (const char* name : {"run", "same"}) {
      EXPECT_EQ(refs.readVersion(name, 1)->manifestDigest, count == 0 ? old : next);
    }
  }
}

TEST_F(KilledChange, RenamesAllVersionsOrNone) {
  const auto copied = [](VersionRef ref) {
    ref.name = "walk";
    return write(ref);
  };
  const auto put = [&](TagRef tag) -> Step {
    tag.name = "walk";
    return [=](const RefFolder& refs, Catalog&) { return refs.writeTag(tag); };
  };
  finishesAfterEach(
      {[](const RefFolder& refs, Catalog&) { return refs.writeFormerName("walk", "run"); },
       copied(ref(1)), copied(ref(2)), put(tag("t10")), put(tag("t20")),
       [](const RefFolder&, Catalog& catalog) { return catalog.renameVersions("run", "walk"); },
       [](const RefFolder& refs, Catalog&) { return refs.writeLastNumber("walk", {2}); },
       [](const RefFolder& refs, Catalog&) {
         return refs.writeLastNumber("run", {2, "walk"});
       },
       erase(1, Place::Live), erase(2, Place::Live)},
      "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 walk:v1(t10) walk:v2(t20) | ");
}

TEST_F(KilledChange, IsFinishedWhereAnotherProgramClearedTheMark) {
  const TagRef moved{"run", "t10", 2, {}, currentTime()};
  ASSERT_TRUE(store().refs().writeChange({{}, {moved}}));
  ASSERT_TRUE(store().lock("test"));
  EXPECT_EQ(listed(store()), "base:v1 run:v1 run:v2(t10)(t20) | ");
  expectSound(store(), VerifyOptions::Level::Rebuild);
}

TEST_F(KilledChange, OfTheSameWriterReachesTheCatalog) {
  const auto writer = store().lock("test");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(store().refs().writeChange({{}, {{"run", "t10", 2, {}, currentTime()}}}));
  ASSERT_TRUE((*writer)->putTags({{"run", "new", 1, {}, currentTime()}}));
  EXPECT_EQ(listed(store()), "base:v1 run:v1(new) run:v2(t10)(t20) | ");
  expectSound(store(), VerifyOptions::Level::Quick);
}

/// Another program, which did not know the file, went on since.
TEST_F(KilledChange, IsDroppedIfItComesTooLate) {
  const std::string all = "base:v1 run:v1(t10) run:v2(t20) | ";
  const auto settlesTo = [&](const RefChange& change, const std::string& expected) {
    ASSERT_TRUE(store().refs().writeChange(change));
    ASSERT_TRUE(store().lock("test"));
    EXPECT_EQ(listed(store()), expected);
    EXPECT_FALSE(fs::exists(storeFolder() / "change.json"));
    expectSound(store(), VerifyOptions::Level::Rebuild);
  };
  // The tag was put elsewhere.
  settlesTo({{}, {{"run", "t10", 2, {}, 5}}}, all);
  // The version got a tag.
  VersionRef removed = ref(1);
  removed.removedAt = currentTime();
  settlesTo({{removed}}, all);
  // The version rests on another manifest, and the former one is gone.
  VersionRef former = ref(2);
  former.manifestDigest = {};
  settlesTo({{former}}, all);
  // The version was deleted.
  const VersionRef gone = ref(2);
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v2"}, .now = true}));
  settlesTo({{gone}, {{"run", "t20", 2, {}, currentTime()}}}, "base:v1 run:v1(t10) | ");
}

/// A change whose file is damaged: its command had ended well once the catalog knew of it.
class DamagedChange : public KilledChange {
 protected:
  /// As finishesAfterEach, with a `change.json` that is damaged in the end and a repair. The first
  /// step begins the change, the second one is the catalog's.
  void isMendedAfterEach(const std::vector<Step>& steps, const std::string& before,
                         const std::string& after) {
    store_.reset();
    for (std::size_t count = 1; count <= steps.size(); ++count) {
      SCOPED_TRACE("damaged after step " + std::to_string(count));
      const fs::path copy = folder_ / ("copy" + std::to_string(count));
      fs::copy(storeFolder(), copy, fs::copy_options::recursive);
      {
        const auto catalog = Catalog::openForWriting(copy / "catalog.sqlite");
        ASSERT_TRUE(catalog) << catalog.error().message;
        for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(steps[i](RefFolder(copy), **catalog));
      }
      test::writeWhole(copy / "lock", "1\nhost\n0\nstrata remove\n");
      const fs::path file = copy / "change.json";
      std::string text = test::readWhole(file);
      text[text.size() / 2] ^= 1;
      test::writeWhole(file, text);
      const auto store = Store::open(copy);
      ASSERT_TRUE(store) << store.error().message;
      const auto report = verifyStore(**store, {}, {}, {});
      ASSERT_TRUE(report) << report.error().message;
      ASSERT_EQ(report->damages.size(), 1U);
      EXPECT_EQ(report->damages[0].path, file);
      const auto refused = (*store)->lock("test");
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
      EXPECT_EQ(test::readWhole(file), text) << "it was dropped";
      const auto mended = recoverVersions(**store, {});
      ASSERT_TRUE(mended) << mended.error().message;
      EXPECT_EQ(mended->setAside, std::vector<fs::path>{file.string() + ".damaged"});
      // Nothing is left to do before the catalog's step, and where all refs have their places.
      if (count <= 2) {
        EXPECT_EQ(mended->finished.empty(), count == 1);
      }
      EXPECT_EQ(listed(**store), count == 1 ? before : after);
      expectSound(**store, VerifyOptions::Level::Rebuild);
      EXPECT_FALSE(fs::exists(file));
      EXPECT_EQ(test::readWhole(file.string() + ".damaged"), text);
      EXPECT_TRUE((*store)->lock("test"));
      EXPECT_EQ(verifyStore(**store, {}, {}, {})->setAside, mended->setAside);
    }
  }
};

TEST_F(DamagedChange, OfARemovalIsDoneAsTheCatalogKnowsIt) {
  VersionRef first = ref(1);
  VersionRef second = ref(2);
  first.removedAt = second.removedAt = currentTime();
  first.tags = {tag("t10")};
  second.tags = {tag("t20")};
  isMendedAfterEach({begin({{first, second}}),
                     [&](const RefFolder&, Catalog& catalog) -> Result<void> {
                       STRATA_TRY(catalog.markRemoved("run", 1, first.removedAt));
                       return catalog.markRemoved("run", 2, second.removedAt);
                     },
                     write(first), write(second), erase(1, Place::Live), erase(2, Place::Live)},
                    "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 | run:v1(t10) run:v2(t20) ");
}

TEST_F(DamagedChange, OfAReturnFromTheTrashIsDoneAsTheCatalogKnowsIt) {
  ASSERT_TRUE(removeVersions(store(), {.references = {"run:v1"}}));
  VersionRef first = ref(1, Place::Trash);
  const RefChange change{{first}, {first.tags.at(0)}};
  RefChange whole = change;
  whole.versions[0].removedAt = 0;
  whole.versions[0].tags.clear();
  isMendedAfterEach({begin(whole),
                     [&](const RefFolder&, Catalog& catalog) -> Result<void> {
                       STRATA_TRY(catalog.eraseTrashedTags("run", 1));
                       STRATA_TRY(catalog.markRemoved("run", 1, 0));
                       return catalog.putTag(whole.tags[0]);
                     },
                     [&](const RefFolder& refs, Catalog&) { return refs.writeTag(whole.tags[0]); },
                     write(whole.versions[0])},
                    "base:v1 run:v2(t20) | run:v1(t10) ", "base:v1 run:v1(t10) run:v2(t20) | ");
}

TEST_F(DamagedChange, OfTagsIsDoneAsTheCatalogKnowsIt) {
  const RefChange change{{}, {{"run", "t10", 2, {}, currentTime()}, {"run", "new", 2, {}, 5}}};
  isMendedAfterEach(
      {begin(change),
       [&](const RefFolder&, Catalog& catalog) -> Result<void> {
         STRATA_TRY(catalog.putTag(change.tags[0]));
         return catalog.putTag(change.tags[1]);
       },
       [&](const RefFolder& refs, Catalog&) { return refs.writeTag(change.tags[0]); }},
      "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 run:v1 run:v2(new)(t10)(t20) | ");
}

TEST_F(DamagedChange, OfATagTakenAwayIsDoneAsTheCatalogKnowsIt) {
  const TagRef gone = tag("t10");
  isMendedAfterEach(
      {begin({.versions = {}, .tags = {}, .erasedTags = {gone}}),
       [](const RefFolder&, Catalog& catalog) { return catalog.eraseTag("run", "t10"); }},
      "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 run:v1 run:v2(t20) | ");
}

TEST_F(DamagedChange, IsNoReasonToTrustADamagedCatalog) {
  test::writeWhole(storeFolder() / "change.json", "cut");
  store_.reset();
  for (const char* end : {"", "-wal", "-shm"}) {
    fs::remove(storeFolder() / (std::string("catalog.sqlite") + end));
  }
  test::writeWhole(storeFolder() / "catalog.sqlite", "no catalog");
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  ASSERT_EQ(rebuilt->problems.size(), 1U);
  EXPECT_NE(rebuilt->problems[0].find("change.json"), std::string::npos);
  EXPECT_EQ(rebuilt->setAside.size(), 1U);
  reopen();
  EXPECT_EQ(listed(store()), "base:v1 run:v1(t10) run:v2(t20) | ");
  expectSound(store(), VerifyOptions::Level::Rebuild);
}

/// A repair that was killed is finished by the next writer, so what it mends is no damage.
TEST_F(KilledChange, OfARepairIsNoDamage) {
  const auto other = Store::create(folder_ / "other");
  ASSERT_TRUE(other);
  AddOptions options{.name = "run"};
  options.codec = "raw";
  ASSERT_TRUE(addVersion(**other, *test::makeTuned(*base_, 10), options, {}, {}));
  fs::copy(folder_ / "other" / "objects", storeFolder() / "objects",
           fs::copy_options::recursive | fs::copy_options::skip_existing);
  RefChange change{{ref(1)}};
  const VersionRef damaged = change.versions[0];
  const auto objects = store().catalog().objectsOf(damaged.manifestDigest);
  for (const CatalogObject& object : objects.value()) {
    fs::remove(store().objects().pathOf(object.digest));
  }
  change.versions[0].manifestDigest = (*other)->resolve("run:v1")->manifestDigest;
  const auto manifest =
      readManifest(store(), change.versions[0].manifestDigest, damaged.contentDigest);
  ASSERT_TRUE(manifest);
  const ManifestSummary summary =
      summarize(*manifest, change.versions[0].manifestDigest, store().objects());
  const auto inCatalog = [&](const RefFolder&, Catalog& catalog) -> Result<void> {
    STRATA_TRY(catalog.putVersion(change.versions[0], summary));
    return catalog.dropUnused();
  };
  ASSERT_FALSE(verifyStore(store(), {}, {}, {})->sound());
  const std::string all = "base:v1 run:v1(t10) run:v2(t20) | ";
  const std::vector<Step> steps{begin(change), inCatalog, write(change.versions[0])};
  store_.reset();
  for (std::size_t count = 1; count <= steps.size(); ++count) {
    SCOPED_TRACE("killed after step " + std::to_string(count));
    {
      const auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
      ASSERT_TRUE(catalog);
      ASSERT_TRUE(steps[count - 1](RefFolder(storeFolder()), **catalog));
    }
    test::writeWhole(storeFolder() / "lock", "1\nhost\n0\nstrata add\n");
    const auto store = Store::open(storeFolder());
    ASSERT_TRUE(store);
    expectSound(**store, VerifyOptions::Level::Rebuild);
    EXPECT_EQ(verifyStore(**store, {}, {}, {})->unfinished, std::vector<std::string>{"run:v1"});
  }
  reopen();
  ASSERT_TRUE(store().lock("test"));
  EXPECT_EQ(listed(store()), all);
  expectSound(store(), VerifyOptions::Level::Rebuild);
}

}  // namespace
}  // namespace strata
