#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "core/ops/exchange/verify_remote.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/import_base.h"
#include "core/transfer/remote_library.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Pushes where another content has the number of what versions are differences to.
class TakenNumbers : public test::ExchangeFixture {
 protected:
  /// A store whose first model of `name` is another one than that of the other stores.
  std::unique_ptr<Store> makeOther(const std::string& name, unsigned seed) const {
    auto store = makeStore(name);
    const auto model = test::makeModel(seed);
    const auto imported = strata::importBase(*store, *model, {.name = "base"}, {}, {});
    EXPECT_TRUE(imported) << imported.error().message;
    return store;
  }

  /// The next version of `name`, a difference to the newest version of it or to the base.
  static void addOn(Store& store, const std::string& name, const std::string& parent, unsigned seed,
                    unsigned model) {
    const auto tuned = test::makeTuned(*test::makeModel(model), seed);
    AddOptions options;
    options.name = name;
    options.baseChoice = BaseChoice::Reference;
    options.base = parent;
    options.chain = ChainPolicy::Never;
    const auto added = addVersion(store, *tuned, options, {}, {});
    ASSERT_TRUE(added) << added.error().message;
  }

  /// Everything that the remote lists can be pulled, and nothing is missing there.
  void expectWhole(const std::string& name) {
    const auto pulled = makeStore(name);
    const auto report = pull(*pulled, remote_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->failed, IsEmpty());
    expectSound(*pulled);
    const auto verified = verifyRemote(*pulled, remote_, {}, {}, {});
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_THAT(verified->damages, IsEmpty());
  }

  RemoteLibrary library() { return RemoteLibrary::from(*remote_.readRefs({})); }

  /// The remote as programs left it that sent a difference without its parent.
  void takeParentsOff() {
    const RefListing listing = *remote_.readRefs({});
    RefPush push;
    for (const RemoteVersion& parent : library().parents) {
      const std::string name = refNameOf(parent.ref);
      push.updates.push_back({name, listing.refs.at(name), kRemovedRef, {}});
    }
    ASSERT_THAT(push.updates, Not(IsEmpty()));
    ASSERT_TRUE(remote_.advanceRefs(push, {}));
    ASSERT_THAT(library().parents, IsEmpty());
  }
};

TEST_F(TakenNumbers, TheParentGoesAlongWithoutItsName) {
  const auto theirs = makeOther("theirs", 1);
  ASSERT_TRUE(push(*theirs, remote_));
  const auto ours = makeOther("ours", 2);
  addOn(*ours, "base", "base:v1", 21, 2);
  const auto pushed = push(*ours, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  ASSERT_THAT(pushed->failed, SizeIs(1));
  EXPECT_EQ(pushed->failed[0].label, "base:v1");
  EXPECT_THAT(pushed->failed[0].error.message, HasSubstr("--renumber"));
  EXPECT_THAT(pushed->failed[0].error.message, HasSubstr("goes along without its name"));
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("base:v1", "base:v2"));
  EXPECT_TRUE(pushed->pushed[0].isNameless);
  EXPECT_FALSE(pushed->pushed[1].isNameless);
  EXPECT_THAT(library().versions, SizeIs(2));
  EXPECT_THAT(library().parents, SizeIs(1));
  expectWhole("third");
  // Once is enough, and the next version finds its number free.
  addOn(*ours, "base", "base:v1", 22, 2);
  const auto again = push(*ours, remote_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(labelsOf(again->pushed), ElementsAre("base:v3"));
  ASSERT_THAT(again->failed, SizeIs(1));
  EXPECT_THAT(again->failed[0].error.message, HasSubstr("it is there without its name"));
  // With a number of its own it is above what stands on it, and that is said.
  const auto renumbered = push(*ours, remote_, {.references = {"base:v1"}, .renumber = true});
  ASSERT_TRUE(renumbered) << renumbered.error().message;
  EXPECT_THAT(renumbered->failed, IsEmpty());
  EXPECT_THAT(labelsOf(renumbered->pushed), ElementsAre("base:v4"));
  ASSERT_THAT(renumbered->turned, SizeIs(2));
  EXPECT_EQ(renumbered->turned[0].version, "base:v2");
  EXPECT_EQ(renumbered->turned[0].parent, "base:v4");
  EXPECT_THAT(push(*ours, remote_)->failed, IsEmpty());
  expectWhole("fourth");
}

TEST_F(TakenNumbers, AWholeLineageGoesAlong) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "m", 11);
  add(*theirs, "m", 12);
  ASSERT_TRUE(push(*theirs, remote_));
  const auto ours = makeOther("ours", 2);
  addOn(*ours, "m", "base:v1", 21, 2);
  addOn(*ours, "m", "m:v1", 22, 2);
  addOn(*ours, "tuned", "m:v2", 23, 2);
  const auto pushed = push(*ours, remote_, {.references = {"tuned"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->failed, SizeIs(3));
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("base:v1", "m:v1", "m:v2", "tuned:v1"));
  expectWhole("third");
}

