// Two remotes in one place: copied over each other, or one after the other.
#include "core/ops/versions/remove_versions.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The remote of LostList, list 2 of which ours_ has seen; another one, with three lists; a store
/// that has seen neither.
class MixedLists : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    FolderTransport other(folder_ / "other");
    const auto stranger = makeStore("stranger");
    importBase(*stranger);
    for (unsigned i = 0; i < 3; ++i) {
      add(*stranger, "stranger", 200 + i);
      ASSERT_TRUE(push(*stranger, other));
    }
    fresh_ = makeStore("fresh");
  }
  std::unique_ptr<FolderTransport> connect(const std::string& folder = "remote") const {
    return std::make_unique<FolderTransport>(folder_ / folder);
  }
  void mix() const {
    fs::copy(folder_ / "other", folder_ / "remote",
             fs::copy_options::recursive | fs::copy_options::skip_existing);
  }
  /// The other remote lies where ours was, which lies elsewhere now.
  void replace() const {
    fs::rename(folder_ / "remote", folder_ / "moved");
    fs::rename(folder_ / "other", folder_ / "remote");
  }
  Result<RemoteGarbageReport> collectAs(const Store& store, const std::string& name,
                                        const std::string& folder = "remote") const {
    return collectRemoteGarbage(store, *connect(folder),
                                {.dryRun = false, .graceSeconds = 0, .keptAs = name}, {}, {});
  }
  static void expectDamage(const Result<void>& done, const std::string& why) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(done.error().message, HasSubstr(why));
  }
  template <typename T>
  static Result<void> plain(const Result<T>& done) {
    return done ? Result<void>() : Result<void>(fail(done.error()));
  }
  /// List 2 of our remote is lost, where it lies now.
  void loseNewest(const std::string& folder) const {
    fs::remove(folder_ / folder / "refs" / generationName(2));
  }
  std::unique_ptr<Store> fresh_;
};

TEST_F(MixedLists, AreDamageForAStoreThatSawNeither) {
  mix();
  const std::string why = "two remotes lie there";
  expectDamage(plain(fetchRemote(*fresh_, *connect(), "hub", {})), why);
  expectDamage(plain(pull(*fresh_, *connect(), {.keptAs = "hub"})), why);
  expectDamage(plain(collectAs(*fresh_, "hub")), why);
  importBase(*fresh_);
  add(*fresh_, "fresh", 5);
  expectDamage(plain(push(*fresh_, *connect(), kPush)), why);
  expectDamage(plain(push(*fresh_, *connect(), kRepair)), why);
  const auto report = verifyRemote(*fresh_, *connect(), {.keptAs = "hub"}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->damages.size(), 1U);
  EXPECT_EQ(report->damages[0].kind, RemoteDamage::Kind::List);
  EXPECT_EQ(connect()->readRefs({})->generation, 3U) << "nobody wrote another one";
}

TEST_F(MixedLists, AreDamageForAStoreThatKnowsTheOtherFromElsewhere) {
  ASSERT_TRUE(fetchRemote(*fresh_, *connect("other"), "other", {}));
  mix();
  expectDamage(plain(collectAs(*fresh_, "hub")), "two remotes lie there");
  expectDamage(plain(push(*fresh_, *connect(), kRepair)), "two remotes lie there");
}

TEST_F(MixedLists, AreMendedByAStoreThatSawTheLowerOnes) {
  mix();
  const auto mended = push(*ours_, *connect(), kRepair);
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(mended->failed, IsEmpty());
  const auto fetched = fetchRemote(*fresh_, *connect(), "hub", {});
  ASSERT_TRUE(fetched) << fetched.error().message;
  const RefListing after = connect()->readRefs({}).value();
  for (const auto& [ref, text] : whole_) EXPECT_TRUE(after.refs.contains(ref)) << ref;
  EXPECT_TRUE(after.refs.contains("stranger/v3"));
  EXPECT_TRUE(collectAs(*fresh_, "hub"));
}

TEST_F(MixedLists, AreTakenAsTheyAreWhereTheUserSaysSo) {
  mix();
  ASSERT_TRUE(fetchRemote(*fresh_, *connect(), "hub", {}, {.acceptOlder = true}));
  EXPECT_TRUE(fetchRemote(*fresh_, *connect(), "hub", {}));
  EXPECT_TRUE(verifyRemote(*fresh_, *connect(), {.keptAs = "hub"}, {}, {})->sound());
}

TEST_F(MixedLists, AreNoneWhereOneListWasLostAndMended) {
  const std::string second = test::readWhole(listFile(2));
  fs::remove(listFile(2));
  ASSERT_TRUE(push(*ours_, *connect(), kRepair));
  test::writeWhole(listFile(2), second);
  EXPECT_TRUE(fetchRemote(*fresh_, *connect(), "hub", {}));
}

TEST_F(MixedLists, AFormerRemoteOfAPlaceIsKnownElsewhere) {
  ASSERT_TRUE(removeVersions(*ours_, {.references = {"ner:v1"}, .now = true}));
  replace();
  ASSERT_FALSE(fetchRemote(*ours_, *connect(), "hub", {}));
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}, {.acceptOlder = true}));
  loseNewest("moved");
  expectDamage(plain(collectAs(*ours_, "old", "moved")), "the newest list was lost");
  expectDamage(plain(fetchRemote(*ours_, *connect("moved"), "old", {})),
               "the newest list was lost");
  const auto mended = push(*ours_, *connect("moved"), PushOptions{.repair = true, .keptAs = "old"});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(mended->failed, IsEmpty());
  EXPECT_TRUE(connect("moved")->readRefs({})->refs.contains("ner/v1"));
  EXPECT_TRUE(fetchRemote(*ours_, *connect(), "hub", {})) << "the new one is known, too";
}

TEST_F(MixedLists, AFormerRemoteOfAPlaceIsKnownWhereItComesBack) {
  replace();
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}, {.acceptOlder = true}));
  fs::rename(folder_ / "remote", folder_ / "other");
  fs::rename(folder_ / "moved", folder_ / "remote");
  loseNewest("remote");
  EXPECT_FALSE(fetchRemote(*ours_, *connect(), "hub", {}));
  // What was accepted is that the other one is gone.
  expectDamage(plain(fetchRemote(*ours_, *connect(), "hub", {}, {.acceptOlder = true})),
               "the newest list was lost");
  expectDamage(plain(collectAs(*ours_, "hub")), "the newest list was lost");
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}, {.acceptOlder = true}));
  EXPECT_TRUE(collectAs(*ours_, "hub"));
}

TEST_F(MixedLists, AFormerRemoteIsKnownAfterAPlaceWasMadeAnew) {
  fs::rename(folder_ / "remote", folder_ / "moved");
  ASSERT_TRUE(push(*ours_, *connect(), {.create = true, .keptAs = "hub"}));
  loseNewest("moved");
  expectDamage(plain(collectAs(*ours_, "old", "moved")), "the newest list was lost");
}

}  // namespace
}  // namespace strata::hub
