// Objects that are lost, cut or flipped on a remote or here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <utility>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "tests/unit/hub/forwarding_transport.h"
#include "tests/unit/hub/remote_care_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::RemoteCare;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(RemoteCare, MendsAVersionThatWasRecodedSinceByWhatIsHere) {
  const fs::path pack = onlyPackOf(*ours_, "sst2:v1");
  ASSERT_TRUE(recodeVersion(
      *ours_, {.reference = "sst2:v1", .baseChoice = RecodeBase::None, .force = true}, {}, {}));
  ASSERT_TRUE(collectGarbage(*ours_, {.dryRun = false}, {}));
  flip(pack);
  EXPECT_FALSE(verify().sound());
  const auto mended = push(*ours_, remote_, {.repair = true});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_TRUE(mended->failed.empty());
  EXPECT_THAT(mended->mended, ::testing::ElementsAre("sst2:v1"));
  EXPECT_EQ(mended->packCount, 1U);
  EXPECT_TRUE(verify().sound());
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  EXPECT_EQ(theirs->resolve("sst2:v1")->manifestDigest, ours_->resolve("sst2:v1")->manifestDigest);
  expectSound(*theirs);
}

TEST_F(RemoteCare, LeavesAVersionWhoseObjectsNobodyHas) {
  const fs::path pack = onlyPackOf(*ours_, "sst2:v1");
  ASSERT_TRUE(removeVersions(*ours_, {.references = {"sst2:v1"}, .now = true}));
  flip(pack);
  const auto refused = push(*ours_, remote_, {.repair = true});
  ASSERT_TRUE(refused) << refused.error().message;
  ASSERT_EQ(refused->failed.size(), 1U);
  EXPECT_EQ(refused->failed[0].label, "sst2:v1");
}

TEST_F(RemoteCare, PushSendsAgainWhatHasAnotherSizeThere) {
  for (const int kind : {0, 1, 2}) {
    damage(onlyPackOf(*ours_, "base"), kind);
    damage(manifestOf("sst2:v1"), kind);
    const auto would = push(*ours_, remote_, {.references = {"sst2:v1"}, .dryRun = true});
    ASSERT_TRUE(would) << would.error().message;
    EXPECT_EQ(would->packCount + would->manifestCount, 2);
    const auto pushed = push(*ours_, remote_, {.references = {"sst2:v1"}, .withBase = false});
    ASSERT_TRUE(pushed) << pushed.error().message;
    EXPECT_THAT(pushed->mended, ElementsAre("base:v1", "sst2:v1")) << kind;
    EXPECT_TRUE(pushed->failed.empty());
    EXPECT_TRUE(verify().sound());
    EXPECT_TRUE(push(*ours_, remote_)->mended.empty());
  }
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  expectSound(*theirs);
}

