#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/store_info.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/objects/version_chain.h"
#include "core/store/refs/operation.h"
#include "core/store/store_writer.h"
#include "tests/support/recorded_names.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Versions whose packs come later.
class LazyPull : public test::ExchangeFixture {};

TEST_F(LazyPull, BringsManifestsFirstAndTheRestLater) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const auto lazy = pull(*theirs, remote_, {.lazy = true});
  ASSERT_TRUE(lazy) << lazy.error().message;
  EXPECT_EQ(lazy->objectCount, 4);
  EXPECT_EQ(theirs->catalog().versions().value().size(), 4);
  const auto rest = pull(*theirs, remote_);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->completed.size(), 4);
  expectSound(*theirs);
}

TEST_F(LazyPull, BringsTheRestOfWhatWasRenamedMeanwhile) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true}));
  ASSERT_TRUE(renameVersions(*theirs, {.name = "ner", .newName = "places"}));
  const auto rest = pull(*theirs, remote_);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->completed.size(), 4);
  EXPECT_TRUE(rest->pulled.empty());
  EXPECT_FALSE(theirs->resolve("ner"));
  EXPECT_FALSE(theirs->refs().readVersion("places", 1)->awaited);
  expectSound(*theirs);
}

TEST_F(LazyPull, SyncsManyVersionsTogether) {
  const auto ours = makeStore("ours");
  importBase(*ours);
  constexpr std::size_t kCount = 40;
  for (unsigned i = 1; i < kCount; ++i) add(*ours, "v", i, {"t" + std::to_string(i / 30)});
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const test::RecordedNames names;
  const auto lazy = pull(*theirs, remote_, {.lazy = true});
  ASSERT_TRUE(lazy) << lazy.error().message;
  EXPECT_EQ(lazy->pulled.size(), kCount);
  EXPECT_LT(names.syncCount(), kCount);
  EXPECT_TRUE(names.unsynced(theirs->folder()).empty());
  EXPECT_EQ(theirs->resolve("v:t0")->number, 29U);
  EXPECT_EQ(theirs->resolve("v:t1")->number, kCount - 1);
  const auto pulls = theirs->catalog().operations(0).value();
  ASSERT_EQ(pulls.size(), 1U) << "undone together";
  EXPECT_EQ(pulls.front().versions.size(), kCount);
  const std::size_t before = names.syncCount();
  const auto rest = pull(*theirs, remote_);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->completed.size(), kCount);
  EXPECT_LT(names.syncCount() - before, kCount) << "completed together";
  EXPECT_TRUE(names.unsynced(theirs->folder()).empty());
  expectSound(*theirs);
}

/// New ones stand on some that are completed, and one of these cannot be.
TEST_F(LazyPull, CompletesTheOthersWhereOneCannotBe) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true}));
  add(*ours, "later", 9);
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "ner:v1");
  fs::permissions(pack, fs::perms::owner_write, fs::perm_options::add);
  test::writeWhole(pack, "damaged");
  const auto rest = pull(*theirs, remote_);
  ASSERT_TRUE(rest) << rest.error().message;
  std::vector<std::string> completed;
  for (const VersionEntry& one : rest->completed) completed.push_back(one.label());
  EXPECT_THAT(completed, ElementsAre("base:v1", "sst2:v1", "sst2:v2"));
  EXPECT_THAT(test::labelsOf(rest->pulled), ElementsAre("later:v1"));
  ASSERT_EQ(rest->failed.size(), 1U);
  EXPECT_EQ(rest->failed.front().label, "ner:v1");
  EXPECT_TRUE(theirs->refs().readVersion("ner", 1)->awaited);
  EXPECT_FALSE(theirs->refs().readVersion("sst2", 2)->awaited);
}

/// Fetching what a version needs is no wish to have its removed parent back.
TEST_F(LazyPull, NamesTheVersionThatIsAskedForAmongThoseThatShareItsPacks) {
  const auto ours = makeStore("equals");
  importBase(*ours);
  add(*ours, "t", 31);
  add(*ours, "t", 32);
  add(*ours, "t", 31);  // as t:v1
  FolderTransport remote(folder_ / "shared");
  ASSERT_TRUE(push(*ours, remote));
  const auto theirs = makeStore("lazy");
  ASSERT_TRUE(pull(*theirs, remote, {.lazy = true, .keptAs = "hub"}));
  for (const char* const reference : {"t:v1", "t:v3"}) {
    const VersionEntry version = theirs->resolve(reference).value();
    EXPECT_EQ(awaitedBy(*theirs, version)->reference, reference);
    const auto opened = openVersion(*theirs, version);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message,
                ::testing::HasSubstr(std::string("strata pull ") + reference));
  }
}

