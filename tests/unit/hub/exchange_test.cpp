#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/ops/add_version.h"
#include "core/ops/fetch_remote.h"
#include "core/ops/import_base.h"
#include "core/ops/list_versions.h"
#include "core/ops/pull_versions.h"
#include "core/ops/push_versions.h"
#include "core/ops/rebuild_catalog.h"
#include "core/ops/remove_versions.h"
#include "core/ops/repair_store.h"
#include "core/ops/store_info.h"
#include "core/ops/tags.h"
#include "core/ops/verify_store.h"
#include "core/store/store_writer.h"
#include "core/store/version_chain.h"
#include "core/transfer/part_file.h"
#include "core/transfer/remote_config.h"
#include "hub/folder/folder_transport.h"
#include "tests/support/memory_model.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> labelsOf(const std::vector<PullReport::Item>& items) {
  std::vector<std::string> labels;
  for (const auto& item : items) labels.push_back(item.version.label());
  return labels;
}

std::vector<std::string> labelsOf(const std::vector<PushReport::Item>& items) {
  std::vector<std::string> labels;
  for (const auto& item : items) {
    labels.push_back(item.version.name + ":v" + std::to_string(item.remoteNumber));
  }
  return labels;
}

/// Two stores, a remote folder between them, and models to put in.
class Exchange : public ::testing::Test {
 protected:
  Exchange() : base_(test::makeModel(1)) {}

  std::unique_ptr<Store> makeStore(const std::string& name) {
    return std::move(Store::create(folder_ / name)).value();
  }
  void importBase(Store& store) {
    ASSERT_TRUE(strata::importBase(store, *base_, {.name = "base"}, {}, {}));
  }
  void add(Store& store, const std::string& name, unsigned seed,
           const std::vector<std::string>& tags = {}) {
    const auto tuned = test::makeTuned(*base_, seed);
    AddOptions options;
    options.name = name;
    options.baseChoice = BaseChoice::Reference;
    options.base = "base";
    options.chain = ChainPolicy::Never;
    options.tags = tags;
    const auto added = addVersion(store, *tuned, options, {}, {});
    ASSERT_TRUE(added) << added.error().message;
  }
  /// A store with base, sst2:v1, sst2:v2 (prod) and ner:v1.
  std::unique_ptr<Store> makeFullStore(const std::string& name) {
    auto store = makeStore(name);
    importBase(*store);
    add(*store, "sst2", 11);
    add(*store, "sst2", 12, {"prod"});
    add(*store, "ner", 13);
    return store;
  }
  static Result<PushReport> push(const Store& store, Transport& remote,
                                 const PushOptions& options = {}) {
    return pushVersions(store, remote, options, {}, {});
  }
  static Result<PullReport> pull(Store& store, Transport& remote, const PullOptions& options = {}) {
    return pullVersions(store, remote, options, {}, {});
  }
  static void expectSound(const Store& store) {
    const auto report = verifyStore(store, {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.reason;
  }
  fs::path onlyPackOf(const Store& store, const std::string& reference) {
    const VersionEntry version = store.resolve(reference).value();
    const auto objects = store.catalog().objectsOf(version.manifestDigest).value();
    for (const CatalogObject& object : objects) {
      if (!object.isManifest) return remotePath(object.digest);
    }
    return {};
  }
  fs::path remotePath(const Digest& digest) const {
    const std::string hex = toHex(digest);
    return folder_ / "remote" / "objects" / hex.substr(0, 2) / hex;
  }

  TempFolder folder_;
  std::unique_ptr<test::MemoryModel> base_;
  FolderTransport remote_{folder_ / "remote"};
};

TEST_F(Exchange, GivesTheOtherStoreEveryVersionWithItsTags) {
  const auto ours = makeFullStore("ours");
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_EQ(pushed->pushed.size(), 4);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->pulled.size(), 4);
  EXPECT_EQ(pulled->byteCount, pushed->byteCount);
  EXPECT_EQ(theirs->resolve("sst2:prod").value().contentDigest,
            ours->resolve("sst2:v2").value().contentDigest);
  EXPECT_EQ(theirs->resolve("ner").value().addedAt, ours->resolve("ner").value().addedAt);
  expectSound(*theirs);
}

TEST_F(Exchange, MovesNothingTwice) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto again = push(*ours, remote_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->byteCount, 0);
  EXPECT_EQ(again->alreadyThere.size(), 4);
  add(*ours, "sst2", 21);
  const auto further = push(*ours, remote_);
  ASSERT_TRUE(further);
  EXPECT_THAT(labelsOf(further->pushed), ElementsAre("sst2:v3"));
  EXPECT_EQ(further->manifestCount + further->packCount, 2);
  EXPECT_EQ(further->byteCount, ours->resolve("sst2:v3").value().storedBytes);
}

