// Lists of a remote that are lost, or older than what a store has seen.
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/store/store_writer.h"
#include "core/transfer/ref_index.h"
#include "tests/unit/hub/forwarding_transport.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(LostList, ChangesNothingWhereWhatWasSeenLastIsDamaged) {
  const fs::path seen = ours_->folder() / "remotes" / "hub.json";
  fs::resize_file(seen, fs::file_size(seen) / 2);
  const std::string damaged = test::readWhole(seen);
  fs::remove(listFile(2));
  const auto isRefused = [&](const auto& done, const char* what) {
    ASSERT_FALSE(done) << what;
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData) << what;
    EXPECT_THAT(done.error().message, HasSubstr("nothing is done; fetch takes")) << what;
    EXPECT_EQ(test::readWhole(seen), damaged) << what;
  };
  isRefused(collect(), "gc");
  isRefused(push(*ours_, remote_, kPush), "push");
  isRefused(push(*ours_, remote_, kRepair), "push --repair");
  isRefused(pull(*ours_, remote_, {.keptAs = "hub"}), "pull");
  isRefused(removeRemoteVersions(*ours_, remote_, {.references = {"base"}, .keptAs = "hub"}, {}),
            "remove");
  isRefused(verifyRemote(*ours_, remote_, {.keptAs = "hub"}, {}, {}), "verify");
  EXPECT_EQ(list().generation, 1U);
  const auto fetched = fetchRemote(*ours_, remote_, "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_THAT(fetched->problems, ElementsAre(HasSubstr("is not known")));
  EXPECT_TRUE(collect());
}

TEST_F(LostList, IsSaidToGoUnnoticedWhereTheListCouldNotBeKept) {
  const fs::path scratch = ours_->folder() / "tmp";
  fs::rename(scratch, folder_ / "away");
  test::writeWhole(scratch, "no folder");
  const auto removed =
      removeRemoteVersions(*ours_, remote_, {.references = {"sst2:v2"}, .keptAs = "hub"}, {});
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message, HasSubstr("it is off the remote's list; but "));
  EXPECT_FALSE(list().refs.contains("sst2/v2"));
  const auto expectSaid = [](const auto& done, const char* what) {
    ASSERT_TRUE(done) << what << ": " << done.error().message;
    ASSERT_EQ(done->failed.size(), 1U) << what;
    EXPECT_EQ(done->failed[0].label, "the list of hub") << what;
    EXPECT_THAT(done->failed[0].error.message, HasSubstr("would go unnoticed; fetch keeps it"));
  };
  const auto pushed = push(*ours_, remote_, kPush);
  expectSaid(pushed, "push");
  EXPECT_EQ(pushed->pushed.size(), 1U);
  expectSaid(push(*ours_, remote_, kPush), "push of nothing");
  expectSaid(pull(*ours_, remote_, {.keptAs = "hub"}), "pull");
  fs::remove(scratch);
  fs::rename(folder_ / "away", scratch);
  EXPECT_TRUE(push(*ours_, remote_, kPush)->failed.empty());
  EXPECT_TRUE(pull(*ours_, remote_, {.keptAs = "hub"})->failed.empty());
  EXPECT_EQ(readFetched(ours_->folder(), "hub").value()->listing.refs, list().refs);
}

TEST_F(LostList, IsNoticedAndBroughtBack) {
  fs::remove(listFile(2));
  expectRefused("has number 1, and had 2 when it was last asked");
  const PushReport mended = repair();
  EXPECT_TRUE(mended.failed.empty());
  EXPECT_TRUE(mended.listMended);
  EXPECT_THAT(mended.mended, ElementsAre("ner:v1", "sst2:prod", "sst2:v1", "sst2:v2"));
  EXPECT_EQ(mended.packCount, 0U) << "all objects are there";
  EXPECT_EQ(list().refs, whole_);
  EXPECT_EQ(list().generation, 3U) << "above what others have seen";
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(collect());
  EXPECT_EQ(push(*ours_, remote_, kPush)->alreadyThere.size(), 4U);
}

TEST_F(LostList, IsTakenAsItIsWhereTheUserSaysSo) {
  fs::remove(listFile(2));
  ASSERT_FALSE(fetchRemote(*ours_, remote_, "hub", {}));
  const auto fetched = fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->versionCount, 1U);
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(push(*ours_, remote_, kPush)->pushed.size(), 3U);
  EXPECT_EQ(list().refs, whole_);
}

