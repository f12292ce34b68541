// Lists of refs on each kind of remote that counts them: what a push changes, what is read again,
// and what is there after others pushed or died.
#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/hub/listed_remote_fixture.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;

TEST_P(ListedRemote, IsOneFileWhileItIsShort) {
  fill(100);
  EXPECT_TRUE(names("pages/").empty());
  EXPECT_TRUE(parseRefIndex(place_->files().at(newestList()), "list")) << "earlier programs do";
  EXPECT_EQ(listed().size(), 100U);
}

TEST_P(ListedRemote, IsRefusedInPagesByProgramsThatDoNotKnowThem) {
  fill();
  const auto refused = parseRefIndex(place_->files().at(newestList()), "list");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::FormatTooNew);
}

TEST_P(ListedRemote, AddsOnePageAndAHeadForOneRef) {
  fill();
  const auto before = place_->files();
  ASSERT_EQ(push({adding("m500/v2")}), RefOutcome::Advanced);
  std::size_t bytes = 0;
  unsigned count = 0;
  for (const auto& [name, text] : place_->files()) {
    if (before.contains(name)) continue;
    ++count;
    bytes += text.size();
  }
  EXPECT_EQ(count, 2U);
  EXPECT_LE(bytes, kMostPageBytes + 4096);
  EXPECT_EQ(listed().size(), 1001U);
}

TEST_P(ListedRemote, ReadsNoPageAgainThatIsKnown) {
  fill();
  const RefListing known = remote_->readRefs({}).value();
  ASSERT_EQ(push({adding("m500/v2")}), RefOutcome::Advanced);
  const std::set<std::string> old = pagesOf(*names("refs/").begin());
  for (const std::string& page : old) place_->remove(page);
  const auto other = place_->connect();
  other->know(known);
  const auto listing = other->readRefs({});
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->refs.size(), 1001U);
  EXPECT_EQ(listing->generation, known.generation + 1);
  // Others are told, and what is known has to be what it was.
  EXPECT_EQ(place_->connect()->readRefs({}).error().code, ErrorCode::CorruptData);
  RefListing changed = known;
  changed.refs["m1/v1"] = textOf("other");
  const auto deceived = place_->connect();
  deceived->know(changed);
  EXPECT_FALSE(deceived->readRefs({}));
  changed = known;
  std::swap(changed.pages.front(), changed.pages.back());
  const auto confused = place_->connect();
  confused->know(changed);
  EXPECT_FALSE(confused->readRefs({}));
}

TEST_P(ListedRemote, IsTheSameWhileItsHeadIs) {
  fill();
  const RefListing known = remote_->readRefs({}).value();
  RefListing head = known;
  head.refs.clear();
  const auto isSame = [&](const RefListing& one) {
    return place_->connect()->stillLists(one, {}).value();
  };
  const bool isTold = !known.etag.empty();
  EXPECT_EQ(isTold, remote_->probe({})->refs != RefSafety::LastWriterWins);
  EXPECT_EQ(isSame(head), isTold);
  RefListing other = head;
  ++other.generation;
  EXPECT_FALSE(isSame(other));
  other = head;
  other.etag += "0";
  EXPECT_FALSE(isSame(other));
  other.etag.clear();
  EXPECT_FALSE(isSame(other));
  ASSERT_EQ(push({adding("m500/v2")}), RefOutcome::Advanced);
  EXPECT_FALSE(isSame(head));
  place_->remove(newestList());
  EXPECT_EQ(isSame(head), isTold) << "it is the newest again";
  std::string text = place_->files().at(newestList());
  text[text.size() / 2] ^= 1;
  place_->write(newestList(), text);
  EXPECT_FALSE(isSame(head));
}

TEST_P(ListedRemote, IsPushedToWhereItsListIsKnown) {
  fill();
  RefListing known = place_->connect()->readRefs({}).value();
  for (const bool areNumbersKnown : {true, false}) {
    for (RefPage& page : known.pages) {
      EXPECT_GT(page.number, 0U);
      if (!areNumbersKnown) page.number = 0;
    }
    const auto pusher = place_->connect();
    pusher->know(known);
    const std::string name = areNumbersKnown ? "m500/v2" : "m500/v3";
    const auto outcome = pusher->advanceRefs({{adding(name)}, "push"}, {});
    ASSERT_TRUE(outcome) << outcome.error().message;
    known = place_->connect()->readRefs({}).value();
    EXPECT_TRUE(known.refs.contains(name));
  }
  EXPECT_EQ(listed().size(), 1002U);
  // What a store keeps of a list names its pages as the list does.
  const std::vector<RefPage> kept = pagesAfter(known.refs, known.pages);
  ASSERT_EQ(kept.size(), known.pages.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].digest, known.pages[i].digest);
    EXPECT_EQ(kept[i].number, known.pages[i].number);
  }
}