TEST_F(Exchange, SendsParentsThatTheRemoteLacks) {
  const auto ours = makeFullStore("ours");
  const auto pushed = push(*ours, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pushed);
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("base:v1", "ner:v1"));
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1", "ner:v1"));
  expectSound(*theirs);
}

TEST_F(Exchange, NeedsNoBaseThatTheOtherSideHas) {
  const auto ours = makeFullStore("ours");
  const auto pushed = push(*ours, remote_, {.references = {"ner"}, .withBase = false});
  ASSERT_TRUE(pushed);
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("ner:v1"));
  const auto without = makeStore("without");
  const auto refused = pull(*without, remote_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("parent"));
  const auto with = makeStore("with");
  importBase(*with);
  const auto pulled = pull(*with, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  expectSound(*with);
}

TEST_F(Exchange, SaysWhatWouldMoveAndMovesNothing) {
  const auto ours = makeFullStore("ours");
  const auto would = push(*ours, remote_, {.dryRun = true});
  ASSERT_TRUE(would);
  EXPECT_FALSE(fs::exists(folder_ / "remote"));
  const auto did = push(*ours, remote_);
  ASSERT_TRUE(did);
  EXPECT_EQ(would->byteCount, did->byteCount);
  const auto theirs = makeStore("theirs");
  const auto wouldPull = pull(*theirs, remote_, {.dryRun = true});
  ASSERT_TRUE(wouldPull);
  EXPECT_EQ(wouldPull->byteCount, did->byteCount);
  EXPECT_EQ(theirs->catalog().versions().value().size(), 0);
}

TEST_F(Exchange, TakesPatternsAndTheNewestOfEachName) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const auto newest = pull(*theirs, remote_, {.references = {"s*"}, .latest = 1});
  ASSERT_TRUE(newest) << newest.error().message;
  EXPECT_THAT(labelsOf(newest->pulled), ElementsAre("base:v1", "sst2:v2"));
  const auto unknown = pull(*theirs, remote_, {.references = {"x*"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::NotFound);
}

TEST_F(Exchange, RefusesANumberThatOtherContentHasThere) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "sst2", 31);
  add(*theirs, "qqp", 32);
  const auto mixed = push(*theirs, remote_);
  ASSERT_TRUE(mixed);
  EXPECT_THAT(labelsOf(mixed->pushed), ElementsAre("qqp:v1"));
  ASSERT_EQ(mixed->failed.size(), 1);
  EXPECT_THAT(mixed->failed[0].error.message, HasSubstr("has another sst2:v1"));
  const auto renumbered = push(*theirs, remote_, {.renumber = true});
  ASSERT_TRUE(renumbered);
  EXPECT_THAT(labelsOf(renumbered->pushed), ElementsAre("sst2:v3"));
}

TEST_F(Exchange, TakesTheNextNumberWhereOneIsTakenHere) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "sst2", 41);
  const auto pulled = pull(*theirs, remote_, {.references = {"sst2:v1", "sst2:v2"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->pulled.size(), 2);
  EXPECT_EQ(pulled->pulled[0].version.number, 2);
  EXPECT_EQ(pulled->pulled[0].remoteNumber, 1);
  EXPECT_EQ(pulled->pulled[1].version.number, 3);
  const auto again = pull(*theirs, remote_, {.references = {"sst2:v1"}});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->pulled.empty());
}

