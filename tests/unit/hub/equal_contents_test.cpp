#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/remote_difference.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/ops/exchange/version_matching.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/tags.h"
#include "hub/bundle/bundle_transport.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Versions of one name with the content of an earlier one, as a rollback makes them.
class EqualContents : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    importBase(*ours_);
    add(*ours_, "t", 11);
    add(*ours_, "t", 12);
  }

  /// t:v3 with the content of t:v1.
  void rollBack() { add(*ours_, "t", 11, {"best"}); }

  std::uint32_t tagThere(const std::string& tag) {
    const RefListing listing = remote_.readRefs({}).value();
    const RemoteLibrary library = RemoteLibrary::from(listing);
    for (const TagRef& one : library.tags) {
      if (one.tag == tag) return one.number;
    }
    return 0;
  }

  static std::vector<std::string> allOf(const Store& store) {
    std::vector<std::string> labels;
    const std::vector<VersionEntry> versions = store.catalog().versions().value();
    for (const VersionEntry& one : versions) labels.push_back(one.label());
    return labels;
  }

  const std::unique_ptr<Store> ours_ = makeStore("ours");
};

TEST_F(EqualContents, AreSentWithTheirTags) {
  ASSERT_TRUE(push(*ours_, remote_, {.keptAs = "hub"}));
  rollBack();
  EXPECT_EQ(remoteDifference(*ours_, "hub").value()->toPush, 1);
  const auto sent = push(*ours_, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_THAT(labelsOf(sent->pushed), ElementsAre("t:v3"));
  EXPECT_EQ(sent->byteCount, 0);
  EXPECT_EQ(tagThere("best"), 3);
  EXPECT_EQ(remoteDifference(*ours_, "hub").value()->toPush, 0);
  const auto again = push(*ours_, remote_);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->pushed, IsEmpty());
  EXPECT_EQ(again->alreadyThere.size(), 4);
}

TEST_F(EqualContents, AreSentByNameToARemoteThatLacksTheEarlierOne) {
  rollBack();
  const auto sent = push(*ours_, remote_, {.references = {"t:v3"}});
  ASSERT_TRUE(sent);
  EXPECT_THAT(labelsOf(sent->pushed), ElementsAre("base:v1", "t:v3"));
  const auto rest = push(*ours_, remote_);
  ASSERT_TRUE(rest);
  EXPECT_THAT(labelsOf(rest->pushed), ElementsAre("t:v1", "t:v2"));
}

TEST_F(EqualContents, AllArriveWithTheirTags) {
  rollBack();
  ASSERT_TRUE(push(*ours_, remote_));
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1", "t:v1", "t:v2", "t:v3"));
  EXPECT_THAT(pulled->completed, IsEmpty());
  EXPECT_EQ(theirs->resolve("t:best").value().number, 3);
  add(*theirs, "t", 14);
  const auto sent = push(*theirs, remote_);
  ASSERT_TRUE(sent);
  EXPECT_THAT(labelsOf(sent->pushed), ElementsAre("t:v4"));
  expectSound(*theirs);
}

TEST_F(EqualContents, ArriveWhereTheEarlierOneIs) {
  ASSERT_TRUE(push(*ours_, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_, {.keptAs = "hub"}));
  rollBack();
  ASSERT_TRUE(push(*ours_, remote_));
  const auto fetched = fetchRemote(*theirs, remote_, "hub", {});
  ASSERT_TRUE(fetched);
  ASSERT_EQ(fetched->newVersions.size(), 1);
  EXPECT_EQ(fetched->newVersions[0].ref.label(), "t:v3");
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->toPull, 1);
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->tagsToPull, 1);
  const auto pulled = pull(*theirs, remote_, {.references = {"t:v3"}, .keptAs = "hub"});
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("t:v3"));
  EXPECT_EQ(pulled->byteCount, 0);
  EXPECT_EQ(theirs->resolve("t").value().contentDigest,
            ours_->resolve("t:v1").value().contentDigest);
  EXPECT_EQ(theirs->resolve("t:best").value().number, 3);
  EXPECT_EQ(remoteDifference(*theirs, "hub").value()->toPull, 0);
}

