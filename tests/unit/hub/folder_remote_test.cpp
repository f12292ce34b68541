#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/verify_remote.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_library.h"
#include "hub/generation.h"
#include "hub/open_transport.h"
#include "tests/support/recorded_names.h"
#include "tests/unit/hub/exchange_fixture.h"
#include "tests/unit/hub/fake_clock.h"
#include "tests/unit/hub/forwarding_transport.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A folder as the place between stores.
class FolderRemote : public test::ExchangeFixture {};

TEST_F(FolderRemote, ClearsAwayWhatKilledPushesLeftInTheFolder) {
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

TEST_F(FolderRemote, BringsEveryNameToTheDiskBeforeItIsDone) {
  const auto ours = makeFullStore("ours");
  const fs::path shares = folder_ / "shares";
  FolderTransport remote(shares / "team" / "remote");
  const test::RecordedNames names;
  ASSERT_TRUE(push(*ours, remote));
  EXPECT_EQ(names.unsynced(shares), std::set<fs::path>{});
  EXPECT_EQ(names.unsyncedAtLink(shares), std::set<fs::path>{}) << "objects come before refs";
  EXPECT_FALSE(names.unsynced(folder_.path()).contains(fs::canonical(folder_.path())));
}

/// Moves files to the names they have, as a pusher that was killed before it synced them.
void nameAgain(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path elsewhere = entry.path().string() + ".moved";
    fs::rename(entry.path(), elsewhere);
    fs::rename(elsewhere, entry.path());
  }
}

TEST_F(FolderRemote, BringsNamesToTheDiskThatKilledPushesLeft) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const fs::path remote = folder_ / "remote";
  {
    const test::RecordedNames names;
    nameAgain(remote / "refs");
    ASSERT_EQ(names.unsynced(remote).size(), 1U);
    ASSERT_TRUE(push(*ours, remote_));  // has everything
    EXPECT_EQ(names.unsynced(remote), std::set<fs::path>{});
  }
  fs::remove_all(remote / "refs");
  const test::RecordedNames names;
  fs::create_directory(remote / "refs");
  nameAgain(remote / "objects");
  ASSERT_GT(names.unsynced(remote).size(), 2U);
  ASSERT_TRUE(push(*ours, remote_));
  EXPECT_EQ(names.unsynced(remote), std::set<fs::path>{});
  EXPECT_EQ(names.unsyncedAtLink(remote), std::set<fs::path>{});
}

/// What was moved there.
std::uint64_t bytesOfFilesIn(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

TEST_F(FolderRemote, KeepsBelowARateBothWays) {
  const auto ours = makeFullStore("ours");
  test::FakeClock clock;
  FolderTransport slow(folder_ / "slow", 1000, clock);
  const auto begun = clock.now();
  const auto pushed = push(*ours, slow, {.parallel = 1});
  ASSERT_TRUE(pushed);
  ASSERT_GT(pushed->byteCount, 1000U);
  const auto sent = clock.now();
  // At a byte a millisecond. Signatures lie in objects that reports do not count.
  const std::uint64_t moved = bytesOfFilesIn(folder_ / "slow" / "objects");
  EXPECT_GE(moved, pushed->byteCount);
  EXPECT_NEAR(static_cast<double>((sent - begun).count()), static_cast<double>(moved), 50.0);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, slow, {.parallel = 1});
  ASSERT_TRUE(pulled);
  EXPECT_EQ(pulled->byteCount, pushed->byteCount);
  EXPECT_NEAR(static_cast<double>((clock.now() - sent).count()), static_cast<double>(moved), 50.0);
}

/// A disk without space, as a folder tells before and while something is written.
class FullFolder final : public test::ForwardingTransport {
 public:
  explicit FullFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}

  bool tellsBefore = true;
  std::size_t putCount = 0;

  Result<void> checkSpace(std::uint64_t byteCount) override {
    return tellsBefore ? fail(ErrorCode::NoSpace, std::to_string(byteCount) + " needed, 5 free")
                       : Result<void>{};
  }
  Result<void> put(const RemoteObject&, const ObjectSource&, std::stop_token,
                   const TransferMeter&) override {
    ++putCount;
    return fail(ErrorCode::NoSpace, "write: no space left");
  }
};

