// Lists of a remote that are lost, damaged or older than what a store has seen.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/collect_remote_garbage.h"
#include "core/ops/fetch_remote.h"
#include "core/ops/remove_remote_versions.h"
#include "hub/generation.h"
#include "tests/unit/hub/remote_care_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const PushOptions kPush{.keptAs = "hub"};
const PushOptions kRepair{.repair = true, .keptAs = "hub"};

/// Signatures that were sent again may lie in another object.
std::map<std::string, RefText> withoutSignatures(std::map<std::string, RefText> refs) {
  for (auto& [name, text] : refs) {
    auto version = parseRemoteVersion(name, text);
    if (!version) continue;
    version->signature.reset();
    version->ref.signature.clear();
    text = toRefText(*version);
  }
  return refs;
}

/// A remote with two lists: of the base, and of all versions. The store has seen the second.
class LostList : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    ours_ = makeFullStore("ours");
    ASSERT_TRUE(push(*ours_, remote_, {.references = {"base"}, .keptAs = "hub"}));
    ASSERT_TRUE(push(*ours_, remote_, kPush));
    ASSERT_EQ(list().generation, 2U);
    whole_ = list().refs;
  }

  RefListing list() { return remote_.readRefs({}).value(); }
  fs::path listFile(std::uint64_t number) const {
    return folder_ / "remote" / "refs" / generationName(number);
  }
  RemoteVerifyReport verify() {
    auto report = verifyRemote(*ours_, remote_, {.keptAs = "hub"}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RemoteVerifyReport{});
  }
  Result<RemoteGarbageReport> collect() {
    return collectRemoteGarbage(*ours_, remote_,
                                {.dryRun = false, .graceSeconds = 0, .keptAs = "hub"}, {}, {});
  }
  /// Every command that would count on the list.
  void expectRefused(const std::string& why) {
    const auto isRefused = [&](const auto& done, const char* what) {
      ASSERT_FALSE(done) << what;
      EXPECT_EQ(done.error().code, ErrorCode::CorruptData) << what;
      EXPECT_THAT(done.error().message, HasSubstr(why)) << what;
      EXPECT_THAT(done.error().message, HasSubstr("push --repair")) << what;
    };
    isRefused(fetchRemote(*ours_, remote_, "hub", {}), "fetch");
    isRefused(push(*ours_, remote_, kPush), "push");
    isRefused(pull(*ours_, remote_, {.keptAs = "hub"}), "pull");
    isRefused(collect(), "gc");
    isRefused(removeRemoteVersions(*ours_, remote_, {.references = {"base"}, .keptAs = "hub"}, {}),
              "remove");
    const RemoteVerifyReport report = verify();
    ASSERT_FALSE(report.damages.empty());
    EXPECT_EQ(report.damages[0].kind, RemoteDamage::Kind::List);
    EXPECT_THAT(report.damages[0].reason, HasSubstr(why));
    EXPECT_EQ(sharedObjects(*ours_), 8U);
  }
  PushReport repair() {
    auto report = push(*ours_, remote_, kRepair);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PushReport{});
  }

  std::unique_ptr<Store> ours_;
  std::map<std::string, RefText> whole_;
};

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

TEST_F(LostList, AllListsMayBeLost) {
  for (const std::uint64_t number : {1, 2}) fs::remove(listFile(number));
  expectRefused("has number 0, and had 2 when it was last asked");
  EXPECT_TRUE(repair().failed.empty());
  EXPECT_EQ(list().refs, whole_);
}

TEST_F(LostList, ThatCannotBeReadIsWrittenAnew) {
  const std::string text = test::readWhole(listFile(2));
  for (const std::string& bad : {std::string(), text.substr(0, text.size() / 2), text + "x",
                                 std::string(text.size(), '\0')}) {
    const std::uint64_t newest = list().generation;
    const std::string sound = test::readWhole(listFile(newest));
    test::writeWhole(listFile(newest), bad);
    expectRefused(generationName(newest));
    const PushReport mended = repair();
    EXPECT_TRUE(mended.failed.empty());
    EXPECT_TRUE(mended.listMended);
    EXPECT_EQ(test::readWhole(listFile(newest + 1)), sound);
    EXPECT_TRUE(verify().sound());
    EXPECT_TRUE(collect());
  }
}

TEST_F(LostList, ThatOnlyOthersHaveSeenIsMendedByThoseOrMadeAnew) {
  FolderTransport once(folder_ / "remote");
  fs::remove(listFile(1));
  test::writeWhole(listFile(2), "");
  const auto stranger = makeFullStore("stranger");
  const auto refused = push(*stranger, once, kRepair);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("has seen none"), HasSubstr("--create")));
  ASSERT_FALSE(push(*stranger, once));
  const auto made = push(*stranger, once, {.create = true, .keptAs = "hub"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->pushed.size(), 4U);
  EXPECT_EQ(made->packCount, 0U);
  EXPECT_EQ(list().generation, 3U);
  EXPECT_TRUE(verify().sound());
}

TEST_F(LostList, MendsWhateverByteOfItIsFlipped) {
  const std::string sound = test::readWhole(listFile(2));
  constexpr std::size_t kStep = 61;
  for (const bool isKnown : {true, false}) {
    for (std::size_t at = isKnown ? 0 : kStep / 2; at < sound.size(); at += kStep) {
      for (const std::uint64_t number : {3, 4, 5}) fs::remove(listFile(number));
      test::writeWhole(listFile(2), sound);
      forgetFetched(ours_->folder(), "hub");
      if (isKnown) {
        ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
      }
      std::string bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ (at % 2 == 0 ? 1 : 4));
      test::writeWhole(listFile(2), bytes);
      const std::string place =
          fmt::format("{}: {}", at, bytes.substr(at - std::min<std::size_t>(at, 9), 19));
      const auto mended = push(*ours_, remote_, kRepair);
      if (!mended && mended.error().code == ErrorCode::FormatTooNew) continue;
      ASSERT_TRUE(mended) << place << mended.error().message;
      EXPECT_THAT(mended->failed, IsEmpty()) << place;
      for (const RemoteDamage& damage : verify().damages) ADD_FAILURE() << place << damage.reason;
      if (isKnown) {
        EXPECT_EQ(withoutSignatures(list().refs), withoutSignatures(whole_)) << place;
      }
      ASSERT_TRUE(push(*ours_, remote_, kPush)) << place;
      EXPECT_EQ(withoutSignatures(list().refs), withoutSignatures(whole_)) << place;
    }
  }
}

}  // namespace
}  // namespace strata::hub
