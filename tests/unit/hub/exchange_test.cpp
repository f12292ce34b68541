#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/repair_store.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/tags.h"
#include "core/store/catalog/catalog_sync.h"
#include "hub/folder/folder_transport.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What two stores do through a remote, whatever it is.
class Exchange : public test::ExchangeFixture {};

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

TEST_F(Exchange, CountsWhatIsToPushAndToPull) {
  const auto ours = makeFullStore("ours");
  EXPECT_EQ(remoteDifference(*ours, "hub").value(), std::nullopt) << "it was never asked";
  ASSERT_TRUE(push(*ours, remote_, {.references = {"sst2:v1"}, .keptAs = "hub"}));
  const auto pushed = remoteDifference(*ours, "hub").value();
  ASSERT_TRUE(pushed) << "the push keeps what the remote lists by then";
  EXPECT_EQ(pushed->versionCount, 2) << "the base, too";
  EXPECT_EQ(pushed->toPush, 2);
  EXPECT_EQ(pushed->toPull, 0);

  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(fetchRemote(*theirs, remote_, "hub", {}));
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->toPull, 2);
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"sst2"}, .keptAs = "hub"}));
  const auto pulled = remoteDifference(*theirs, "hub").value();
  EXPECT_EQ(pulled->versionCount, 4) << "the pull keeps what the remote lists by then";
  EXPECT_EQ(pulled->toPull, 2);
  EXPECT_EQ(pulled->toPush, 0);
  add(*theirs, "own", 30);
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->toPush, 1);
}

TEST_F(Exchange, CountsTagsThatAPushOrPullWouldBring) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.references = {"sst2:v1"}, .keptAs = "hub"}));
  EXPECT_EQ(remoteDifference(*ours, "hub").value()->tagsToPush, 1) << "sst2:prod, of v2";
  ASSERT_TRUE(addTag(*ours, {.reference = "sst2:v1", .tag = "old"}));
  EXPECT_EQ(remoteDifference(*ours, "hub").value()->tagsToPush, 2);
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  EXPECT_EQ(remoteDifference(*ours, "hub").value()->tagsToPush, 0);
  ASSERT_TRUE(fetchRemote(*theirs, remote_, "hub", {}));
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->tagsToPull, 2);
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  const auto pulled = remoteDifference(*theirs, "hub").value();
  EXPECT_EQ(pulled->tagsToPull, 0);
  // One that was moved here alone goes with the next push.
  ASSERT_TRUE(addTag(*theirs, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->tagsToPush, 1);
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
  EXPECT_EQ(refused.error().code, ErrorCode::BaseMismatch);
  EXPECT_THAT(refused.error().message, HasSubstr("neither in this store nor on the remote"));
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

TEST_F(Exchange, GoesUpToTheHighestNumber) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  // Another program may have counted as it liked.
  const RemoteLibrary listed = RemoteLibrary::from(remote_.readRefs({}).value());
  const auto move = [&](const char* name, std::uint32_t number) {
    RemoteVersion version = *listed.find("sst2", number == UINT32_MAX ? 1 : 2);
    RefPush push{{{refNameOf(version.ref), toRefText(version), kRemovedRef}}, "move"};
    version.ref.name = name;
    version.ref.number = number;
    push.updates.push_back({refNameOf(version.ref), std::nullopt, toRefText(version)});
    ASSERT_EQ(remote_.advanceRefs(push, {}).value(), RefOutcome::Advanced);
  };
  move("sst2", 999'999'999);
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "sst2", 90);
  EXPECT_EQ(theirs->resolve("sst2").value().number, 1'000'000'000);
  ASSERT_TRUE(push(*theirs, remote_));
  const RemoteLibrary grown = RemoteLibrary::from(remote_.readRefs({}).value());
  EXPECT_TRUE(grown.problems.empty()) << "what was pushed is read";
  move("ner", UINT32_MAX);
  const auto full = makeStore("full");
  ASSERT_TRUE(pull(*full, remote_));
  EXPECT_EQ(full->resolve("ner").value().number, UINT32_MAX);
  const auto next =
      addVersion(*full, *test::makeTuned(*test::makeModel(1), 93), {.name = "ner"}, {}, {});
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::LimitExceeded);
  EXPECT_THAT(next.error().message, HasSubstr("take another name"));
  const auto other = makeStore("other");
  importBase(*other);
  add(*other, "ner", 91);
  const auto taken = push(*other, remote_, {.references = {"ner"}, .renumber = true});
  ASSERT_TRUE(taken) << taken.error().message;
  ASSERT_EQ(taken->failed.size(), 1);
  EXPECT_EQ(taken->failed[0].error.code, ErrorCode::LimitExceeded);
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