TEST_F(FolderRemote, ThatIsFullIsNoTroubleOfTheStore) {
  const auto ours = makeFullStore("ours");
  FullFolder remote(folder_ / "remote");
  const std::uint64_t bytes = push(*ours, remote_, {.dryRun = true})->byteCount;
  for (const bool dryRun : {true, false}) {
    const auto refused = push(*ours, remote, {.dryRun = dryRun});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Network);
    EXPECT_EQ(refused.error().message, std::to_string(bytes) + " needed, 5 free");
  }
  EXPECT_EQ(remote.putCount, 0U);
  remote.tellsBefore = false;
  EXPECT_EQ(push(*ours, remote).error().code, ErrorCode::Network);
  EXPECT_GT(remote.putCount, 0U);
  EXPECT_FALSE(FolderTransport(folder_ / "remote").checkSpace(std::uint64_t{1} << 62U));
  EXPECT_TRUE(FolderTransport(folder_ / "remote").checkSpace(1));
  EXPECT_TRUE(FolderTransport("/proc/none").checkSpace(1)) << "a file system without a size";
}

TEST_F(FolderRemote, LetsManyPushersThroughWithoutALoss) {
  constexpr int kPushers = 8;
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

TEST_F(FolderRemote, LosesARefThatAnotherMovedFirst) {
  ASSERT_EQ(remote_.advanceRefs({{{"a/v1", std::nullopt, "{\"n\":1}"}}, "one"}, {}).value(),
            RefOutcome::Advanced);
  const RefPush second{{{"b/v1", std::nullopt, "{\"n\":3}"}, {"a/v1", std::nullopt, "{\"n\":2}"}},
                       "two"};
  EXPECT_EQ(remote_.advanceRefs(second, {}).value(), RefOutcome::Overtaken);
  EXPECT_FALSE(remote_.readRefs({}).value().refs.contains("b/v1"));
}

TEST_F(FolderRemote, KeepsOnlyTheLastGenerationsOfRefs) {
  for (int i = 0; i < 80; ++i) {
    const RefPush one{{{"a/v" + std::to_string(i + 1), std::nullopt, "{\"n\":1}"}}, "one"};
    ASSERT_EQ(remote_.advanceRefs(one, {}).value(), RefOutcome::Advanced);
  }
  EXPECT_EQ(remote_.readRefs({}).value().refs.size(), 80);
  EXPECT_EQ(test::entryCount(folder_ / "remote" / "refs"), kKeptGenerations);
}

TEST(Generations, AreNumbersThatSomebodyCountedUpTo) {
  EXPECT_EQ(generationName(7), "00000000000000000007");
  EXPECT_EQ(generationOf(generationName(7)), 7);
  for (const char* none : {"", "7", "0000000000000000000x", "000000000000000000007",
                           "18446744073709551615", "99999999999999999999"}) {
    EXPECT_EQ(generationOf(none), 0) << none;
  }
  EXPECT_TRUE(isOutdated(1, 1 + kKeptGenerations));
  EXPECT_FALSE(isOutdated(2, 1 + kKeptGenerations));
  EXPECT_FALSE(mayBePassed(8, 7)) << "a list that lags behind";
  EXPECT_TRUE(mayBePassed(8, 8 + kKeptGenerations / 2));
}

TEST_F(FolderRemote, DoesNotTakeTheHighestNumberThereIsForAGeneration) {
  const RefPush one{{{"a/v1", std::nullopt, "{\"n\":1}"}}, "one"};
  ASSERT_EQ(remote_.advanceRefs(one, {}).value(), RefOutcome::Advanced);
  test::writeWhole(folder_ / "remote" / "refs" / "18446744073709551615", "{}");
  const RefPush two{{{"b/v1", std::nullopt, "{\"n\":1}"}}, "two"};
  ASSERT_EQ(remote_.advanceRefs(two, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(remote_.readRefs({}).value().refs.size(), 2);
}

TEST_F(FolderRemote, LeavesFoldersOfOthersAlone) {
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

TEST_F(FolderRemote, IsNotMadeAnewWhereItWas) {
  const auto ours = makeFullStore("ours");
  const fs::path place = folder_ / "share" / "models";
  const fs::path away = folder_ / "away";
  const std::string url = FolderTransport(place).url();
  for (const std::string& name : {std::string("stick"), url}) {
    const PushOptions options{.keptAs = name};
    FolderTransport first(place);
    const auto begun = push(*ours, first, options);
    ASSERT_TRUE(begun) << begun.error().message;
    EXPECT_TRUE(begun->failed.empty());
    fs::rename(folder_ / "share", away);
    for (const bool isMountPoint : {false, true}) {
      if (isMountPoint) fs::create_directories(place);
      FolderTransport remote(place);
      const auto refused = push(*ours, remote, options);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
      EXPECT_THAT(refused.error().message, HasSubstr(place.string()));
      EXPECT_THAT(refused.error().message, HasSubstr("4 versions"));
      EXPECT_FALSE(push(*ours, remote, {.dryRun = true, .keptAs = name}));
      EXPECT_FALSE(fetchRemote(*ours, remote, name, {}));
      EXPECT_FALSE(pull(*ours, remote, {.keptAs = name}));
      EXPECT_FALSE(verifyRemote(*ours, remote, {}, {}, {}));
      EXPECT_EQ(fs::exists(place), isMountPoint);
      EXPECT_TRUE(!isMountPoint || fs::is_empty(place));
    }
    FolderTransport remote(place);
    const auto made = push(*ours, remote, {.create = true, .keptAs = name});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->pushed.size(), 4);
    fs::remove_all(folder_ / "share");
    fs::rename(away, folder_ / "share");
    FolderTransport back(place);
    EXPECT_EQ(push(*ours, back, options)->alreadyThere.size(), 4);
    fs::remove_all(folder_ / "share");
  }
}

TEST_F(FolderRemote, ThatNobodyPushedToIsNoEmptyOne) {
  const auto ours = makeFullStore("ours");
  fs::create_directory(folder_ / "remote");
  const auto refused = fetchRemote(*ours, remote_, "stick", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("nobody has pushed, or its share is not mounted"));
  EXPECT_EQ(pull(*ours, remote_).error().code, ErrorCode::NotFound);
  const auto known = readFetched(ours->folder(), "stick");
  ASSERT_TRUE(known && *known) << "all counts as to push";
  EXPECT_TRUE((*known)->listing.refs.empty());
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "stick"}));
  EXPECT_TRUE(fetchRemote(*ours, remote_, "stick", {}));
}