TEST_F(RemoteCare, PushSaysWhatIsLostThereAndHere) {
  const VersionEntry ner = ours_->resolve("ner").value();
  fs::remove(manifestOf("ner"));
  fs::remove(ours_->objects().pathOf(ner.manifestDigest));
  const auto pushed = push(*ours_, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  ASSERT_EQ(pushed->failed.size(), 1);
  EXPECT_EQ(pushed->failed[0].error.code, ErrorCode::CorruptData);
  EXPECT_THAT(pushed->failed[0].error.message, HasSubstr("is missing in this store"));
  EXPECT_EQ(pushed->alreadyThere.size(), 1) << "the base";
}

TEST_F(RemoteCare, PushNeverSendsWhatIsDamagedHere) {
  const fs::path there = onlyPackOf(*ours_, "ner");
  fs::remove(there);
  const fs::path here = ours_->objects().pathOf(digestFromHex(there.filename().string()).value());
  fs::permissions(here, fs::perms::owner_write, fs::perm_options::add);
  flip(here);
  const auto pushed = push(*ours_, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  ASSERT_EQ(pushed->failed.size(), 1);
  EXPECT_EQ(pushed->failed[0].error.code, ErrorCode::CorruptData);
  EXPECT_FALSE(fs::exists(there));
}

TEST_F(RemoteCare, PushOfWhatIsDamagedHereSaysWhatMendsIt) {
  add(*ours_, "new", 40);
  const std::string name = onlyPackOf(*ours_, "new").filename().string();
  const fs::path here = ours_->objects().pathOf(digestFromHex(name).value());
  fs::permissions(here, fs::perms::owner_write, fs::perm_options::add);
  for (const int kind : {3, 1, 0}) {
    damage(here, kind);
    const auto pushed = push(*ours_, remote_, {.references = {"new"}});
    ASSERT_TRUE(pushed) << pushed.error().message;
    ASSERT_EQ(pushed->failed.size(), 1) << kind;
    EXPECT_EQ(pushed->failed[0].error.code, ErrorCode::CorruptData);
    EXPECT_THAT(pushed->failed[0].error.message, HasSubstr("cannot be sent; strata verify tells"));
  }
}

TEST_F(RemoteCare, PullFetchesAgainWhatHasAnotherSizeHere) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  for (const int kind : {0, 1, 2}) {
    for (const char* const reference : {"base", "sst2:v1"}) {
      const fs::path pack = onlyPackOf(*ours_, reference);
      const fs::path here =
          theirs->objects().pathOf(digestFromHex(pack.filename().string()).value());
      fs::permissions(here, fs::perms::owner_write, fs::perm_options::add);
      damage(here, kind);
    }
    const auto pulled = pull(*theirs, remote_, {.references = {"sst2:v1"}});
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_EQ(pulled->objectCount, 2) << kind;
    EXPECT_EQ(pulled->completed.size(), 2);
    expectSound(*theirs);
  }
}

TEST_F(RemoteCare, VerifyNamesDamageAndTheVersionsItHits) {
  const RemoteVerifyReport sound = verify();
  EXPECT_TRUE(sound.sound());
  EXPECT_EQ(sound.versionCount, 4);
  EXPECT_EQ(sound.objectCount, 9) << "with one of signatures";
  EXPECT_GT(sound.checkedBytes, 0);
  EXPECT_EQ(verify(true).checkedBytes, 0);
  for (const int kind : {0, 1, 2, 3}) {
    const fs::path pack = onlyPackOf(*ours_, "base");
    const std::string bytes = test::readWhole(pack);
    damage(pack, kind);
    const RemoteVerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1) << kind;
    EXPECT_EQ(report.damages[0].name, pack.filename().string());
    EXPECT_THAT(report.damagedVersions, ElementsAre("base:v1", "ner:v1", "sst2:v1", "sst2:v2"));
    EXPECT_EQ(verify(true).sound(), kind == 3) << "quick compares sizes alone";
    test::writeWhole(pack, bytes);
  }
  flip(manifestOf("ner"));
  EXPECT_THAT(verify().damagedVersions, ElementsAre("ner:v1"));
}