TEST_F(Exchange, MovesTagsThatWereMovedThere) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(addTag(*ours, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  ASSERT_TRUE(addTag(*ours, {.reference = "ner:v1", .tag = "best"}));
  ASSERT_TRUE(push(*ours, remote_, {.forceTags = true, .keptAs = "hub"}));
  ASSERT_TRUE(fetchRemote(*theirs, remote_, "hub", {}));
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->tagsToPull, 2);
  const auto planned = pull(*theirs, remote_, {.dryRun = true, .keptAs = "hub"});
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_EQ(planned->tags.size(), 2U);
  EXPECT_EQ(theirs->resolve("sst2:prod")->number, 2U);
  const auto pulled = pull(*theirs, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->tags.size(), 2U);
  EXPECT_EQ(pulled->tags[0].tag, "ner:best");
  EXPECT_EQ(pulled->tags[0].from, "");
  EXPECT_EQ(pulled->tags[1].tag, "sst2:prod");
  EXPECT_EQ(pulled->tags[1].from, "sst2:v2");
  EXPECT_EQ(pulled->tags[1].to, "sst2:v1");
  EXPECT_EQ(theirs->resolve("sst2:prod")->number, 1U);
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->tagsToPull, 0);
  // One that is taken away here stays away.
  ASSERT_TRUE(removeTag(*theirs, "ner:best"));
  EXPECT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"})->tags.empty());
  EXPECT_FALSE(theirs->resolve("ner:best"));
  // Or until it is asked for; then it is a pull's, and no change that undo takes back.
  ASSERT_TRUE(pull(*theirs, remote_, {.forceTags = true, .keptAs = "hub"}));
  EXPECT_TRUE(theirs->resolve("ner:best"));
  EXPECT_EQ(theirs->catalog().operations(1)->front().kind, "pull");
}

TEST_F(Exchange, MovesTagsToVersionsThatItBrings) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  add(*ours, "sst2", 61, {"prod"});
  ASSERT_TRUE(push(*ours, remote_, {.forceTags = true, .keptAs = "hub"}));
  const auto pulled = pull(*theirs, remote_, {.references = {"sst2"}, .keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->tags.size(), 1U);
  EXPECT_EQ(pulled->tags[0].to, "sst2:v3");
  EXPECT_EQ(theirs->resolve("sst2:prod")->number, 3U);
}