/// The share goes while a push is at it.
class LeavingFolder final : public test::ForwardingTransport {
 public:
  explicit LeavingFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)), place_(folder) {}
  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override {
    auto there = ForwardingTransport::has(objects, stop);
    fs::rename(place_, place_.string() + ".away");
    fs::create_directory(place_);
    return there;
  }

 private:
  fs::path place_;
};

TEST_F(FolderRemote, IsNotMadeAnewWhereItWentAMomentAgo) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.references = {"base"}}));
  LeavingFolder leaving(folder_ / "remote");
  const auto refused = push(*ours, leaving);
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_TRUE(refused->pushed.empty());
  ASSERT_EQ(refused->failed.size(), 3);
  EXPECT_THAT(refused->failed[0].error.message, HasSubstr("is it still mounted?"));
  EXPECT_TRUE(fs::is_empty(folder_ / "remote"));
}

TEST_F(FolderRemote, GetsALostMarkerBack) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.keptAs = "stick"}));
  for (const char* const damaged : {"", "{", R"({"format":0})"}) {
    test::writeWhole(folder_ / "remote" / "strata.json", damaged);
    FolderTransport remote(folder_ / "remote");
    EXPECT_EQ(remote.readRefs({}).value().refs.size(), 5) << damaged;
    ASSERT_TRUE(push(*ours, remote, {.keptAs = "stick"})) << damaged;
    EXPECT_EQ(test::readWhole(folder_ / "remote" / "strata.json"), "{\"format\":1}\n");
  }
  fs::remove(folder_ / "remote" / "strata.json");
  FolderTransport again(folder_ / "remote");
  EXPECT_EQ(again.readRefs({}).value().refs.size(), 5) << "it hides no versions";
  EXPECT_EQ(verifyRemote(*ours, again, {}, {}, {}).value().versionCount, 4);
  EXPECT_THAT(again.probe({}).value().notes, Contains(HasSubstr("strata.json is missing or")));
  EXPECT_GE(collectRemoteGarbage(*ours, again, {}, {}, {}).value().keptObjects, 8);
  const auto pushed = push(*ours, again, {.keptAs = "stick"});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_EQ(again.readRefs({}).value().refs.size(), 5);
  EXPECT_TRUE(fs::exists(folder_ / "remote" / "strata.json"));
}