TEST_F(RemoteCare, VerifyMissesParentsAndReadsRefs) {
  FolderTransport other(folder_ / "other");
  ASSERT_TRUE(push(*ours_, other, {.references = {"ner"}, .withBase = false}));
  const auto report = verifyRemote(*ours_, other, {}, {}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->damages.size(), 1);
  EXPECT_EQ(report->damages[0].kind, RemoteDamage::Kind::Parent);
  EXPECT_THAT(report->damagedVersions, ElementsAre("ner:v1"));
  // What mends it is what the command says.
  const auto mended = push(*ours_, other, {.repair = true});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(test::labelsOf(mended->pushed), ElementsAre("base:v1"));
  EXPECT_TRUE(verifyRemote(*ours_, other, {}, {}, {})->sound());
  const RefPush bad{{{"ner/v7", std::nullopt, R"({"kind":"version","ref":{"a":1}})"}}, "bad"};
  ASSERT_EQ(other.advanceRefs(bad, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(verifyRemote(*ours_, other, {}, {}, {})->damages.at(0).kind, RemoteDamage::Kind::Ref);
}

TEST_F(RemoteCare, VerifyReadsAManifestThatTheListLiesAbout) {
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion ner = parseRemoteVersion("ner/v1", listing.refs.at("ner/v1")).value();
  ner.packs = parseRemoteVersion("base/v1", listing.refs.at("base/v1")).value().packs;
  const RefPush lie{{{"ner/v1", listing.refs.at("ner/v1"), toRefText(ner)}}, "lie"};
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  const RemoteVerifyReport report = verify();
  ASSERT_EQ(report.damages.size(), 1);
  EXPECT_EQ(report.damages[0].kind, RemoteDamage::Kind::ManifestObject);
  EXPECT_THAT(report.damages[0].reason, HasSubstr("other packs"));
}

TEST_F(RemoteCare, RepairMendsFlippedBytesAndSendsNothingNew) {
  add(*ours_, "new", 40);
  for (const int kind : {0, 1, 2, 3}) {
    damage(onlyPackOf(*ours_, "base"), kind);
    damage(manifestOf("sst2:v2"), kind);
    const auto mended = push(*ours_, remote_, {.repair = true});
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_TRUE(mended->failed.empty());
    EXPECT_TRUE(mended->pushed.empty());
    EXPECT_THAT(mended->mended, ElementsAre("base:v1", "sst2:v2"));
    EXPECT_TRUE(verify().sound()) << kind;
  }
  EXPECT_EQ(remote_.readRefs({}).value().refs.count("new/v1"), 0);
  flip(onlyPackOf(*ours_, "ner"));
  EXPECT_THAT(push(*ours_, remote_, {.references = {"ner"}, .repair = true})->mended,
              ElementsAre("ner:v1"));
  EXPECT_TRUE(verify().sound());
}

TEST_F(RemoteCare, RepairSaysWhatItHasNot) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.references = {"ner"}}));
  flip(onlyPackOf(*ours_, "sst2:v1"));
  flip(onlyPackOf(*ours_, "ner"));
  const auto mended = push(*theirs, remote_, {.repair = true});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(mended->mended, ElementsAre("ner:v1"));
  ASSERT_EQ(mended->failed.size(), 1);
  EXPECT_EQ(mended->failed[0].label, "sst2:v1");
  EXPECT_THAT(mended->failed[0].error.message, HasSubstr("is missing in this store"));
  EXPECT_THAT(verify().damagedVersions, ElementsAre("sst2:v1"));
}

/// A server that says yes and keeps its own bytes.
class StubbornFolder final : public test::ForwardingTransport {
 public:
  explicit StubbornFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}
  Result<void> replace(const RemoteObject&, const ObjectSource&, std::stop_token,
                       const TransferMeter&) override {
    return {};
  }
};

TEST_F(RemoteCare, RepairReadsBackWhatItSent) {
  flip(onlyPackOf(*ours_, "ner"));
  StubbornFolder stubborn(folder_ / "remote");
  const auto mended = push(*ours_, stubborn, {.repair = true});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_TRUE(mended->mended.empty());
  ASSERT_EQ(mended->failed.size(), 1);
  EXPECT_THAT(mended->failed[0].error.message, HasSubstr("keeps what it had"));
}

/// Cannot be asked any more once the refs have moved.
class SilentFolder final : public test::ForwardingTransport {
 public:
  explicit SilentFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override {
    isSilent_ = true;
    return ForwardingTransport::advanceRefs(push, stop);
  }
  Result<RefListing> readRefs(std::stop_token stop) override {
    if (isSilent_) return fail(ErrorCode::Network, "no answer");
    return ForwardingTransport::readRefs(stop);
  }

 private:
  bool isSilent_ = false;
};

