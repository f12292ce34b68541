// Lists of a remote that cannot be read, and are mended.
#include "tests/unit/hub/lost_list_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

class MendedRemoteList : public LostList {};

TEST_F(MendedRemoteList, ThatCannotBeReadIsMendedThoughWhatWasSeenLastIsDamaged) {
  const fs::path seen = ours_->folder() / "remotes" / "hub.json";
  fs::resize_file(seen, fs::file_size(seen) / 2);
  test::writeWhole(listFile(2), "damaged");
  ASSERT_FALSE(fetchRemote(*ours_, remote_, "hub", {}));
  EXPECT_TRUE(repair().listMended);
  EXPECT_EQ(list().generation, 3U);
  EXPECT_TRUE(readFetched(ours_->folder(), "hub"));
}

TEST_F(MendedRemoteList, OfNamesOfSeveralWordsIsMendedByWhatIsHere) {
  add(*ours_, "org/model", 80, {"best"});
  ASSERT_TRUE(push(*ours_, remote_, kPush));
  const auto sound = list().refs;
  ASSERT_TRUE(sound.contains("org%2Fmodel/v1"));
  std::string text = test::unchecked(test::readWhole(listFile(3)));
  for (const char* const ref : {"\"org%2Fmodel/v1\"", "\"org%2Fmodel/tags/best\""}) {
    text[text.find("\"kind\"", text.find(ref)) + 1] = 'K';
  }
  test::writeWhole(listFile(3), text);
  forgetFetched(ours_->folder(), "hub");
  const PushReport mended = repair();
  EXPECT_THAT(mended.failed, IsEmpty());
  EXPECT_THAT(mended.mended, ElementsAre("org/model:best", "org/model:v1"));
  EXPECT_EQ(withoutSignatures(list().refs), withoutSignatures(sound));
}

/// The lines of a list that say its refs, without what it says of itself (that it was mended).
std::string refLinesOf(const std::string& list) { return list.substr(0, list.rfind("\n}")); }

TEST_F(MendedRemoteList, ThatCannotBeReadIsWrittenAnew) {
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
    EXPECT_EQ(refLinesOf(test::readWhole(listFile(newest + 1))), refLinesOf(sound));
    EXPECT_TRUE(verify().sound());
    EXPECT_TRUE(collect());
  }
}

TEST_F(MendedRemoteList, ThatOnlyOthersHaveSeenIsMendedByThoseOrMadeAnew) {
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

TEST_F(MendedRemoteList, ThatAMenderHasNotSeenIsBroughtBackByThoseWhoHave) {
  const auto stranger = makeStore("stranger");
  importBase(*stranger);
  fs::rename(listFile(2), folder_ / "away");
  FolderTransport before(folder_ / "remote");
  ASSERT_TRUE(fetchRemote(*stranger, before, "hub", {}));
  test::writeWhole(listFile(2), "damaged");
  FolderTransport other(folder_ / "remote");
  const auto mended = push(*stranger, other, kRepair);
  ASSERT_TRUE(mended) << mended.error().message;
  ASSERT_EQ(mended->failed.size(), 1U);
  EXPECT_EQ(mended->failed[0].label, "list 2");
  EXPECT_THAT(mended->failed[0].error.message,
              HasSubstr("none that this store is sure to have seen"));
  EXPECT_TRUE(mended->listMended);
  EXPECT_LT(list().refs.size(), whole_.size());
  expectRefused("was mended since");
  EXPECT_TRUE(repair().failed.empty());
  EXPECT_EQ(list().refs, whole_);
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(fetchRemote(*stranger, other, "hub", {})) << "it lost nothing";
}

TEST_F(MendedRemoteList, MendsWhateverByteOfItIsFlipped) {
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
      // Who had not seen the list says so.
      EXPECT_EQ(mended->failed.empty(), isKnown || !mended->listMended) << place;
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