TEST_F(EqualContents, ArriveLazilyAndAreCompletedTogether) {
  rollBack();
  ASSERT_TRUE(push(*ours_, remote_));
  const auto theirs = makeStore("theirs");
  const auto newest = pull(*theirs, remote_, {.references = {"t"}, .latest = 1, .lazy = true});
  ASSERT_TRUE(newest) << newest.error().message;
  EXPECT_THAT(labelsOf(newest->pulled), ElementsAre("base:v1", "t:v3"));
  const auto lazy = pull(*theirs, remote_, {.lazy = true});
  ASSERT_TRUE(lazy);
  EXPECT_THAT(labelsOf(lazy->pulled), ElementsAre("t:v1", "t:v2"));
  const auto rest = pull(*theirs, remote_);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->completed.size(), 4);
  expectSound(*theirs);
  EXPECT_THAT(pull(*theirs, remote_)->completed, IsEmpty());
}

TEST_F(EqualContents, ArriveInABundleThatHasNoneButTheLatest) {
  ASSERT_TRUE(push(*ours_, remote_));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  rollBack();
  const auto file = folder_ / "t.strata";
  {
    const auto bundle = BundleTransport::create(file, false).value();
    ASSERT_TRUE(push(*ours_, *bundle, {.references = {"t:v3"}, .parallel = 1}));
  }
  const auto bundle = BundleTransport::open(file).value();
  const auto taken = pull(*theirs, *bundle);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_THAT(labelsOf(taken->pulled), ElementsAre("t:v3"));
  EXPECT_EQ(theirs->resolve("t:best").value().number, 3);
}

TEST_F(EqualContents, KeepTheirTagsApart) {
  rollBack();
  ASSERT_TRUE(push(*ours_, remote_));
  const auto same = push(*ours_, remote_, {.forceTags = true});
  ASSERT_TRUE(same);
  EXPECT_THAT(same->tagsElsewhere, IsEmpty());
  EXPECT_EQ(tagThere("best"), 3);
  ASSERT_TRUE(addTag(*ours_, {.reference = "t:v1", .tag = "best", .move = true}));
  EXPECT_THAT(push(*ours_, remote_)->tagsElsewhere, ElementsAre("t:best"));
  ASSERT_TRUE(push(*ours_, remote_, {.forceTags = true}));
  EXPECT_EQ(tagThere("best"), 1);
}

TEST_F(EqualContents, AreThereUnderOtherNumbers) {
  rollBack();
  ASSERT_TRUE(push(*ours_, remote_));
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "t", 41);
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(allOf(*theirs), ElementsAre("base:v1", "t:v1", "t:v2", "t:v3", "t:v4"));
  const auto again = pull(*theirs, remote_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->alreadyHere.size(), 4);
  const auto refused = push(*theirs, remote_);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->pushed, IsEmpty());
  ASSERT_EQ(refused->failed.size(), 1);
  EXPECT_EQ(refused->failed[0].label, "t:v1");
}

TEST_F(EqualContents, GetNumbersOfTheirOwnWhereTheirsAreTaken) {
  ASSERT_TRUE(push(*ours_, remote_));
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  for (const unsigned seed : {41, 42, 41}) add(*theirs, "t", seed);
  const auto sent = push(*theirs, remote_, {.renumber = true});
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_THAT(labelsOf(sent->pushed), ElementsAre("t:v4", "t:v5", "t:v6"));
  EXPECT_THAT(allOf(*theirs), ElementsAre("base:v1", "t:v4", "t:v5", "t:v6"));
  const auto again = push(*theirs, remote_, {.renumber = true});
  ASSERT_TRUE(again);
  EXPECT_THAT(again->pushed, IsEmpty());
}

TEST_F(EqualContents, StayWhereOneOfThemIsRemoved) {
  rollBack();
  ASSERT_TRUE(push(*ours_, remote_));
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"t:v1"}}, {}));
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled);
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("base:v1", "t:v2", "t:v3"));
  EXPECT_EQ(tagThere("best"), 3);
}