TEST_F(Exchange, KeepsTagsThatPointElsewhere) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  ASSERT_TRUE(addTag(*ours, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  const auto kept = push(*ours, remote_);
  ASSERT_TRUE(kept);
  EXPECT_THAT(kept->tagsElsewhere, ElementsAre("sst2:prod"));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(push(*ours, remote_, {.forceTags = true}));
  ASSERT_TRUE(pull(*theirs, remote_));
  EXPECT_EQ(theirs->resolve("sst2:prod").value().number, 1);
}

TEST_F(Exchange, FetchesADamagedObjectNeverIntoTheStore) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "ner");
  std::string bytes = test::readWhole(pack);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  test::writeWhole(pack, bytes);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1", "sst2:v1", "sst2:v2"));
  ASSERT_EQ(pulled->failed.size(), 1);
  EXPECT_EQ(pulled->failed[0].label, "ner:v1");
  EXPECT_EQ(pulled->failed[0].error.code, ErrorCode::CorruptData);
  expectSound(*theirs);
}

TEST_F(Exchange, DoesNotListWhatLacksAnObject) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  fs::remove(onlyPackOf(*ours, "base"));
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::NotFound);
  EXPECT_TRUE(theirs->catalog().versions().value().empty());
}

TEST_F(Exchange, GoesOnWithThePartOfAnEarlierRun) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "base");
  const std::string bytes = test::readWhole(pack);
  const auto theirs = makeStore("theirs");
  fs::create_directories(folder_ / "theirs" / "partial");
  const fs::path part = folder_ / "theirs" / "partial" / (pack.filename().string() + ".part");
  test::writeWhole(part, bytes.substr(0, 1000));
  // What lies there is not asked for again: the remote's copy of it may be gone.
  std::string tail = bytes;
  tail.replace(0, 1000, 1000, 'x');
  test::writeWhole(pack, tail);
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(pulled->failed.empty());
  EXPECT_EQ(pulled->keptBytes, 1000);
  EXPECT_FALSE(fs::exists(part));
  expectSound(*theirs);
}

TEST_F(Exchange, FetchesAnewWhereThePartIsWrong) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path pack = onlyPackOf(*ours, "base");
  const auto theirs = makeStore("theirs");
  fs::create_directories(folder_ / "theirs" / "partial");
  test::writeWhole(folder_ / "theirs" / "partial" / (pack.filename().string() + ".part"),
                   std::string(1000, 'x'));
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(pulled->failed.empty());
  expectSound(*theirs);
}

TEST_F(Exchange, BringsManifestsFirstAndTheRestLater) {
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

TEST_F(Exchange, ClearsAwayWhatKilledPushesLeftInTheFolder) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.references = {"base"}}));
  const fs::path old = folder_ / "remote" / "tmp" / "object-0123456789abcdef.tmp";
  const fs::path young = folder_ / "remote" / "tmp" / "object-fedcba9876543210.tmp";
  for (const fs::path& file : {old, young}) test::writeWhole(file, "half of a pack");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(push(*ours, remote_));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "somebody may be writing it";
}

TEST_F(Exchange, TellsPacksThatWereNeverHereFromLostOnes) {
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

TEST_F(Exchange, CountsWhatALazyPullLeftAwayApart) {
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

TEST_F(Exchange, TakesTheMarkOffOnceThePacksAreHereHoweverTheyCame) {
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

TEST_F(Exchange, ToldNewVersionsByFetch) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const auto first = fetchRemote(*theirs, remote_, "hub", {});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->newVersions.size(), 4);
  EXPECT_EQ(first->versionCount, 4);
  add(*ours, "ner", 51);
  ASSERT_TRUE(push(*ours, remote_));
  const auto second = fetchRemote(*theirs, remote_, "hub", {});
  ASSERT_TRUE(second);
  ASSERT_EQ(second->newVersions.size(), 1);
  EXPECT_EQ(second->newVersions[0].ref.label(), "ner:v2");
  EXPECT_TRUE(readFetched(theirs->folder(), "hub").value().has_value());
}

TEST_F(Exchange, RepairsWhatTheRemoteStillHas) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const Digest pack = digestFromHex(onlyPackOf(*ours, "base").filename().string()).value();
  const fs::path place = ours->objects().pathOf(pack);
  std::string bytes = test::readWhole(place);
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  test::writeWhole(place, bytes);
  fs::remove(ours->objects().pathOf(ours->resolve("ner").value().manifestDigest));
  const auto repaired = repairStore(*ours, remote_, {}, {}, {});
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_FALSE(repaired->before.sound());
  EXPECT_TRUE(repaired->after.sound());
  EXPECT_EQ(repaired->objectCount, 2);
  expectSound(*ours);
}