/// All of the model was stored anew instead.
TEST_F(LazyPull, ABaseThatIsNotHereYetIsNotPassedOver) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true, .keptAs = "hub"}));
  const auto model = test::makeTuned(*test::makeModel(1), 12);
  AddOptions options{.name = "sst2"};
  options.baseChoice = BaseChoice::Reference;
  options.base = "base";
  const auto refused = addVersion(*theirs, *model, options, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("strata pull base:v1 hub"));
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"base"}, .keptAs = "hub"}));
  const auto added = addVersion(*theirs, *model, options, {}, {});
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->version.label(), "sst2:v2");
  EXPECT_EQ(added->version.parentDigest, theirs->resolve("base")->contentDigest);
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  expectSound(*theirs);
}

TEST_F(LazyPull, LeavesRemovedParentsInTheTrash) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true, .keptAs = "hub"}));
  ASSERT_TRUE(removeVersions(*theirs, {.references = {"base"}}));
  const auto askedFor = [&] {
    auto all = theirs->catalog().operations(0).value();
    std::erase_if(all, [](const Operation& one) { return isOwnKind(one.kind); });
    return all.size();
  };
  const std::size_t before = askedFor();
  const auto fetched =
      pull(*theirs, remote_, {.references = {"sst2"}, .packsOnly = true, .keptAs = "hub"});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_GT(fetched->byteCount, 0U);
  EXPECT_TRUE(fetched->pulled.empty());
  EXPECT_EQ(theirs->catalog().versions().value().size(), 3U);
  const auto trash = listTrash(*theirs);
  ASSERT_TRUE(trash);
  ASSERT_EQ(trash->versions.size(), 1U);
  EXPECT_EQ(trash->versions.front().label(), "base:v1");
  EXPECT_EQ(askedFor(), before);
  const auto newest = theirs->resolve("sst2");
  ASSERT_TRUE(newest);
  EXPECT_TRUE(openVersion(*theirs, newest->contentDigest));
  EXPECT_FALSE(theirs->refs().readVersion(newest->name, newest->number)->awaited)
      << "a pack that is lost from now on is damage";
}

/// A number that was given before is no new one.
TEST_F(LazyPull, BringsManyVersionsBackThatWereDeleted) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true}));
  ASSERT_TRUE(removeVersions(*theirs, {.references = {"sst2:v1", "sst2:v2", "ner:v1"}}));
  ASSERT_TRUE(emptyTrash(*theirs, {}));
  const auto again = pull(*theirs, remote_, {.lazy = true});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->pulled.size(), 3U);
  EXPECT_TRUE(theirs->resolve("sst2:v2"));
  ASSERT_TRUE(pull(*theirs, remote_));
  expectSound(*theirs);
}

TEST_F(LazyPull, TellsPacksThatWereNeverHereFromLostOnes) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const auto verify = [&](VerifyOptions options = {}) {
    auto report = verifyStore(*theirs, options, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  };
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true, .keptAs = "hub"}));
  for (const auto level :
       {VerifyOptions::Level::Quick, VerifyOptions::Level::Full, VerifyOptions::Level::Rebuild}) {
    const VerifyReport report = verify({.level = level});
    for (const Damage& damage : report.damages) ADD_FAILURE() << damage.reason;
    EXPECT_EQ(report.versionCount + report.baseCount, 0U);
    EXPECT_EQ(report.objectCount, 4U) << "the manifests";
    ASSERT_EQ(report.absentVersions.size(), 4U);
    EXPECT_EQ(report.absentVersions[0].label, "base:v1");
    EXPECT_EQ(report.absentVersions[3].pull, "strata pull sst2:v2 hub");
    EXPECT_EQ(report.absentPacks.size(), 4U);
  }
  const auto refused = openVersion(*theirs, theirs->resolve("ner")->contentDigest);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("strata pull ner:v1 hub"));
  // The mark is in the refs, not in the catalog alone, and is nothing that a remote sees.
  ASSERT_TRUE(rebuildCatalog(theirs->folder(), {}, {}));
  EXPECT_TRUE(verify().sound());
  FolderTransport other(folder_ / "other");
  const auto pushed = push(*theirs, other);
  ASSERT_FALSE(pushed);
  EXPECT_THAT(pushed.error().message, HasSubstr("strata pull base:v1 hub"));
  const auto again = push(*theirs, remote_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->alreadyThere.size(), 4U);
  // What is brought can be lost from then on.
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"sst2:v1"}, .keptAs = "hub"}));
  VerifyReport report = verify({.level = VerifyOptions::Level::Rebuild});
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.versionCount + report.baseCount, 2U);
  EXPECT_EQ(report.absentVersions.size(), 2U);
  const auto objects =
      theirs->catalog().objectsOf(theirs->resolve("sst2:v1")->manifestDigest).value();
  for (const CatalogObject& object : objects) {
    if (!object.isManifest) fs::remove(theirs->objects().pathOf(object.digest));
  }
  report = verify();
  EXPECT_THAT(report.damagedVersions, ElementsAre("sst2:v1"));
  EXPECT_EQ(report.absentVersions.size(), 2U);
  const auto rest = pull(*theirs, remote_);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->completed.size(), 3U);
  expectSound(*theirs);
  EXPECT_TRUE(verify().absentVersions.empty());
}