TEST_F(RemoteCare, PushThatIsDoneSaysWhatCouldNotBeLookedAt) {
  damage(onlyPackOf(*ours_, "base"), 0);
  add(*ours_, "new", 40);
  SilentFolder silent(folder_ / "remote");
  const auto pushed = push(*ours_, silent, {.references = {"new"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(test::labelsOf(pushed->pushed), ElementsAre("new:v1"));
  EXPECT_TRUE(pushed->mended.empty());
  ASSERT_EQ(pushed->failed.size(), 1);
  EXPECT_EQ(pushed->failed[0].label, "base:v1");
  EXPECT_EQ(pushed->failed[0].error.code, ErrorCode::Network);
  EXPECT_THAT(pushed->failed[0].error.message, HasSubstr("no answer; strata remote verify"));
  EXPECT_TRUE(verify().sound());
}

/// Counts what is sent, read and asked for.
class CountingFolder final : public test::ForwardingTransport {
 public:
  explicit CountingFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}
  std::function<void()> beforeAdvance;
  bool losesOnce = false;
  std::atomic<std::size_t> sent = 0;
  std::atomic<std::size_t> read = 0;
  std::size_t asked = 0;
  std::vector<std::string> pinned;  ///< refs that had to stay

  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override {
    asked += objects.size();
    return ForwardingTransport::has(objects, stop);
  }
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter) override {
    ++sent;
    return ForwardingTransport::put(object, source, stop, meter);
  }
  Result<void> replace(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                       const TransferMeter& meter) override {
    ++sent;
    return ForwardingTransport::replace(object, source, stop, meter);
  }
  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override {
    ++read;
    return ForwardingTransport::get(object, firstByte, sink, stop, meter);
  }
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override {
    if (std::exchange(losesOnce, false)) return RefOutcome::Overtaken;
    if (beforeAdvance) std::exchange(beforeAdvance, {})();
    for (const RefUpdate& update : push.updates) {
      if (update.expected == update.text) pinned.push_back(update.name);
    }
    return ForwardingTransport::advanceRefs(push, stop);
  }
};

TEST_F(RemoteCare, PushThatLostARaceSendsWhatItMendsOnce) {
  for (const bool repair : {false, true}) {
    damage(onlyPackOf(*ours_, "base"), repair ? 3 : 0);
    CountingFolder counting(folder_ / "remote");
    counting.losesOnce = true;
    const auto mended = push(*ours_, counting, {.references = {"sst2:v1"}, .repair = repair});
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_THAT(mended->mended, ElementsAre("base:v1"));
    EXPECT_EQ(counting.sent.load(), 1) << repair;
    // Four objects, the damaged one twice, and again once it was sent.
    EXPECT_EQ(counting.read.load(), repair ? 7 : 0);
    EXPECT_TRUE(verify().sound());
  }
}

TEST_F(RemoteCare, PushOfTagsAloneCountsOnTheVersionsTheyName) {
  ASSERT_TRUE(addTag(*ours_, {.reference = "sst2:v1", .tag = "old"}));
  CountingFolder counting(folder_ / "remote");
  ASSERT_TRUE(push(*ours_, counting, {.references = {"sst2:v1"}}));
  EXPECT_THAT(counting.pinned, ElementsAre("sst2/v1"));
  // Its version goes meanwhile: it comes back with the tag.
  ASSERT_TRUE(addTag(*ours_, {.reference = "ner:v1", .tag = "best"}));
  counting.beforeAdvance = [&] {
    EXPECT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"ner"}}, {}));
  };
  ASSERT_TRUE(push(*ours_, counting, {.references = {"ner"}}));
  const RefListing after = remote_.readRefs({}).value();
  EXPECT_TRUE(after.refs.contains("ner/v1"));
  EXPECT_TRUE(after.refs.contains("ner/tags/best"));
}

