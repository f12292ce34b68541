// What a store keeps of a remote belongs to the place, whatever names and URLs lead there.
#include "core/ops/exchange/kept_damage.h"
#include "core/ops/versions/edit_note.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OneMemory : public LostList {
 protected:
  std::unique_ptr<FolderTransport> connect(const char* folder = "remote") const {
    return std::make_unique<FolderTransport>(folder_ / folder);
  }
  fs::path kept(const std::string& file) const { return ours_->folder() / "remotes" / file; }
  /// The remote is known under these names.
  void name(const std::vector<std::string>& names, const std::string& url) const {
    RemoteList remotes;
    for (const std::string& one : names) remotes.remotes.push_back({.name = one, .url = url});
    ASSERT_TRUE(remotes.save(ours_->folder()));
  }
  /// What a program kept under each of two names that were asked one after the other.
  void keepTwice() {
    const std::string second = test::readWhole(listFile(2));
    name({}, remote_.url());
    fs::remove(listFile(2));
    fs::remove_all(kept(""));
    fs::remove(ours_->folder() / "asked.json");
    ASSERT_TRUE(fetchRemote(*ours_, *connect(), "alias", {}));
    test::writeWhole(listFile(2), second);
    ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
    name({"alias", "hub"}, remote_.url());
  }
  void expectRefused(const std::string& name, const std::string& why) {
    const auto collected = collectRemoteGarbage(
        *ours_, *connect(), {.dryRun = false, .graceSeconds = 0, .keptAs = name}, {}, {});
    ASSERT_FALSE(collected) << name;
    EXPECT_EQ(collected.error().code, ErrorCode::CorruptData) << name;
    EXPECT_THAT(collected.error().message, HasSubstr(why)) << name;
  }
};

TEST_F(OneMemory, IsThatOfTheHighestNumberWhateverTheClockSaid) {
  keepTwice();
  fs::remove(listFile(2));
  for (const char* const one : {"alias", "hub"}) expectRefused(one, "newest list was lost");
  EXPECT_FALSE(fs::exists(kept("hub.json"))) << "joined";
  EXPECT_THAT(keptDamages(ours_->folder()), IsEmpty());
}

TEST_F(OneMemory, ThatCannotBeReadIsDamageUnderEachName) {
  for (const char* const damaged : {"hub.json", "alias.json"}) {
    keepTwice();
    fs::resize_file(kept(damaged), 40);
    for (const char* const one : {"alias", "hub"}) expectRefused(one, damaged);
    EXPECT_FALSE(keptDamages(ours_->folder()).empty()) << damaged;
    ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {})) << "it takes what is there";
    EXPECT_THAT(keptDamages(ours_->folder()), IsEmpty()) << damaged;
  }
}

TEST_F(OneMemory, ThatIsLostUnderOneNameIsDamageUnderEach) {
  keepTwice();
  fs::remove(kept("hub.json"));
  for (const char* const one : {"alias", "hub"}) expectRefused(one, "is missing");
}

TEST_F(OneMemory, IsOverwrittenByWhatTheUserTakes) {
  keepTwice();
  fs::remove(listFile(2));
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}, {.acceptOlder = true}));
  for (const char* const one : {"alias", "hub"}) {
    const auto fetched = fetchRemote(*ours_, *connect(), one, {});
    EXPECT_TRUE(fetched) << fetched.error().message;
    EXPECT_TRUE(push(*ours_, *connect(), {.keptAs = one}));
  }
}

TEST_F(OneMemory, IsFoundWhereTheFolderWasMoved) {
  name({"hub"}, remote_.url());
  fs::remove(listFile(2));
  fs::rename(folder_ / "remote", folder_ / "moved");
  FolderTransport moved(folder_ / "moved");
  name({"away"}, moved.url());
  const auto fetched = fetchRemote(*ours_, moved, "away", {});
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().message, HasSubstr("newest list was lost"));
  const auto collected = collectRemoteGarbage(
      *ours_, moved, {.dryRun = false, .graceSeconds = 0, .keptAs = "away"}, {}, {});
  EXPECT_FALSE(collected);
  ASSERT_TRUE(push(*ours_, moved, {.repair = true, .keptAs = "away"}));
  EXPECT_EQ(moved.readRefs({})->refs, whole_);
  EXPECT_TRUE(fetchRemote(*ours_, moved, "away", {}));
}

TEST_F(OneMemory, StaysWithTheNameThatItsPlaceGets) {
  name({"hub"}, remote_.url());
  ASSERT_TRUE(fetchRemote(*ours_, *connect(), "hub", {}));
  name({}, remote_.url());
  setFetchedAside(ours_->folder(), "hub", remote_.url());
  name({"anew"}, remote_.url());
  fs::remove(listFile(2));
  expectRefused("anew", "newest list was lost");
  EXPECT_TRUE(fs::exists(kept("anew.json")));
  name({"other"}, remote_.url());
  renameFetched(ours_->folder(), "anew", "other");
  expectRefused("other", "newest list was lost");
}

TEST_F(OneMemory, HoldsWhatWasAgreedOnUnderEachName) {
  keepTwice();
  ASSERT_TRUE(pull(*ours_, *connect(), {.keptAs = "alias"}));
  ASSERT_TRUE(editNote(*ours_, {.reference = "sst2:v1", .text = "mine"}));
  ASSERT_TRUE(push(*ours_, *connect(), {.keptAs = "hub"}));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, *connect(), {.keptAs = "hub"}));
  ASSERT_TRUE(editNote(*theirs, {.reference = "sst2:v1", .text = ""}));
  ASSERT_TRUE(push(*theirs, *connect(), {.keptAs = "hub"}));
  ASSERT_TRUE(push(*ours_, *connect(), {.keptAs = "alias"}));
  const auto there = connect()->readRefs({})->refs.at("sst2/v1");
  EXPECT_EQ(parseRemoteVersion("sst2/v1", there)->ref.note, "") << "it is the later one";
  ASSERT_TRUE(pull(*ours_, *connect(), {.keptAs = "alias"}));
  EXPECT_EQ(ours_->resolve("sst2:v1")->note, "");
}

}  // namespace
}  // namespace strata::hub
