// Lists of refs that are damaged, on each kind of remote that counts them.
#include <gmock/gmock.h>

#include "tests/unit/hub/listed_remote_fixture.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;

class DamagedListedRemote : public ListedRemote {};

TEST_P(DamagedListedRemote, IsRefusedWhereItIsACopyOfAnother) {
  fill();
  ASSERT_EQ(push({adding("new/v1")}), RefOutcome::Advanced);
  const std::string older = place_->files().at(newestList());
  ASSERT_EQ(push({adding("newer/v1")}), RefOutcome::Advanced);
  place_->write(newestList(), older);
  const auto read = place_->connect()->readRefs({});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(read.error().message, HasSubstr("is a copy of the list with number 2"));
  EXPECT_EQ(place_->connect()->salvageRefs({}).value().refs.size(), 1001U);
}

TEST_P(DamagedListedRemote, IsAnErrorWhereAPageIsDamagedAndIsWrittenAnew) {
  fill();
  ASSERT_EQ(push({adding("new/v1")}), RefOutcome::Advanced);
  const auto sound = place_->files();
  const auto head = parseRefHead(sound.at(newestList()), "head").value();
  const std::string page = "pages/" + pageName(head.pages.at(1));
  for (const bool isLost : {false, true}) {
    std::string text = sound.at(page);
    text[text.size() / 2] ^= 1;
    isLost ? place_->remove(page) : place_->write(page, text);
    const auto refused = place_->connect()->readRefs({});
    ASSERT_FALSE(refused) << isLost;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(refused.error().message, HasSubstr("push --repair"));
    EXPECT_FALSE(place_->connect()->advanceRefs({{adding("late/v1")}, "push"}, {}));
    const auto mender = place_->connect();
    const RefListing salvaged = mender->salvageRefs({}).value();
    EXPECT_EQ(salvaged.unreadable, 2U);
    // All that the other pages say, the newest push too.
    const std::size_t lost = parseRefPage(sound.at(page), head.pages[1], "page")->size();
    EXPECT_EQ(salvaged.refs.size(), 1001 - lost);
    EXPECT_TRUE(salvaged.refs.contains("new/v1"));
    RefPush mend{{}, "mend"};
    mend.above = salvaged.unreadable;
    const auto refs = parseRefPage(sound.at(page), head.pages[1], "page").value();
    for (const auto& [name, ref] : refs) mend.updates.push_back({name, std::nullopt, ref});
    ASSERT_EQ(mender->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
    EXPECT_EQ(listed().size(), 1001U);
    for (const std::string& name : names("")) place_->remove(name);
    for (const auto& [name, sounds] : sound) place_->write(name, sounds);
  }
}

TEST_P(DamagedListedRemote, IsNotPushedToOverALostPageThatIsKnown) {
  fill();
  const RefListing known = remote_->readRefs({}).value();
  const auto sound = place_->files();
  const std::string page = "pages/" + pageName(known.pages.back());
  const std::string text = sound.at(page);
  for (const bool isLost : {false, true}) {
    isLost ? place_->remove(page) : place_->write(page, text.substr(1));
    const auto before = place_->files();
    const auto pusher = place_->connect();
    pusher->know(known);
    const auto refused = pusher->advanceRefs({{adding("m0/v2")}, "push"}, {});
    ASSERT_FALSE(refused) << isLost;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(refused.error().message, HasSubstr(pageName(known.pages.back())));
    EXPECT_THAT(refused.error().message, HasSubstr("push --repair"));
    EXPECT_EQ(place_->files(), before) << "nothing is written";
    const auto mender = place_->connect();
    RefPush mend{{}, "mend"};
    mend.above = mender->salvageRefs({}).value().unreadable;
    const auto lost = parseRefPage(text, known.pages.back(), "page").value();
    for (const auto& [name, ref] : lost) mend.updates.push_back({name, std::nullopt, ref});
    ASSERT_EQ(mender->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
    EXPECT_EQ(listed().size(), 1000U);
    for (const std::string& name : names("")) place_->remove(name);
    for (const auto& [name, sounds] : sound) place_->write(name, sounds);
  }
}

TEST_P(DamagedListedRemote, IsSalvagedByOlderListsWhereANewPageIsDamaged) {
  fill();
  ASSERT_EQ(push({adding("m500/v2"), adding("m9/v2")}), RefOutcome::Advanced);
  ASSERT_EQ(push({adding("m500/v3")}), RefOutcome::Advanced);
  std::set<std::string> added = pagesOf(newestList());
  for (const std::string& one : pagesOf(*std::next(names("refs/").begin()))) added.erase(one);
  ASSERT_EQ(added.size(), 1U);
  place_->remove(*added.begin());
  const RefListing salvaged = place_->connect()->salvageRefs({}).value();
  EXPECT_EQ(salvaged.refs.size(), 1002U);
  EXPECT_TRUE(salvaged.refs.contains("m500/v2"));
  EXPECT_TRUE(salvaged.refs.contains("m9/v2"));
}

TEST_P(DamagedListedRemote, RefusesHeadsAndPagesThatAreNoList) {
  fill();
  const auto sound = place_->files();
  const RefIndex head = parseRefHead(sound.at(newestList()), "head").value();
  const auto textOfPage = [&](std::size_t i) {
    return sound.at("pages/" + pageName(head.pages.at(i)));
  };
  const auto expectRefused = [&](const RefIndex& changed, const std::string& what) {
    place_->write(newestList(), serializeRefHead(changed));
    const auto refused = place_->connect()->readRefs({});
    ASSERT_FALSE(refused) << what;
    EXPECT_EQ(refused.error().code, ErrorCode::CorruptData) << what;
  };
  const auto withPage = [&](const std::string& text) {
    RefIndex changed = head;
    RefPage& page = changed.pages.at(1);
    page.digest = sha256(std::as_bytes(std::span(text)));
    page.byteCount = text.size();
    place_->write("pages/" + pageName(page), text);
    return changed;
  };
  RefIndex changed = head;
  std::swap(changed.pages[0], changed.pages[1]);
  expectRefused(changed, "pages out of order");
  changed = head;
  changed.pages.push_back(changed.pages[0]);
  expectRefused(changed, "a page twice");
  changed = head;
  changed.pages[0].byteCount = kMaxIndexBytes + 1;
  expectRefused(changed, "a page too long");
  changed = head;
  changed.pages[0].byteCount -= 1;
  expectRefused(changed, "another size");
  changed = head;
  changed.pages.clear();
  expectRefused(changed, "no pages");
  changed = head;
  for (std::size_t i = 0; i < kMaxPages; ++i) changed.pages.push_back({i, sha256({}), 1});
  expectRefused(changed, "too many pages");
  expectRefused(withPage(textOfPage(0)), "the same refs again");
  expectRefused(withPage(R"({"refs":{"m10/v1":{},"m1/v1":{}}})"), "names out of order");
  expectRefused(withPage(R"({"refs":{"m1/v1":{},"m1/v1":{}}})"), "a name twice");
  expectRefused(withPage(R"({"refs":{}})"), "no refs");
  expectRefused(withPage(R"({"refs":[]})"), "no object");
  expectRefused(withPage(R"({"refs":{"m1/v1":7}})"), "a ref that is none");
  expectRefused(withPage("[]"), "no page");
  expectRefused(withPage(std::string(100'000, '[')), "deep");
  expectRefused(
      withPage("{\"refs\":{\"m1/v1\":{\"x\":\"" + std::string(kMaxMemberBytes, 'x') + "\"}}}"),
      "a long ref");
  place_->write(newestList(), sound.at(newestList()));
  EXPECT_EQ(listed().size(), 1000U);
}

TEST_P(DamagedListedRemote, IsNoOtherListWhateverBitOfItsHeadIsFlipped) {
  fill();
  const std::string sound = place_->files().at(newestList());
  const RefIndex head = parseRefHead(sound, "head").value();
  for (std::size_t bit = 0; bit < sound.size() * 8; ++bit) {
    std::string text = sound;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    const auto read = parseRefHead(text, "head");
    if (read) {
      EXPECT_TRUE(read->refs.empty()) << bit;
      EXPECT_EQ(serializeRefHead(*read), sound) << bit;
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::CorruptData) << bit;
    }
  }
}

TEST_P(DamagedListedRemote, InOneFileIsNoOtherListWhateverBitIsFlipped) {
  RefPush first{{adding("m1/v1"), adding("m2/v1")}, "push"};
  first.identity = makeIdentity();
  first.above = 6;
  first.unseen = {6};
  ASSERT_EQ(remote_->advanceRefs(first, {}).value(), RefOutcome::Advanced);
  const Digest digest = sha256({});
  RefListing seen = remote_->readRefs({}).value();
  static_cast<void>(remote_->sweep(seen, std::span(&digest, 1), {}));
  ASSERT_EQ(push({adding("m3/v1")}), RefOutcome::Advanced);
  const std::string sound = place_->files().at(newestList());
  const auto whole = parseRefHead(sound, "list");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_GT(whole->number, 7U);
  EXPECT_EQ(serializeNumbered(*whole, whole->number).value(), sound);
  for (std::size_t bit = 0; bit < sound.size() * 8; ++bit) {
    std::string text = sound;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    const auto read = parseRefHead(text, "list");
    // But for the word "check" itself, which earlier programs did not write.
    if (read) {
      EXPECT_EQ(serializeNumbered(*read, read->number).value(), sound) << bit;
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::CorruptData) << bit;
    }
  }
  // As earlier programs wrote it.
  const std::size_t end = sound.rfind(",\"number\"");
  EXPECT_TRUE(parseRefHead(sound.substr(0, end) + "}\n", "list"));
}

TEST_P(DamagedListedRemote, InOneFileIsRefusedWhereItIsACopyOfAnother) {
  ASSERT_EQ(push({adding("m1/v1")}), RefOutcome::Advanced);
  const std::string older = place_->files().at(newestList());
  ASSERT_EQ(push({adding("m2/v1")}), RefOutcome::Advanced);
  place_->write(newestList(), older);
  const auto read = place_->connect()->readRefs({});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(read.error().message, HasSubstr("is a copy of the list with number 1"));
}

TEST_P(DamagedListedRemote, IsNotEmptyWhereItsFormatIsDamaged) {
  fill();
  ASSERT_EQ(push({adding("new/v1")}), RefOutcome::Advanced);
  const std::string sound = place_->files().at(newestList());
  // As earlier programs wrote it.
  const std::string unchecked = sound.substr(0, sound.rfind(",\"check\"")) + "}\n";
  for (const std::string& text : {sound, unchecked}) {
    place_->write(newestList(), text);
    EXPECT_EQ(listed().size(), 1001U);
    for (const char format : {'1', '2'}) {
      std::string damaged = text;
      damaged[damaged.find('3')] = format;
      place_->write(newestList(), damaged);
      const auto read = place_->connect()->readRefs({});
      ASSERT_FALSE(read) << format;
      EXPECT_EQ(read.error().code, ErrorCode::CorruptData);
      EXPECT_EQ(place_->connect()->salvageRefs({}).value().refs.size(), 1000U) << format;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedListedRemote, listedKinds(), nameOf);

}  // namespace
}  // namespace strata::hub