TEST_F(RemoteCare, PushAsksForWhatIsNewAndWhatThatStandsOn) {
  CountingFolder counting(folder_ / "remote");
  ASSERT_TRUE(push(*ours_, counting));
  EXPECT_EQ(counting.asked, 8) << "nothing is new: all is looked at";
  add(*ours_, "new", 41);
  counting.asked = 0;
  ASSERT_TRUE(push(*ours_, counting));
  EXPECT_EQ(counting.asked, 4) << "new:v1 and base:v1";
}

TEST_F(RemoteCare, VerifyChecksEachSizeThatIsListedOfAnObject) {
  const RefListing listing = remote_.readRefs({}).value();
  RemoteVersion copy = parseRemoteVersion("ner/v1", listing.refs.at("ner/v1")).value();
  copy.ref.name = "zzz";
  ++copy.packs.at(0).byteCount;
  const RefPush lie{{{"zzz/v1", std::nullopt, toRefText(copy)}}, "lie"};
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  const RemoteVerifyReport report = verify(true);
  ASSERT_EQ(report.damages.size(), 1);
  EXPECT_THAT(report.damagedVersions, ElementsAre("zzz:v1"));
  EXPECT_EQ(report.objectCount, 9);
}

TEST_F(RemoteCare, RemoveTakesAVersionAndItsTagsOffTheList) {
  const auto removed =
      removeRemoteVersions(*ours_, remote_, {.references = {"sst2:prod"}, .keptAs = "hub"}, {});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(removed->versions.at(0).ref.label(), "sst2:v2");
  EXPECT_EQ(removed->tags.size(), 1);
  EXPECT_GT(removed->freeableBytes, 0);
  const RefListing after = remote_.readRefs({}).value();
  EXPECT_EQ(after.refs.size(), 3);
  EXPECT_FALSE(after.refs.contains("sst2/tags/prod"));
  EXPECT_TRUE(verify().sound());
  // It may come back under its number.
  EXPECT_THAT(test::labelsOf(push(*ours_, remote_)->pushed), ElementsAre("sst2:v2"));
  EXPECT_EQ(remote_.readRefs({}).value().refs.size(), 5);
}

TEST_F(RemoteCare, RemoveLeavesWhatOthersStandOn) {
  const auto refused = removeRemoteVersions(*ours_, remote_, {.references = {"base"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("ner:v1, sst2:v1, sst2:v2 there cannot"));
  const auto all = removeRemoteVersions(
      *ours_, remote_, {.references = {"base", "ner", "sst2"}, .allVersions = true}, {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->versions.size(), 4);
  EXPECT_TRUE(remote_.readRefs({}).value().refs.empty());
}

/// Something happens on the remote once the refs were read.
class RacedFolder final : public test::ForwardingTransport {
 public:
  explicit RacedFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}
  std::function<void()> afterRefs;

  Result<RefListing> readRefs(std::stop_token stop) override {
    auto listing = ForwardingTransport::readRefs(stop);
    if (afterRefs) std::exchange(afterRefs, {})();
    return listing;
  }
};

TEST_F(RemoteCare, RemoveAndPushAtTheSameTimeLeaveNoVersionWithoutItsParent) {
  for (const char* const name : {"sst2", "ner"}) {
    ASSERT_TRUE(
        removeRemoteVersions(*ours_, remote_, {.references = {name}, .allVersions = true}, {}));
  }
  RacedFolder raced(folder_ / "remote");
  // Somebody pushes a difference to the base while it is removed.
  raced.afterRefs = [&] { EXPECT_TRUE(push(*ours_, remote_, {.references = {"ner"}})); };
  const auto refused = removeRemoteVersions(*ours_, raced, {.references = {"base"}}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_TRUE(verify().sound());
  // Somebody removes the base while a difference to it is pushed.
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"ner"}}, {}));
  raced.afterRefs = [&] {
    EXPECT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"base"}}, {}));
  };
  const auto pushed = push(*ours_, raced, {.references = {"ner"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(test::labelsOf(pushed->pushed), ElementsAre("base:v1", "ner:v1"));
  EXPECT_TRUE(verify().sound());
}

}  // namespace
}  // namespace strata::hub