TEST_F(LostList, OfALowerNumberIsSaidWhereNothingIsMissing) {
  makeAnew();
  const auto pushed = push(*ours_, remote_, {.dryRun = true, .keptAs = "hub"});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->olderList, HasSubstr("number 1, and had 2"));
  const auto pulled = pull(*ours_, remote_, {.dryRun = true, .keptAs = "hub"});
  EXPECT_THAT(pulled->problems, ElementsAre(HasSubstr("number 1, and had 2")));
  const auto fetched = fetchRemote(*ours_, remote_, "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_THAT(fetched->problems, ElementsAre(HasSubstr("number 1, and had 2")));
  EXPECT_THAT(fetchRemote(*ours_, remote_, "hub", {})->problems, IsEmpty()) << "it is known now";
}

TEST_F(LostList, IsNoticedAfterOthersWroteItsNumberAnew) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "new", 50);
  fs::remove(listFile(2));
  ASSERT_TRUE(push(*theirs, remote_));
  ASSERT_EQ(list().generation, 2U);
  const auto refused = push(*ours_, remote_, kPush);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("has number 2, as when it was last asked"));
  EXPECT_FALSE(collect());
  EXPECT_TRUE(repair().failed.empty());
  EXPECT_EQ(list().refs.size(), whole_.size() + 1) << "both count";
  EXPECT_TRUE(verify().sound());
}

TEST_F(LostList, AnOlderFolderThatIsPutBackLosesNoVersionThatIsHere) {
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "new", 50);
  fs::copy(folder_ / "remote", folder_ / "backup", fs::copy_options::recursive);
  ASSERT_TRUE(push(*theirs, remote_));
  add(*ours_, "late", 51);
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  fs::remove_all(folder_ / "remote");
  fs::rename(folder_ / "backup", folder_ / "remote");
  ASSERT_FALSE(push(*ours_, remote_, kPush));
  const PushReport mended = repair();
  EXPECT_THAT(mended.mended, ElementsAre("late:v1"));
  EXPECT_EQ(mended.packCount, 1U);
  ASSERT_EQ(mended.failed.size(), 1U);
  EXPECT_EQ(mended.failed[0].label, "new:v1") << "no store gave its objects back yet";
  EXPECT_FALSE(push(*ours_, remote_, kPush)) << "it is still lost";
  ASSERT_TRUE(push(*theirs, remote_));
  EXPECT_TRUE(repair().failed.empty());
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(list().refs.contains("new/v1"));
  EXPECT_TRUE(list().refs.contains("late/v1"));
}

TEST_F(LostList, WithALowerNumberCountsWhereNothingIsMissing) {
  makeAnew();
  ASSERT_EQ(list().generation, 1U);
  EXPECT_TRUE(verify().sound());
  const auto pulled = pull(*ours_, remote_, {.keptAs = "hub"});
  EXPECT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(readFetched(ours_->folder(), "hub").value()->listing.generation, 1U);
}

/// Another process of the store pushes right after the list was read.
class OvertakenFolder final : public test::ForwardingTransport {
 public:
  OvertakenFolder(std::unique_ptr<Transport> inner, std::function<void()> meanwhile)
      : ForwardingTransport(std::move(inner)), meanwhile_(std::move(meanwhile)) {}

  Result<RefListing> readRefs(std::stop_token stop) override {
    auto listing = ForwardingTransport::readRefs(stop);
    if (meanwhile_) std::exchange(meanwhile_, {})();
    return listing;
  }

 private:
  std::function<void()> meanwhile_;
};

TEST_F(LostList, IsNotOneThatWasReadBeforeAnotherProcessPushed) {
  unsigned seed = 70;
  const auto overtaken = [&] {
    return std::make_unique<OvertakenFolder>(std::make_unique<FolderTransport>(folder_ / "remote"),
                                             [&] {
                                               add(*ours_, "late", ++seed);
                                               ASSERT_TRUE(push(*ours_, remote_, kPush));
                                             });
  };
  const auto kept = [&] { return readFetched(ours_->folder(), "hub").value()->listing.generation; };
  const auto pulled = pull(*ours_, *overtaken(), {.keptAs = "hub"});
  EXPECT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(kept(), list().generation);
  const auto pushed = push(*ours_, *overtaken(), kPush);
  EXPECT_TRUE(pushed) << pushed.error().message;
  EXPECT_EQ(kept(), list().generation);
  const auto fetched = fetchRemote(*ours_, *overtaken(), "hub", {});
  EXPECT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(kept(), list().generation);
  const auto verified = verifyRemote(*ours_, *overtaken(), {.keptAs = "hub"}, {}, {});
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->sound());
  EXPECT_TRUE(
      removeRemoteVersions(*ours_, *overtaken(), {.references = {"ner"}, .keptAs = "hub"}, {}));
}

