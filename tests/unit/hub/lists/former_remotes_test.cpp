// What is kept of remotes in whose places others lie now.
#include "core/ops/care/recover_versions.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/kept_damage.h"
#include "core/store/asked_remotes.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The remote of LostList was moved away, and another one lies in its place, which was accepted.
class FormerRemote : public LostList {
 protected:
  void SetUp() override {
    LostList::SetUp();
    RemoteList remotes;
    remotes.remotes.push_back({.name = "hub", .url = remote_.url()});
    ASSERT_TRUE(remotes.save(ours_->folder()));
    ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}));
    former_ = list().identity;
    const auto theirs = makeStore("theirs");
    importBase(*theirs);
    add(*theirs, "theirs", 60);
    FolderTransport other(folder_ / "other");
    ASSERT_TRUE(push(*theirs, other));
    change("away", "other");
    ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true}));
    ASSERT_THAT(formerFiles(), SizeIs(3));
  }

  /// Moves what lies in the place to one folder, and another one there.
  void change(const std::string& to, const std::string& from) const {
    fs::rename(folder_ / "remote", folder_ / to);
    fs::rename(folder_ / from, folder_ / "remote");
  }
  std::vector<fs::path> formerFiles() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(ours_->folder() / "remotes")) {
      if (entry.path().filename().string().starts_with(".id-")) files.push_back(entry.path());
    }
    return files;
  }
  fs::path formerFile(const std::string& ending) const {
    return ours_->folder() / "remotes" / (".id-" + former_ + ending);
  }
  std::vector<std::string> damages() const {
    std::vector<std::string> reasons;
    for (const Damage& one : keptDamages(ours_->folder())) reasons.push_back(one.reason);
    return reasons;
  }

  std::string former_;
};

TEST_F(FormerRemote, IsDamagedAsAnyOther) {
  EXPECT_THAT(damages(), IsEmpty());
  const std::string text = test::readWhole(formerFile(".json"));
  test::writeWhole(formerFile(".json"), text.substr(0, text.size() / 2));
  EXPECT_THAT(damages(), ElementsAre(HasSubstr(".id-" + former_)));
  const auto mended = recoverVersions(*ours_, {});
  ASSERT_TRUE(mended) << mended.error().message;
  EXPECT_THAT(mended->forgotten, SizeIs(3));
  EXPECT_THAT(damages(), IsEmpty());
  EXPECT_TRUE(push(*ours_, remote_, kPush));
}

TEST_F(FormerRemote, ThatLostWhatWasAgreedOnIsMended) {
  fs::remove(formerFile(".tags"));
  EXPECT_THAT(damages(), ElementsAre(HasSubstr(".tags: is missing")));
  ASSERT_TRUE(recoverVersions(*ours_, {}));
  EXPECT_THAT(damages(), IsEmpty());
}

/// The list is written last.
TEST_F(FormerRemote, WrittenHalfIsNoDamage) {
  fs::remove(formerFile(".json"));
  EXPECT_THAT(damages(), IsEmpty());
}

TEST_F(FormerRemote, ThatIsBackIsNoFormerOne) {
  fs::remove(ours_->folder() / "remotes" / (".id-" + former_ + ".notes"));
  change("other", "away");
  const auto fetched = fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(list().identity, former_);
  for (const fs::path& file : formerFiles()) {
    EXPECT_EQ(file.string().find(former_), std::string::npos) << "lies in its place again";
  }
  ASSERT_FALSE(formerFiles().empty()) << "the other one is a former one by now";
  EXPECT_THAT(damages(), IsEmpty());
  EXPECT_TRUE(push(*ours_, remote_, kPush));
  // As often as they change.
  change("away", "other");
  ASSERT_TRUE(fetchRemote(*ours_, remote_, "hub", {}, {.acceptOlder = true}));
  EXPECT_TRUE(fs::exists(formerFile(".json")));
  EXPECT_THAT(damages(), IsEmpty());
}

/// Nobody takes damage of the list of remotes for numbers that are not known.
TEST_F(FormerRemote, NumbersAreKnownWithoutTheListOfRemotes) {
  const fs::path names = ours_->folder() / "remotes.toml";
  const std::string text = test::readWhole(names);
  test::writeWhole(names, "[[[");
  EXPECT_TRUE(ensureAsked(ours_->folder()));
  AskedRemotes none;
  ASSERT_TRUE(none.save(ours_->folder()));
  const auto refused = ensureAsked(ours_->folder());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("remotes.toml"));
  test::writeWhole(names, text);
  EXPECT_TRUE(ensureAsked(ours_->folder()));
  EXPECT_FALSE(AskedRemotes::load(ours_->folder())->places().empty());
}

}  // namespace
}  // namespace strata::hub
