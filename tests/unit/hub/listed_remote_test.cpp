// Lists of refs on each kind of remote that counts them: what a push changes, what is read again,
// and what is there after others pushed, died or damaged it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "core/transfer/ref_pages.h"
#include "hub/folder/folder_transport.h"
#include "hub/generation_lists.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/hub/memory_bucket.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Refs = std::map<std::string, RefText>;

/// A place for lists, whose files a test may touch: "refs/…" and "pages/…".
class ListedPlace {
 public:
  virtual ~ListedPlace() = default;
  virtual std::unique_ptr<Transport> connect() = 0;
  virtual std::map<std::string, std::string> files() = 0;
  virtual void write(const std::string& name, const std::string& text) = 0;
  virtual void remove(const std::string& name) = 0;
};

class FolderPlace final : public ListedPlace {
 public:
  std::unique_ptr<Transport> connect() override {
    return std::make_unique<FolderTransport>(folder_ / "remote");
  }
  std::map<std::string, std::string> files() override {
    std::map<std::string, std::string> found;
    for (const char* const name : {"refs", "pages"}) {
      const fs::path place = folder_ / "remote" / name;
      if (!fs::exists(place)) continue;
      for (const auto& file : fs::directory_iterator(place)) {
        found.emplace(fmt::format("{}/{}", name, file.path().filename().string()),
                      test::readWhole(file.path()));
      }
    }
    return found;
  }
  void write(const std::string& name, const std::string& text) override {
    test::writeWhole(folder_ / "remote" / name, text);
  }
  void remove(const std::string& name) override { fs::remove(folder_ / "remote" / name); }

 private:
  test::TempFolder folder_;
};

class BucketPlace final : public ListedPlace {
 public:
  explicit BucketPlace(bool hasConditions) { bucket_.hasConditions = hasConditions; }
  std::unique_ptr<Transport> connect() override { return bucket_.connect(); }
  std::map<std::string, std::string> files() override {
    std::map<std::string, std::string> found;
    for (const auto& [key, text] : bucket_.keys) {
      if (key.starts_with("refs/") || key.starts_with("pages/")) found.emplace(key, text);
    }
    return found;
  }
  void write(const std::string& name, const std::string& text) override {
    bucket_.keys[name] = text;
  }
  void remove(const std::string& name) override { bucket_.keys.erase(name); }

 private:
  test::MemoryBucket bucket_;
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<ListedPlace>()> make;
};

class ListedRemote : public ::testing::TestWithParam<Kind> {
 protected:
  static RefText textOf(const std::string& word) {
    return fmt::format(R"({{"kind":"test","word":"{}"}})", word + std::string(900, 'x'));
  }
  static RefUpdate adding(const std::string& name) { return {name, std::nullopt, textOf(name)}; }