/// What earlier programs kept of it has the list as a text in JSON.
TEST_F(LostList, IsKnownFromWhatEarlierProgramsKept) {
  const auto kept = readFetched(ours_->folder(), "hub").value();
  ASSERT_TRUE(kept);
  const nlohmann::json earlier{{"fetched_at", 7},
                               {"generation", kept->listing.generation},
                               {"index", serializeRefIndex({kept->listing.refs}).value()}};
  const fs::path file = ours_->folder() / "remotes/hub.json";
  test::writeWhole(file, earlier.dump());
  const auto read = readFetched(ours_->folder(), "hub").value();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->listing.refs, kept->listing.refs);
  EXPECT_EQ(read->listing.generation, kept->listing.generation);
  EXPECT_EQ(read->fetchedAt, 7);
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_GT(readFetched(ours_->folder(), "hub").value()->fetchedAt, 7) << "written as it is now";
}

TEST_F(LostList, IsNotKnownWhereAnyByteOfWhatWasKeptIsAnother) {
  const fs::path file = ours_->folder() / "remotes/hub.json";
  const std::string sound = test::readWhole(file);
  ASSERT_TRUE(readFetched(ours_->folder(), "hub"));
  for (std::size_t i = 0; i < sound.size(); ++i) {
    std::string damaged = sound;
    damaged[i] ^= 1;
    test::writeWhole(file, damaged);
    EXPECT_FALSE(readFetched(ours_->folder(), "hub")) << "byte " << i;
  }
  test::writeWhole(file, sound.substr(0, sound.find('\n')));
  EXPECT_FALSE(readFetched(ours_->folder(), "hub")) << "the list is gone";
}

TEST_F(LostList, LeavesATagThatWasMovedSince) {
  ASSERT_TRUE(fs::remove(listFile(2)));
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "sst2", 10);
  ASSERT_TRUE(addTag(*theirs, {.reference = "sst2:v1", .tag = "prod"}));
  TagRef tag = theirs->refs().readTag("sst2", "prod").value();
  tag.taggedAt += 1000;
  ASSERT_TRUE(theirs->lock("test").value()->putTags({tag}));
  ASSERT_TRUE(push(*theirs, remote_));
  repair();
  EXPECT_EQ(parseRemoteTag("sst2/tags/prod", list().refs.at("sst2/tags/prod"))->taggedAt,
            tag.taggedAt);
}

TEST_F(LostList, IsNotMendedWhereNoRemoteIs) {
  FolderTransport none(folder_ / "none");
  const auto refused = push(*ours_, none, {.repair = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("no remote is there"));
}

/// A version is removed while it is about to be pushed.
class SlowFolder final : public test::ForwardingTransport {
 public:
  SlowFolder(std::unique_ptr<Transport> inner, Store& store)
      : ForwardingTransport(std::move(inner)), store_(store) {}

  Result<TransportTraits> probe(std::stop_token stop) override {
    EXPECT_TRUE(removeVersions(store_, {.references = {"late"}}));
    return ForwardingTransport::probe(stop);
  }

 private:
  Store& store_;
};

TEST_F(LostList, IsNotBlamedForAVersionThatWasRemovedMeanwhile) {
  add(*ours_, "late", 90);
  SlowFolder slow(std::make_unique<FolderTransport>(folder_ / "remote"), *ours_);
  const auto refused = push(*ours_, slow, kPush);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("late:v1: another command removed it meanwhile"));
  EXPECT_TRUE(push(*ours_, remote_, kPush));
}

TEST_F(LostList, AllListsMayBeLost) {
  for (const std::uint64_t number : {1, 2}) fs::remove(listFile(number));
  expectRefused("has number 0, and had 2 when it was last asked");
  EXPECT_TRUE(repair().failed.empty());
  EXPECT_EQ(list().refs, whole_);
}

}  // namespace
}  // namespace strata::hub