TEST_P(ListedRemote, NoticesAListThatWentBack) {
  fill();
  ASSERT_EQ(push({adding("new/v1")}), RefOutcome::Advanced);
  const RefListing known = remote_->readRefs({}).value();
  const auto files = place_->files();
  place_->remove(newestList());
  const auto other = place_->connect();
  other->know(known);
  EXPECT_EQ(other->readRefs({}).value().generation, known.generation - 1);
  EXPECT_EQ(other->readRefs({}).value().refs.size(), 1000U);
}

TEST_P(ListedRemote, KeepsThePagesOfItsNewestListsAndNoOthers) {
  fill();
  for (int i = 0; i < 70; ++i) {
    const std::string name = fmt::format("m{}/v2", i * 13);
    std::vector<RefUpdate> updates{adding(name)};
    if (i % 7 == 3) updates.push_back({"m1/v1", std::nullopt, kRemovedRef});
    if (i % 7 == 4) updates.push_back(adding("m1/v1"));
    if (i % 7 == 3) updates.back().expected = textOf("m1/v1");
    ASSERT_EQ(push(updates), RefOutcome::Advanced) << i;
  }
  EXPECT_EQ(names("refs/").size(), kKeptGenerations);
  const std::set<std::string> lists = names("refs/");
  const auto neededBy = [&](std::uint64_t count) {
    std::set<std::string> needed;
    auto list = lists.rbegin();
    for (std::uint64_t i = 0; i < count; ++i) needed.merge(pagesOf(*list++));
    return needed;
  };
  EXPECT_EQ(names("pages/"), neededBy(kKeptInPages));
  EXPECT_EQ(listed().size(), 1070U);
  EXPECT_EQ(remote_->clearScratch(0, ScratchWish::Delete, {}).value(), 0U);
  // Earlier programs left those of all lists.
  std::size_t left = 0;
  for (const std::string& page : neededBy(kKeptGenerations)) {
    if (names("pages/").contains(page)) continue;
    place_->write(page, "left");
    ++left;
  }
  EXPECT_GT(left, 0U);
  EXPECT_EQ(remote_->clearScratch(0, ScratchWish::Delete, {}).value(), left);
  EXPECT_EQ(names("pages/"), neededBy(kKeptInPages));
  EXPECT_EQ(place_->connect()->readRefs({}).value().refs.size(), 1070U);
}

TEST_P(ListedRemote, KeepsThePagesOfItsNewestListWhereAnOlderOneIsPutBack) {
  const auto isOf = [](const std::string& text, std::uint64_t number) {
    return text.find(fmt::format(",\"number\":{}", number)) != std::string::npos;
  };
  // As earlier programs wrote it, too: with no number.
  for (const bool isNumbered : {true, false}) {
    fill();
    const auto pushOne = [&](int i) {
      ASSERT_EQ(push({adding(fmt::format("m900/{}", i))}), RefOutcome::Advanced) << i;
    };
    pushOne(0);
    std::string older = place_->files().at(newestList());
    EXPECT_TRUE(isOf(older, 2));
    if (!isNumbered) older = older.substr(0, older.rfind(",\"number\"")) + "}\n";
    ASSERT_EQ(push({adding("m100/v2")}), RefOutcome::Advanced);
    pushOne(1);
    const std::string middle = newestList();
    pushOne(2);
    place_->write(middle, older);
    for (int i = 3; i < 90; ++i) pushOne(i);
    EXPECT_EQ(listed().size(), 1091U);
    for (const std::string& name : names("")) place_->remove(name);
    remote_ = place_->connect();
  }
}

TEST_P(ListedRemote, BecomesOneFileAgainAndItsPagesGo) {
  fill();
  std::vector<RefUpdate> updates;
  for (int i = 0; i < 990; ++i) {
    const std::string name = fmt::format("m{}/v1", i);
    updates.push_back({name, textOf(name), kRemovedRef});
  }
  ASSERT_EQ(push(updates), RefOutcome::Advanced);
  EXPECT_TRUE(parseRefIndex(place_->files().at(newestList()), "list"));
  EXPECT_EQ(listed().size(), 10U);
  for (std::uint64_t i = 0; i < kKeptGenerations; ++i) {
    ASSERT_EQ(push({adding(fmt::format("n{}/v1", i))}), RefOutcome::Advanced);
  }
  ASSERT_TRUE(remote_->clearScratch(0, ScratchWish::Count, {}));
  EXPECT_GT(remote_->clearScratch(0, ScratchWish::Delete, {}).value(), 0U);
  EXPECT_TRUE(names("pages/").empty());
}