TEST_F(LazyPull, CountsWhatALazyPullLeftAwayApart) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.lazy = true, .keptAs = "hub"}));
  const auto whole = storeTotals(*ours).value();
  const auto amounts = [&] {
    std::map<std::string, AwaitedAmount> found;
    const ListReport report = listVersions(*theirs, {.allVersions = true}).value();
    for (const ListRow& row : report.rows) found[row.version.label()] = row.awaited;
    return found;
  };
  StoreTotals totals = storeTotals(*theirs).value();
  EXPECT_EQ(totals.awaitedVersions, 4U);
  EXPECT_EQ(totals.awaitedPacks, 4U);
  EXPECT_EQ(totals.objectBytes + totals.awaitedBytes, whole.objectBytes);
  EXPECT_DOUBLE_EQ(totals.storeRatio(), whole.storeRatio());
  EXPECT_EQ(storeInfo(*theirs)->objectCount, 4U) << "the manifests";
  const std::uint64_t baseBytes = amounts().at("base:v1").byteCount;
  const AwaitedAmount tuned = amounts().at("sst2:v2");
  EXPECT_EQ(tuned.packCount, 2U) << "its own and the base's";
  EXPECT_EQ(tuned.byteCount, tuned.ownBytes + baseBytes);
  // Not known to the catalog alone.
  ASSERT_TRUE(rebuildCatalog(theirs->folder(), {}, {}));
  const auto reopened = Store::open(theirs->folder()).value();
  EXPECT_EQ(storeTotals(*reopened)->awaitedBytes, totals.awaitedBytes);
  // A pack that comes without its version being listed anew is noticed by the next writer.
  const fs::path pack = onlyPackOf(*theirs, "base");
  const auto digest = digestFromHex(pack.filename().string()).value();
  fs::copy_file(pack, theirs->objects().makePlace(digest).value());
  ASSERT_TRUE(theirs->lock("test"));
  EXPECT_TRUE(amounts().at("base:v1").isHere());
  EXPECT_EQ(amounts().at("sst2:v2").byteCount, tuned.ownBytes);
  ASSERT_TRUE(removeVersions(*theirs, {.references = {"ner"}, .now = true}));
  EXPECT_EQ(storeTotals(*theirs)->awaitedVersions, 2U);
  ASSERT_TRUE(pull(*theirs, remote_));
  totals = storeTotals(*theirs).value();
  EXPECT_EQ(totals.awaitedVersions + totals.awaitedPacks + totals.awaitedBytes, 0U);
  EXPECT_EQ(totals.objectBytes, whole.objectBytes);
}

TEST_F(LazyPull, TakesTheMarkOffOnceThePacksAreHereHoweverTheyCame) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"base"}, .lazy = true}));
  EXPECT_TRUE(theirs->refs().readVersion("base", 1)->awaited);
  // As a pull leaves it that was killed before it listed what had come.
  const fs::path pack = onlyPackOf(*theirs, "base");
  const auto digest = digestFromHex(pack.filename().string()).value();
  fs::copy_file(pack, theirs->objects().makePlace(digest).value());
  const auto pulled = pull(*theirs, remote_, {.references = {"base"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->completed.size(), 1U);
  EXPECT_FALSE(theirs->refs().readVersion("base", 1)->awaited);
  // Adding the model brings them, too.
  const auto third = makeStore("third");
  ASSERT_TRUE(pull(*third, remote_, {.references = {"base"}, .lazy = true}));
  importBase(*third);
  EXPECT_FALSE(third->refs().readVersion("base", 1)->awaited);
  expectSound(*third);
}

}  // namespace
}  // namespace strata::hub