TEST_F(Exchange, SaysWhatTheRemoteCannotRepair) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.references = {"sst2"}}));
  fs::remove(ours->objects().pathOf(ours->resolve("ner").value().manifestDigest));
  const auto repaired = repairStore(*ours, remote_, {}, {}, {});
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_FALSE(repaired->after.sound());
  ASSERT_EQ(repaired->failed.size(), 1);
  EXPECT_EQ(repaired->failed[0].error.code, ErrorCode::NotFound);
}

TEST_F(Exchange, RefusesAListThatLies) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion ner = parseRemoteVersion("ner/v1", listing.refs.at("ner/v1")).value();
  // Another parent than the manifest's.
  ner.parentDigest = ours->resolve("sst2:v1").value().contentDigest;
  RefPush lie{{{"ner/v1", listing.refs.at("ner/v1"), toRefText(ner)}}, "lie"};
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->failed.size(), 1);
  EXPECT_EQ(pulled->failed[0].error.code, ErrorCode::CorruptData);
  EXPECT_FALSE(theirs->resolve("ner"));
}

TEST_F(Exchange, CountsNoBytesModuloTheirType) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion ner = parseRemoteVersion("ner/v1", listing.refs.at("ner/v1")).value();
  // Two packs whose sizes are nothing together.
  for (const char digit : {'a', 'b'}) {
    ner.packs.push_back({digestFromHex(std::string(64, digit)).value(), std::uint64_t{1} << 63U,
                         RemoteObject::Kind::Pack});
  }
  EXPECT_FALSE(parseRemoteVersion("ner/v1", toRefText(ner)));
  ner.packs.resize(ner.packs.size() - 2);
  ner.manifestBytes = std::uint64_t{1} << 32U;
  EXPECT_FALSE(parseRemoteVersion("ner/v1", toRefText(ner)));
  // More than any disk has, if not more than a number holds.
  ner.manifestBytes = 1000;
  for (unsigned i = 0; i < 2000; ++i) {
    ner.packs.push_back({digestFromHex(fmt::format("{:064x}", i)).value(), std::uint64_t{1} << 40U,
                         RemoteObject::Kind::Pack});
  }
  const RefPush lie{{{"ner/v1", listing.refs.at("ner/v1"), toRefText(ner)}}, "lie"};
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_, {.references = {"ner"}});
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::NoSpace) << pulled.error().message;
}

TEST(RemoteLibrary, ResolvesNoHashThatIsAmbiguous) {
  const auto version = [](const char* name, const std::string& digits) {
    RemoteVersion one;
    one.ref.name = name;
    one.ref.number = 1;
    one.ref.contentDigest = digestFromHex("abcd" + digits + std::string(56, '0')).value();
    return one;
  };
  RemoteLibrary library;
  library.versions = {version("a", "1111"), version("b", "2222"), version("c", "1111")};
  const std::vector<std::string> both{"@abcd"};
  const auto resolved = library.select(both, 0);
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().code, ErrorCode::InvalidArgument);
  const std::vector<std::string> one{"@abcd1"};
  EXPECT_THAT(library.select(one, 0).value(), ElementsAre(&library.versions.front()));
}

TEST(RemoteList, LosesNoChangeBesideAnother) {
  const TempFolder folder;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = writer; i < 32; i += 4) {
        const auto lock = RemoteList::lock(folder.path());
        ASSERT_TRUE(lock) << lock.error().message;
        RemoteList list = RemoteList::load(folder.path()).value();
        list.remotes.push_back({.name = "r" + std::to_string(i), .url = "file:///x"});
        ASSERT_TRUE(list.save(folder.path()));
      }
    });
  }
  writers.clear();
  EXPECT_EQ(RemoteList::load(folder.path()).value().remotes.size(), 32);
}