TEST_F(Exchange, KeepsTagsThatWereMovedHere) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "hub"}));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  ASSERT_TRUE(addTag(*theirs, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  const auto quiet = pull(*theirs, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(quiet);
  EXPECT_TRUE(quiet->tags.empty());
  EXPECT_TRUE(quiet->tagsElsewhere.empty());
  add(*ours, "sst2", 61, {"prod"});
  ASSERT_TRUE(push(*ours, remote_, {.forceTags = true, .keptAs = "hub"}));
  const auto both = pull(*theirs, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(both);
  EXPECT_THAT(labelsOf(both->pulled), ElementsAre("sst2:v3"));
  EXPECT_THAT(both->tagsElsewhere, ElementsAre("sst2:prod"));
  EXPECT_EQ(theirs->resolve("sst2:prod")->number, 1U);
  const auto taken = pull(*theirs, remote_, {.forceTags = true, .keptAs = "hub"});
  ASSERT_TRUE(taken);
  EXPECT_EQ(theirs->resolve("sst2:prod")->number, 3U);
  // Whoever is only behind has nothing to push.
  ASSERT_TRUE(addTag(*ours, {.reference = "sst2:v1", .tag = "prod", .move = true}));
  ASSERT_TRUE(push(*ours, remote_, {.forceTags = true, .keptAs = "hub"}));
  const auto behind = push(*theirs, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(behind);
  EXPECT_TRUE(behind->tagsElsewhere.empty());
  EXPECT_THAT(behind->tagsMovedThere, ElementsAre("sst2:prod"));
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

TEST_F(Exchange, RepairsAVersionThatTheCatalogForgot) {
  auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const VersionEntry lost = ours->resolve("ner").value();
  const auto objects = ours->catalog().objectsOf(lost.manifestDigest);
  for (const CatalogObject& object : objects.value()) {
    fs::remove(ours->objects().pathOf(object.digest));
  }
  const fs::path place = ours->folder();
  ours.reset();
  fs::remove(place / "catalog.sqlite");
  ASSERT_TRUE(Store::rebuildCatalog(place, {}, {}));
  ours = Store::open(place).value();
  ASSERT_FALSE(ours->resolve("ner"));
  const auto repaired = repairStore(*ours, remote_, {}, {}, {});
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_TRUE(repaired->failed.empty());
  EXPECT_TRUE(repaired->after.sound());
  EXPECT_EQ(ours->resolve("ner:v1").value().contentDigest, lost.contentDigest);
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

/// With a note that no remote lists, as no command writes it.
void giveLongNote(const Store& store, const std::string& name) {
  VersionRef ref = store.refs().readVersion(name, 1).value();
  ref.note.assign(20'000, 'x');
  ASSERT_TRUE(store.refs().writeVersion(ref));
}

TEST_F(Exchange, WritesNothingThatNobodyCouldRead) {
  const auto ours = makeFullStore("ours");
  giveLongNote(*ours, "ner");
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  ASSERT_EQ(pushed->failed.size(), 1U);
  EXPECT_EQ(pushed->failed[0].label, "ner:v1");
  EXPECT_EQ(pushed->failed[0].error.code, ErrorCode::LimitExceeded);
  EXPECT_EQ(pushed->pushed.size(), 3U);
  EXPECT_TRUE(RemoteLibrary::from(remote_.readRefs({}).value()).problems.empty());
}

TEST_F(Exchange, WritesNoTagThatNobodyCouldRead) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(addTag(*ours, {.reference = "ner:v1", .tag = "good"}));
  ASSERT_TRUE(addTag(*ours, {.reference = "ner:v1", .tag = "prod"}));
  TagRef tag = ours->refs().readTag("ner", "prod").value();
  tag.note.assign(20'000, 'x');
  ASSERT_TRUE(ours->refs().writeTag(tag));
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  ASSERT_EQ(pushed->failed.size(), 1U);
  EXPECT_EQ(pushed->failed[0].label, "ner:prod");
  EXPECT_EQ(pushed->failed[0].error.code, ErrorCode::LimitExceeded);
  EXPECT_EQ(pushed->pushed.size(), 4U);
  const RefListing listing = remote_.readRefs({}).value();
  EXPECT_TRUE(listing.refs.contains("ner/tags/good"));
  EXPECT_FALSE(listing.refs.contains("ner/tags/prod"));
  EXPECT_TRUE(RemoteLibrary::from(listing).problems.empty());
}

TEST_F(Exchange, LeavesOutWhatStandsOnSomethingThatNobodyCouldRead) {
  const auto ours = makeFullStore("ours");
  giveLongNote(*ours, "base");
  const auto pushed = push(*ours, remote_);
  ASSERT_FALSE(pushed);
  EXPECT_EQ(pushed.error().code, ErrorCode::LimitExceeded);
  const auto listing = remote_.readRefs({});
  EXPECT_TRUE(!listing || listing->isNew);
}

}  // namespace
}  // namespace strata::hub