  RefOutcome push(const std::vector<RefUpdate>& updates) {
    const auto outcome = remote_->advanceRefs({updates, "push"}, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(RefOutcome::Lost);
  }
  /// A list of some pages.
  void fill(int count = 1000) {
    std::vector<RefUpdate> updates;
    for (int i = 0; i < count; ++i) updates.push_back(adding(fmt::format("m{}/v1", i)));
    ASSERT_EQ(push(updates), RefOutcome::Advanced);
  }

  std::set<std::string> names(const std::string& prefix) {
    std::set<std::string> found;
    for (const auto& [name, text] : place_->files()) {
      if (name.starts_with(prefix)) found.insert(name);
    }
    return found;
  }
  /// Those that the list with this name names.
  std::set<std::string> pagesOf(const std::string& list) {
    std::set<std::string> found;
    const auto head = parseRefHead(place_->files().at(list), list);
    EXPECT_TRUE(head) << head.error().message;
    for (const RefPage& page : head->pages) found.insert("pages/" + pageName(page));
    return found;
  }
  std::string newestList() { return *names("refs/").rbegin(); }
  /// What a program sees that knows nothing.
  Refs listed() {
    const auto listing = place_->connect()->readRefs({});
    EXPECT_TRUE(listing) << listing.error().message;
    return listing ? listing->refs : Refs();
  }

  std::unique_ptr<ListedPlace> place_ = GetParam().make();
  std::unique_ptr<Transport> remote_ = place_->connect();
};

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

TEST_P(ListedRemote, IsRefusedWhereItIsACopyOfAnother) {
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

TEST_P(ListedRemote, IsAnErrorWhereAPageIsDamagedAndIsWrittenAnew) {
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

TEST_P(ListedRemote, IsNotPushedToOverALostPageThatIsKnown) {
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

TEST_P(ListedRemote, IsSalvagedByOlderListsWhereANewPageIsDamaged) {
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

TEST_P(ListedRemote, RefusesHeadsAndPagesThatAreNoList) {
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

TEST_P(ListedRemote, IsNoOtherListWhateverBitOfItsHeadIsFlipped) {
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

TEST_P(ListedRemote, IsNotEmptyWhereItsFormatIsDamaged) {
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

INSTANTIATE_TEST_SUITE_P(
    Kinds, ListedRemote,
    ::testing::Values(Kind{"Folder", [] { return std::make_unique<FolderPlace>(); }},
                      Kind{"Bucket", [] { return std::make_unique<BucketPlace>(true); }},
                      Kind{"BucketWithALock", [] { return std::make_unique<BucketPlace>(false); }}),
    [](const auto& made) { return std::string(made.param.name); });

RefPush pushOf(const std::string& name) { return {{{name, std::nullopt, "{}"}}, "push"}; }

TEST(ListedBucket, MayListItsKeysInAnyOrder) {
  test::MemoryBucket bucket;
  bucket.listsBackwards = true;
  constexpr std::uint64_t kPushes = kKeptGenerations + 6;
  for (std::uint64_t i = 1; i <= kPushes; ++i) {
    ASSERT_TRUE(bucket.connect()->advanceRefs(pushOf(fmt::format("m{}/v1", i)), {})) << i;
  }
  const RefListing listing = bucket.connect()->readRefs({}).value();
  EXPECT_EQ(listing.generation, kPushes);
  EXPECT_EQ(listing.refs.size(), kPushes);
  EXPECT_FALSE(bucket.keys.contains("refs/" + generationName(1))) << "the oldest ones go";
  EXPECT_TRUE(bucket.keys.contains("refs/" + generationName(kPushes)));
}

TEST(ListedBucket, EndsAPushThatIsRefusedEachNumber) {
  test::MemoryBucket bucket;
  ASSERT_TRUE(bucket.connect()->advanceRefs(pushOf("m1/v1"), {}));
  bucket.refusesNumbers = true;
  const auto refused = bucket.connect()->advanceRefs(pushOf("m2/v1"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Io);
  EXPECT_THAT(refused.error().message, HasSubstr("run it again"));
}

TEST(RefPages, StayAsTheyAreOnceTheyAreCut) {
  for (const std::size_t length : {700U, 5000U, 20'000U, 90'000U}) {
    RefIndex index;
    for (std::size_t i = 0; i < 3'000'000 / length; ++i) {
      index.refs[fmt::format("m{}/v1", i)] = "{\"x\":\"" + std::string(length, 'x') + "\"}";
    }
    index.pages = writeList(index, 1, false)->pages;
    EXPECT_TRUE(writeList(index, 2, false)->added.empty()) << length;
    index.refs["m2/v2"] = "{}";
    EXPECT_EQ(writeList(index, 3, false)->added.size(), 1U) << length;
  }
}

TEST(RefPages, StayBoundedWhateverIsPushed) {
  RefIndex index;
  std::uint64_t number = 0;
  const auto write = [&] {
    WrittenList list = writeList(index, ++number, false).value();
    index.pages = list.pages;
    return list;
  };
  std::size_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = fmt::format("more/v{}", i);
    index.refs[name] = "{\"x\":\"" + std::string(700, 'x') + "\"}";
    const WrittenList list = write();
    if (!list.pages.empty()) most = std::max(most, list.added.size());
    for (const RefPage& page : list.pages) EXPECT_LE(page.byteCount, kMostPageBytes + 4096);
  }
  EXPECT_LE(most, 2U) << "the first list in pages is two";
  const std::size_t pages = index.pages.size();
  EXPECT_LE(pages, 3000 * 720 / (kMostPageBytes / 3));
  for (int i = 0; i < 2500; ++i) {
    index.refs.erase(fmt::format("more/v{}", i));
    write();
  }
  EXPECT_LE(index.pages.size(), 5U) << "small pages join";
  index.refs["long"] = "{\"x\":\"" + std::string(2 * kMostPageBytes, 'x') + "\"}";
  EXPECT_TRUE(writeList(index, ++number, false));
}

}  // namespace
}  // namespace strata::hub
