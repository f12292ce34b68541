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
#include "tests/unit/ops/killed_change.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

using test::begin;
using test::KilledChange;
using test::Step;
using test::write;

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

TEST_F(KilledChange, PutsAVersionInAnothersPlaceOrDoesNot) {
  VersionRef leaving = ref(1);
  VersionRef coming = leaving;
  coming.number = 3;
  leaving.removedAt = currentTime();
  leaving.tags = {tag("t10")};
  RefChange change{{coming, leaving}, leaving.tags};
  change.tags[0].number = 3;
  change.tags[0].taggedAt = leaving.removedAt;
  finishesAfterEach({begin(change),
                     [&](const RefFolder& refs, Catalog&) { return refs.writeTag(change.tags[0]); },
                     write(coming), write(leaving), erase(1, Place::Live),
                     [](const RefFolder& refs, Catalog&) { return refs.eraseChange(); }},
                    "base:v1 run:v1(t10) run:v2(t20) | ",
                    "base:v1 run:v2(t20) run:v3(t10) | run:v1(t10) ");
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