TEST_F(EqualContents, AreNotSentByARepair) {
  ASSERT_TRUE(push(*ours_, remote_));
  for (const unsigned seed : {2U, 1U}) {
    const AddOptions next{.name = "base", .baseChoice = BaseChoice::None};
    ASSERT_TRUE(addVersion(*ours_, *test::makeModel(seed), next, {}, {}));
  }
  ASSERT_THAT(allOf(*ours_), ElementsAre("base:v1", "base:v2", "base:v3", "t:v1", "t:v2"));
  const auto repaired = push(*ours_, remote_, {.repair = true});
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_THAT(repaired->pushed, IsEmpty());
}

/// Lists of both sides: number, content, time.
struct Listed {
  std::uint32_t number = 0;
  int content = 0;
  std::int64_t addedAt = 0;
};

/// The number there of each version here; 0 for none.
std::vector<std::uint32_t> matched(const std::vector<Listed>& here,
                                   const std::vector<Listed>& there) {
  const auto digestOf = [](int content) {
    Digest digest{};
    digest.bytes[0] = static_cast<std::byte>(content);
    return digest;
  };
  std::vector<VersionEntry> entries;
  for (const Listed& one : here) {
    VersionEntry& entry = entries.emplace_back();
    entry.name = "t";
    entry.number = one.number;
    entry.contentDigest = digestOf(one.content);
    entry.addedAt = one.addedAt;
  }
  RemoteLibrary library;
  for (const Listed& one : there) {
    VersionRef& ref = library.versions.emplace_back().ref;
    ref.name = "t";
    ref.number = one.number;
    ref.contentDigest = digestOf(one.content);
    ref.addedAt = one.addedAt;
  }
  const VersionMatching matching(entries, library);
  std::vector<std::uint32_t> numbers;
  for (const VersionEntry& entry : entries) {
    const RemoteVersion* const one = matching.there(entry);
    numbers.push_back(one == nullptr ? 0 : one->ref.number);
    if (one == nullptr) continue;
    EXPECT_EQ(matching.here(*one)->number, entry.number);
  }
  return numbers;
}

TEST(VersionMatching, GoesByNumberThenByTheTimeOfAdding) {
  EXPECT_THAT(matched({{1, 1, 10}, {2, 2, 20}, {3, 1, 30}}, {{1, 1, 10}, {2, 2, 20}}),
              ElementsAre(1, 2, 0));
  EXPECT_THAT(matched({{1, 1, 10}, {2, 2, 20}, {3, 1, 10}}, {{3, 1, 10}}), ElementsAre(0, 0, 3));
  EXPECT_THAT(matched({{2, 2, 20}, {3, 1, 30}}, {{1, 1, 10}, {2, 2, 20}}), ElementsAre(2, 0))
      << "number 1 is in the trash";
  // Numbers 1 and 2 were taken here when both were pulled.
  EXPECT_THAT(matched({{1, 9, 5}, {2, 1, 10}, {3, 1, 20}}, {{1, 1, 10}, {2, 1, 20}}),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(matched({{2, 1, 10}}, {{1, 1, 10}}), ElementsAre(1)) << "1 was removed here since";
  EXPECT_THAT(matched({{1, 1, 10}}, {{1, 1, 11}}), ElementsAre(1)) << "added on both sides";
}

TEST(VersionMatching, TakesOthersForRenumberedOnesOnlyWhereANumberWasTaken) {
  EXPECT_THAT(matched({{1, 9, 5}, {2, 1, 50}}, {{1, 1, 10}}), ElementsAre(0, 1));
  EXPECT_THAT(matched({{1, 1, 50}}, {{1, 9, 5}, {2, 1, 10}}), ElementsAre(2));
  EXPECT_THAT(matched({{1, 1, 10}, {2, 2, 20}}, {{3, 1, 30}}), ElementsAre(0, 0));
  EXPECT_THAT(matched({{3, 1, 30}}, {{1, 1, 10}, {2, 2, 20}}), ElementsAre(0));
}

}  // namespace
}  // namespace strata::hub
