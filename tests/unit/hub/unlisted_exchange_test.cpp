#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "core/transfer/remote_library.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Versions that were removed, on their way to and from a remote.
class UnlistedExchange : public test::ExchangeFixture {
 protected:
  static void remove(Store& store, const std::string& reference) {
    const auto removed = removeVersions(store, {.references = {reference}});
    ASSERT_TRUE(removed) << removed.error().message;
  }

  static void removeForGood(Store& store, const std::string& reference) {
    remove(store, reference);
    ASSERT_TRUE(emptyTrash(store, {}));
  }

  static std::vector<std::string> labelsIn(const Store& store) {
    std::vector<std::string> labels;
    const auto versions = store.catalog().versions();
    for (const VersionEntry& version : *versions) labels.push_back(version.label());
    return labels;
  }

  RemoteLibrary library() { return RemoteLibrary::from(*remote_.readRefs({})); }
};

TEST_F(UnlistedExchange, ParentsTravelWithoutTheirNames) {
  const auto ours = makeFullStore("ours");
  removeForGood(*ours, "base");
  const auto pushed = push(*ours, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->failed, IsEmpty());
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("base:v1", "ner:v1"));
  ASSERT_EQ(library().versions.size(), 1U);
  ASSERT_EQ(library().parents.size(), 1U);
  EXPECT_FALSE(library().select(std::vector<std::string>{"base"}, 0));
  // Once is enough.
  EXPECT_THAT(push(*ours, remote_, {.references = {"sst2:v1"}})->pushed.size(), 1U);

  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->failed, IsEmpty());
  EXPECT_THAT(labelsIn(*theirs), ElementsAre("ner:v1", "sst2:v1"));
  EXPECT_THAT(listTrash(*theirs)->versions, IsEmpty());
  expectSound(*theirs);
  EXPECT_THAT(pull(*theirs, remote_)->pulled, IsEmpty());
}

TEST_F(UnlistedExchange, AParentInTheTrashGoesAlong) {
  const auto ours = makeFullStore("ours");
  remove(*ours, "base");
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(labelsOf(pushed->pushed),
              UnorderedElementsAre("base:v1", "ner:v1", "sst2:v1", "sst2:v2"));
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  expectSound(*theirs);
  // Back here, it gets its name there as well.
  ASSERT_TRUE(restoreFromTrash(*ours, {"base"}));
  const auto again = push(*ours, remote_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(again->failed, IsEmpty());
  EXPECT_THAT(labelsOf(again->pushed), ElementsAre("base:v1"));
  EXPECT_THAT(library().parents, IsEmpty());
  ASSERT_TRUE(pull(*theirs, remote_));
  EXPECT_THAT(labelsIn(*theirs), ElementsAre("base:v1", "ner:v1", "sst2:v1", "sst2:v2"));
  expectSound(*theirs);
}

/// With its tag, and beside something new that is a difference to it.
TEST_F(UnlistedExchange, AParentGetsItsNameBackWithATag) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(addTag(*ours, {.reference = "base:v1", .tag = "kept"}));
  remove(*ours, "base");
  ASSERT_TRUE(push(*ours, remote_));
  ASSERT_TRUE(restoreFromTrash(*ours, {"base"}));
  ASSERT_TRUE(addTag(*ours, {.reference = "base:v1", .tag = "kept"}));
  const auto tuned = test::makeTuned(*test::makeModel(1), 77);
  AddOptions options;
  options.name = "new";
  options.baseChoice = BaseChoice::Reference;
  options.base = "base:v1";
  ASSERT_TRUE(addVersion(*ours, *tuned, options, {}, {}));
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(labelsOf(pushed->pushed), UnorderedElementsAre("base:v1", "new:v1"));
  EXPECT_THAT(library().parents, IsEmpty());
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  EXPECT_EQ(theirs->resolve("base:kept")->label(), "base:v1");
}

TEST_F(UnlistedExchange, AParentThatCameWithoutItsPacksGetsThem) {
  const auto ours = makeFullStore("ours");
  removeForGood(*ours, "base");
  ASSERT_TRUE(push(*ours, remote_));
  for (const char* const reference : {"ner", "base:v1"}) {
    const auto theirs = makeStore(std::string("theirs-") + reference[0]);
    ASSERT_TRUE(pull(*theirs, remote_, {.references = {"ner"}, .lazy = true}));
    EXPECT_THAT(labelsIn(*theirs), ElementsAre("ner:v1"));
    const auto pulled = pull(*theirs, remote_, {.references = {reference}});
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_THAT(pulled->failed, IsEmpty());
    ASSERT_TRUE(pull(*theirs, remote_, {.references = {"ner"}}));
    EXPECT_THAT(labelsIn(*theirs), ElementsAre("ner:v1"));
    expectSound(*theirs);
    EXPECT_TRUE(theirs->catalog().awaitedObjects()->empty());
  }
}

TEST_F(UnlistedExchange, WhatHasNoNameThereIsNotPulledByItsNumber) {
  const auto ours = makeFullStore("ours");
  removeForGood(*ours, "base");
  ASSERT_TRUE(push(*ours, remote_));
  const auto theirs = makeStore("theirs");
  const auto trial = pull(*theirs, remote_, {.references = {"base:v1"}, .dryRun = true});
  ASSERT_TRUE(trial) << trial.error().message;
  EXPECT_THAT(trial->pulled, IsEmpty());
  ASSERT_EQ(trial->failed.size(), 1U);
  EXPECT_EQ(trial->failed[0].error.code, ErrorCode::NotFound);
  const auto pulled = pull(*theirs, remote_, {.references = {"base:v1"}});
  ASSERT_FALSE(pulled);
  EXPECT_EQ(pulled.error().code, ErrorCode::NotFound);
}

TEST_F(UnlistedExchange, APullKeepsTheNumberOfWhatWasRemoved) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  remove(*ours, "sst2:v2");
  const auto pulled = pull(*ours, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(labelsOf(pulled->pulled), ElementsAre("sst2:v2"));
  EXPECT_TRUE(pulled->pulled[0].wasRemoved);
  EXPECT_EQ(ours->resolve("sst2:prod")->label(), "sst2:v2");
  EXPECT_THAT(listTrash(*ours)->versions, IsEmpty());
  // Also of one that no name led to any more, and of one that was gone.
  removeForGood(*ours, "base");
  removeForGood(*ours, "ner");
  const auto both = pull(*ours, remote_);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_THAT(labelsOf(both->pulled), ElementsAre("base:v1", "ner:v1"));
  EXPECT_THAT(labelsIn(*ours), ElementsAre("base:v1", "ner:v1", "sst2:v1", "sst2:v2"));
  expectSound(*ours);
}

TEST_F(UnlistedExchange, APulledTagOfARemovedVersionStaysWhereItWasMoved) {
  const auto ours = makeFullStore("ours");
  ASSERT_TRUE(push(*ours, remote_));
  remove(*ours, "sst2:v2");
  ASSERT_TRUE(addTag(*ours, {.reference = "sst2:v1", .tag = "prod"}));
  const auto pulled = pull(*ours, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_THAT(pulled->tagsElsewhere, ::testing::Contains("sst2:prod"));
  EXPECT_EQ(ours->resolve("sst2:prod")->label(), "sst2:v1");
  EXPECT_TRUE(ours->resolve("sst2:v2"));
}

}  // namespace
}  // namespace strata::hub