TEST_F(TakenNumbers, ChildrenGetNumbersAboveTheirParents) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  for (const unsigned seed : {11U, 12U}) add(*theirs, "m", seed);
  const auto ours = makeStore("ours");
  importBase(*ours);
  addOn(*ours, "m", "base:v1", 21, 1);
  addOn(*ours, "m", "m:v1", 22, 1);
  addOn(*ours, "m", "m:v2", 23, 1);
  ASSERT_TRUE(push(*theirs, remote_));
  const auto pushed = push(*ours, remote_, {.renumber = true});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("m:v4", "m:v5", "m:v6"))
      << "free on both sides";
  EXPECT_THAT(pushed->turned, IsEmpty());
  ASSERT_THAT(pushed->renumbered, SizeIs(3));
  EXPECT_EQ(pushed->renumbered[0].version.label(), "m:v1");
  EXPECT_EQ(pushed->renumbered[0].there(), "m:v4");
  EXPECT_EQ(pushed->renumbered[0].other, theirs->resolve("m:v1")->contentDigest);
  EXPECT_TRUE(pushed->renumbered[0].isHereToo);
  EXPECT_THAT(push(*ours, remote_)->renumbered, IsEmpty());
}

TEST_F(TakenNumbers, NumbersInBetweenAreNotTakenOutOfOrder) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  for (const unsigned seed : {11U, 12U, 13U}) add(*theirs, "m", seed);
  ASSERT_TRUE(push(*theirs, remote_, {.references = {"m:v1", "m:v3"}}));
  const auto ours = makeStore("ours");
  importBase(*ours);
  addOn(*ours, "m", "base:v1", 21, 1);
  addOn(*ours, "m", "m:v1", 22, 1);
  const auto first = push(*ours, remote_, {.references = {"m:v1"}, .renumber = true});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_THAT(labelsOf(first->pushed), ElementsAre("m:v4"));
  const auto second = push(*ours, remote_, {.renumber = true});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(labelsOf(second->pushed), ElementsAre("m:v2")) << "its parent was moved away";
}

/// An older version that gets a new number does not become the newest of its name.
TEST_F(TakenNumbers, NewNumbersKeepTheOrderOfAName) {
  const auto theirs = makeStore("theirs");
  importBase(*theirs);
  add(*theirs, "m", 11);
  ASSERT_TRUE(push(*theirs, remote_));
  const auto ours = makeStore("ours");
  importBase(*ours);
  for (const unsigned seed : {21U, 22U}) add(*ours, "m", seed);
  const Digest newest = ours->resolve("m")->contentDigest;
  const auto pushed = push(*ours, remote_, {.renumber = true});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("m:v3", "m:v4"));
  EXPECT_EQ(ours->resolve("m")->contentDigest, newest);
  EXPECT_EQ(library().find("m", 4)->ref.contentDigest, newest);
}

/// With --repair or without, by name or all.
class MendedByPush : public TakenNumbers,
                     public ::testing::WithParamInterface<std::tuple<bool, bool>> {};

TEST_P(MendedByPush, WhatStandsThereAloneGetsItsParent) {
  const auto [repair, named] = GetParam();
  const auto theirs = makeOther("theirs", 1);
  ASSERT_TRUE(push(*theirs, remote_));
  const auto ours = makeOther("ours", 2);
  addOn(*ours, "base", "base:v1", 21, 2);
  ASSERT_TRUE(push(*ours, remote_));
  takeParentsOff();
  PushOptions options;
  options.repair = repair;
  if (named) options.references = {"base:v2"};
  const auto pushed = push(*ours, remote_, options);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->failed, SizeIs(repair ? 0 : 1));
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("base:v1"));
  expectWhole("third");
}

INSTANTIATE_TEST_SUITE_P(TakenNumbers, MendedByPush,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool()));

}  // namespace
}  // namespace strata::hub