TEST_F(Exchange, KeepsModesThatTheUserAsksFor) {
  const mode_t before = ::umask(002);
  const RemoteObject object{sha256({}), 100, RemoteObject::Kind::Pack};
  {
    auto part = PartFile::open(folder_ / "partial", object);
    ASSERT_TRUE(part) << part.error().message;
    const fs::path file = folder_ / "partial" / (toHex(object.digest) + ".part");
    EXPECT_EQ(fs::status(file).permissions() & fs::perms::all, fs::perms(0664));
  }
  ::umask(before);
}

TEST_F(Exchange, LeavesOutRefsThatItCannotRead) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  for (const char* name : {"../x/v1", "ner/v7", "a/tags/b", "x"}) {
    const RefPush bad{{{name, std::nullopt, R"({"kind":"version","ref":{"a":1}})"}}, "bad"};
    ASSERT_EQ(remote_.advanceRefs(bad, {}).value(), RefOutcome::Advanced);
  }
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->pulled.size(), 4);
  EXPECT_EQ(pulled->problems.size(), 4);
}

TEST_F(Exchange, LetsManyPushersThroughWithoutALoss) {
  constexpr int kPushers = 6;
  std::vector<pid_t> children;
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < kPushers; ++i) {
    stores.push_back(makeStore("store" + std::to_string(i)));
    importBase(*stores.back());
    add(*stores.back(), "model" + std::to_string(i), 100 + static_cast<unsigned>(i));
    add(*stores.back(), "shared", 200 + static_cast<unsigned>(i));
  }
  for (int i = 0; i < kPushers; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      FolderTransport remote(folder_ / "remote");
      const auto report = push(*stores[static_cast<std::size_t>(i)], remote);
      // 0: took the shared number; 1: another did.
      ::_exit(!report ? 9 : report->failed.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  int winners = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_LE(WEXITSTATUS(status), 1);
    winners += WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  EXPECT_EQ(winners, 1);
  const RemoteLibrary library = RemoteLibrary::from(remote_.readRefs({}).value());
  EXPECT_EQ(library.versions.size(), kPushers + 2U);
  EXPECT_TRUE(library.problems.empty());
}

TEST_F(Exchange, LosesARefThatAnotherMovedFirst) {
  ASSERT_EQ(remote_.advanceRefs({{{"a/v1", std::nullopt, "{\"n\":1}"}}, "one"}, {}).value(),
            RefOutcome::Advanced);
  const RefPush second{{{"b/v1", std::nullopt, "{\"n\":3}"}, {"a/v1", std::nullopt, "{\"n\":2}"}},
                       "two"};
  EXPECT_EQ(remote_.advanceRefs(second, {}).value(), RefOutcome::Lost);
  EXPECT_FALSE(remote_.readRefs({}).value().refs.contains("b/v1"));
}

TEST_F(Exchange, KeepsOnlyTheLastGenerationsOfRefs) {
  for (int i = 0; i < 80; ++i) {
    const RefPush one{{{"a/v" + std::to_string(i + 1), std::nullopt, "{\"n\":1}"}}, "one"};
    ASSERT_EQ(remote_.advanceRefs(one, {}).value(), RefOutcome::Advanced);
  }
  EXPECT_EQ(remote_.readRefs({}).value().refs.size(), 80);
  EXPECT_EQ(test::entryCount(folder_ / "remote" / "refs"), FolderTransport::kKeptGenerations);
}

TEST_F(Exchange, LeavesFoldersOfOthersAlone) {
  const auto ours = makeFullStore("ours");
  FolderTransport store(folder_ / "ours");
  const auto intoStore = push(*ours, store);
  ASSERT_FALSE(intoStore);
  EXPECT_EQ(intoStore.error().code, ErrorCode::InvalidArgument);
  fs::create_directories(folder_ / "photos");
  test::writeWhole(folder_ / "photos" / "a.jpg", "x");
  FolderTransport photos(folder_ / "photos");
  ASSERT_FALSE(push(*ours, photos));
  EXPECT_EQ(test::entryCount(folder_ / "photos"), 1);
}

TEST_F(Exchange, RefusesARemoteOfALaterFormat) {
  fs::create_directories(folder_ / "remote");
  test::writeWhole(folder_ / "remote" / "strata.json", "{\"format\":2}");
  const auto listing = remote_.readRefs({});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().code, ErrorCode::FormatTooNew);
}

}  // namespace
}  // namespace strata::hub