TEST_P(ListedRemote, ClearsPagesOfWritersThatDied) {
  fill();
  const Digest digest = sha256({});
  const std::string left = "pages/" + pageName({1, digest});
  for (std::uint64_t i = 0; i <= kKeptGenerations; ++i) {
    ASSERT_EQ(push({adding(fmt::format("n{}/v1", i))}), RefOutcome::Advanced);
  }
  const std::string young = "pages/" + pageName({kKeptGenerations + 1, digest});
  place_->write(left, "left");
  place_->write(young, "somebody may be at it");
  const std::set<std::string> before = names("pages/");
  EXPECT_EQ(remote_->clearScratch(0, ScratchWish::Count, {}).value(), 1U);
  EXPECT_EQ(names("pages/"), before);
  EXPECT_EQ(remote_->clearScratch(0, ScratchWish::Delete, {}).value(), 1U);
  EXPECT_FALSE(names("pages/").contains(left));
  EXPECT_EQ(names("pages/").size() + 1, before.size());
  EXPECT_EQ(listed().size(), 1000 + kKeptGenerations + 1);
}

TEST_P(ListedRemote, MarksWhatIsDeletedInTheHeadAlone) {
  fill();
  const auto traits = remote_->probe({});
  const RefListing listing = remote_->readRefs({}).value();
  const std::set<std::string> pages = names("pages/");
  const Digest digest = sha256({});
  const auto swept = remote_->sweep(listing, std::span(&digest, 1), {});
  if (traits->refs != RefSafety::Atomic) {
    EXPECT_EQ(swept.error().code, ErrorCode::Unsupported);
    return;
  }
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(names("pages/"), pages);
  const RefListing after = place_->connect()->readRefs({}).value();
  EXPECT_EQ(after.endedSweeps, listing.endedSweeps + 1);
  EXPECT_EQ(after.refs, listing.refs);
}

TEST_P(ListedRemote, IsCheckedWithoutAPush) {
  fill();
  const RefListing known = remote_->readRefs({}).value();
  EXPECT_TRUE(remote_->checkList({}));
  place_->remove("pages/" + pageName(known.pages.front()));
  const auto reader = place_->connect();
  reader->know(known);
  const auto checked = reader->checkList({});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(checked.error().message, HasSubstr(pageName(known.pages.front())));
}

TEST_P(ListedRemote, SaysThatItWasMendedUntilItIsMendedAgain) {
  for (const int count : {3, 1000}) {  // in one file, and in pages
    fill(count);
    EXPECT_EQ(remote_->readRefs({})->mendedAbove, count == 3 ? 0U : 7U);
    RefPush mend{{adding(fmt::format("mend{}/v1", count))}, "mend"};
    mend.above = count == 3 ? 7 : 20;
    ASSERT_EQ(remote_->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
    EXPECT_EQ(place_->connect()->readRefs({})->mendedAbove, *mend.above);
    ASSERT_EQ(push({adding(fmt::format("after{}/v1", count))}), RefOutcome::Advanced);
    EXPECT_EQ(place_->connect()->readRefs({})->mendedAbove, *mend.above);
    const auto pusher = place_->connect();
    pusher->know(place_->connect()->readRefs({}).value());
    ASSERT_EQ(pusher->advanceRefs({{adding(fmt::format("known{}/v1", count))}, "push"}, {}).value(),
              RefOutcome::Advanced);
    EXPECT_EQ(place_->connect()->readRefs({})->mendedAbove, *mend.above);
    for (const auto& [name, text] : place_->files()) {
      if (count == 3) continue;
      EXPECT_TRUE(name.starts_with("pages/") || parseRefHead(text, name)) << name;
    }
    if (count == 3) {
      std::vector<RefUpdate> removals;
      for (int i = 0; i < count; ++i) {
        const std::string name = fmt::format("m{}/v1", i);
        removals.push_back({name, textOf(name), kRemovedRef});
      }
      ASSERT_EQ(push(removals), RefOutcome::Advanced);
    }
  }
}

TEST_P(ListedRemote, LosesNothingWhereManyPushAtOnce) {
  fill();
  if (remote_->probe({})->refs == RefSafety::LastWriterWins) GTEST_SKIP();
  constexpr int kPushers = 4;
  constexpr int kPushes = 6;
  std::vector<std::thread> pushers;
  for (int i = 0; i < kPushers; ++i) {
    pushers.emplace_back([&, i] {
      const auto remote = place_->connect();
      for (int j = 0; j < kPushes; ++j) {
        const RefPush one{{adding(fmt::format("m{}/v{}", 100 * i, j + 2))}, "push"};
        const auto outcome = remote->advanceRefs(one, {});
        ASSERT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(*outcome, RefOutcome::Advanced);
      }
    });
  }
  for (std::thread& one : pushers) one.join();
  EXPECT_EQ(listed().size(), 1000U + kPushers * kPushes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ListedRemote, listedKinds(), nameOf);

}  // namespace
}  // namespace strata::hub
