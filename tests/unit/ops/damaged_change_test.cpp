#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/refs/ref_renumber.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/killed_change.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::begin;
using test::KilledChange;
using test::Step;
using test::write;

/// A change whose file is damaged: its command had ended well once the catalog knew of it.
class DamagedChange : public KilledChange {
 protected:
  /// As finishesAfterEach, with a `change.json` that is damaged in the end and a repair. The first
  /// step begins the change, the second one is the catalog's.
  void isMendedAfterEach(const std::vector<Step>& steps, const std::string& before,
                         const std::string& after, std::size_t mostDamages = 1) {
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
      ASSERT_FALSE(report->damages.empty());
      EXPECT_LE(report->damages.size(), mostDamages);
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

TEST_F(DamagedChange, OfNewNumbersIsDoneAsTheCatalogKnowsIt) {
  const auto planned = planRenumbering(store().refs(), {{"run", ref(1).contentDigest, 1, 3}});
  ASSERT_TRUE(planned) << planned.error().message;
  const VersionRef next = planned->versions[0];
  const auto manifest = readManifest(store(), next.manifestDigest, next.contentDigest);
  ASSERT_TRUE(manifest);
  const ManifestSummary summary = summarize(*manifest, next.manifestDigest, store().objects());
  ASSERT_TRUE(keepNumbers(store().refs(), "run", 3, {{1, next.contentDigest}}));
  isMendedAfterEach(
      {begin(*planned),
       [&](const RefFolder&, Catalog& catalog) -> Result<void> {
         STRATA_TRY(catalog.eraseVersion("run", 1));
         STRATA_TRY(catalog.putVersion(next, summary));
         return catalog.putTag(planned->tags.at(0));
       },
       [&](const RefFolder& refs, Catalog&) { return refs.writeTag(planned->tags.at(0)); },
       write(next), erase(1, Place::Live)},
      "base:v1 run:v1(t10) run:v2(t20) | ", "base:v1 run:v2(t20) run:v3(t10) | ",
      /*mostDamages=*/2);  // its ref is where nothing tells of any more
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
}  // namespace
}  // namespace strata