TEST_F(FolderRemote, MendsObjectsInWhosePlaceALinkLies) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  const auto objects = remote_.listObjects({});
  ASSERT_TRUE(objects && !objects->empty());
  const std::string hex = toHex(objects->front().digest);
  const fs::path place = folder_ / "remote" / "objects" / hex.substr(0, 2);
  const fs::path file = place / hex;
  ASSERT_TRUE(fs::exists(file)) << file;
  for (const char* const target : {"/dev/null", "nowhere"}) {
    fs::remove(file);
    fs::create_symlink(target, file);
    ASSERT_TRUE(push(*ours, remote_, {.repair = true})) << target;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file))) << target;
  }
  fs::remove_all(place);
  fs::create_symlink("nowhere", place);
  ASSERT_TRUE(push(*ours, remote_, {.repair = true}));
  EXPECT_TRUE(fs::is_regular_file(file));
}

TEST_F(FolderRemote, FollowsNoLinkThatLeadsOutOfIt) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  for (const char* const name : {"objects", "refs", "tmp"}) {
    const fs::path place = folder_ / "remote" / name;
    const fs::path work = folder_ / "work";
    fs::rename(place, work);
    fs::create_directory_symlink(work, place);
    test::writeWhole(work / "letter.tmp", "mine");
    fs::last_write_time(work / "letter.tmp",
                        fs::file_time_type::clock::now() - std::chrono::hours(25));
    FolderTransport remote(folder_ / "remote");
    const auto refused = push(*ours, remote);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(refused.error().message, HasSubstr(place.string() + ": is a link"));
    EXPECT_FALSE(remote.readRefs({}));
    EXPECT_FALSE(remote.listObjects({}));
    EXPECT_FALSE(remote.abandonUploads({}));
    EXPECT_TRUE(fs::exists(work / "letter.tmp"));
    fs::remove(work / "letter.tmp");
    fs::remove(place);
    fs::rename(work, place);
  }
  EXPECT_TRUE(push(*ours, remote_));
}

TEST_F(FolderRemote, IsPushedToOnceOthersSeeIt) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.references = {"base"}}));
  test::WorseDisk disk;
  disk.failsNextSync = true;
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_FALSE(disk.failsNextSync);
  EXPECT_EQ(pushed->pushed.size(), 3);
}

TEST_F(FolderRemote, SaysWherePushersMayOverwriteEachOther) {
  EXPECT_EQ(remote_.probe({}).value().refs, RefSafety::Atomic);
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_, {.references = {"base"}}));
  RefIndex others{.refs = remote_.readRefs({}).value().refs};
  others.refs["other/tags/x"] = R"({"kind":"other"})";
  test::WorseDisk disk;
  disk.hasNoLinks = true;
  EXPECT_EQ(remote_.probe({}).value().refs, RefSafety::LastWriterWins);
  EXPECT_EQ(collectRemoteGarbage(*ours, remote_, {}, {}, {}).error().code, ErrorCode::Unsupported);
  // Another pusher takes the same number a moment later.
  const RefPush push{{{"mine/tags/x", std::nullopt, R"({"kind":"mine"})"}}, "mine"};
  disk.afterRename = [&](const fs::path& to) {
    test::writeWhole(to, serializeRefIndex(others).value());
  };
  EXPECT_EQ(remote_.advanceRefs(push, {}).value(), RefOutcome::Advanced);
  EXPECT_FALSE(disk.afterRename);
  const auto refs = remote_.readRefs({}).value().refs;
  EXPECT_TRUE(refs.contains("mine/tags/x"));
  EXPECT_TRUE(refs.contains("other/tags/x"));
}

TEST_F(FolderRemote, LiesInsideNoStore) {
  const auto ours = makeFullStore("ours");
  for (const char* const word : {"ours", "ours/refs/x", "ours/tmp", "ours/trash/q"}) {
    FolderTransport inside(folder_ / word);
    const auto refused = push(*ours, inside);
    ASSERT_FALSE(refused) << word;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_FALSE(checkRemotePlace(inside.url())) << word;
  }
  EXPECT_TRUE(checkRemotePlace(remote_.url()));
  expectSound(*ours);
}

TEST_F(FolderRemote, GoesOnWithAFirstPushThatWasCutOff) {
  const auto ours = makeFullStore("ours");
  fs::create_directories(folder_ / "remote" / "refs");
  fs::create_directories(folder_ / "remote" / "tmp");
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_TRUE(fs::exists(folder_ / "remote" / "strata.json"));
}

TEST_F(FolderRemote, RefusesARemoteOfALaterFormat) {
  fs::create_directories(folder_ / "remote");
  test::writeWhole(folder_ / "remote" / "strata.json", "{\"format\":2}");
  const auto listing = remote_.readRefs({});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().code, ErrorCode::FormatTooNew);
}

}  // namespace
}  // namespace strata::hub
