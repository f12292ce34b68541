// Refs on every kind of remote: all of a push or none, others at work, and what is swept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/hub/transports/transport_fixture.h"

namespace strata::hub {
namespace {

TEST_F(EveryTransport, MovesAllRefsOfAPush) {
  const Objects objects;
  send(*remote_, objects);
  const RefPush push{{{"sst2/v1", {}, textOf("one"), objects.all()},
                      {"sst2/tags/prod", {}, textOf("tag")},
                      {"org/model/v12", {}, textOf("two"), objects.all()}},
                     "push"};
  ASSERT_EQ(advance(*remote_, push), RefOutcome::Advanced);
  EXPECT_EQ(listed().refs, (std::map<std::string, RefText>{{"org/model/v12", textOf("two")},
                                                           {"sst2/tags/prod", textOf("tag")},
                                                           {"sst2/v1", textOf("one")}}));
}

TEST_F(EveryTransport, ChangesAndTakesRefsAway) {
  push(*remote_, "sst2/v1", Objects());
  ASSERT_EQ(advance(*remote_, {{{"sst2/tags/prod", {}, textOf("old")}}, "tag"}),
            RefOutcome::Advanced);
  ASSERT_EQ(advance(*remote_, {{{"sst2/tags/prod", textOf("old"), textOf("new")}}, "tag"}),
            RefOutcome::Advanced);
  EXPECT_EQ(listed().refs.at("sst2/tags/prod"), textOf("new"));
  ASSERT_EQ(advance(*remote_, {{{"sst2/tags/prod", textOf("new"), kRemovedRef}}, "tag"}),
            RefOutcome::Advanced);
  EXPECT_EQ(listed().refs.size(), 1U);
}

TEST_F(EveryTransport, ChangesNothingWhereARefSaysOtherwise) {
  push(*remote_, "sst2/v1", Objects());
  const Objects objects;
  send(*remote_, objects);
  const RefPush wrong{{{"sst2/v2", {}, textOf("two"), objects.all()},
                       {"sst2/v1", textOf("else"), textOf("three"), objects.all()}},
                      "push"};
  EXPECT_EQ(advance(*remote_, wrong), RefOutcome::Overtaken);
  const RefPush there{{{"sst2/v1", {}, textOf("three"), objects.all()}}, "push"};
  EXPECT_EQ(advance(*remote_, there), RefOutcome::Overtaken);
  const RefPush absent{{{"sst2/v9", textOf("nine"), textOf("ten"), objects.all()}}, "push"};
  EXPECT_EQ(advance(*remote_, absent), RefOutcome::Overtaken);
  EXPECT_EQ(listed().refs, (std::map<std::string, RefText>{{"sst2/v1", textOf("sst2/v1")}}));
}

TEST_F(EveryTransport, TakesRefsOfWhichNoOtherCame) {
  push(*remote_, "sst2/v1", Objects());
  const auto before = listed().refs;
  push(*connect(), "sst2/v2", Objects());
  RefPush removal{{{"sst2/v1", textOf("sst2/v1"), kRemovedRef}}, "remove"};
  removal.before = before;
  EXPECT_EQ(advance(*remote_, removal), RefOutcome::Overtaken);
  removal.before = listed().refs;
  EXPECT_EQ(advance(*remote_, removal), RefOutcome::Advanced);
  EXPECT_EQ(listed().refs.size(), 1U);
}

TEST_F(EveryTransport, SeesWhatOthersPushed) {
  push(*remote_, "sst2/v1", Objects());
  const auto first = remote_->readRefs({});
  ASSERT_TRUE(first) << first.error().message;
  push(*connect(), "sst2/v2", Objects());
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 2U);
  const auto later = connect();
  later->know(*first);
  EXPECT_EQ(later->readRefs({})->refs.size(), 2U);
}

TEST_F(EveryTransport, LetsOneOfTwoPushersWin) {
  if (!isAtomic()) GTEST_SKIP() << "this kind of remote has no conditional writes";
  push(*remote_, "sst2/v1", Objects());
  constexpr int kPushers = 4;
  std::vector<std::unique_ptr<Transport>> pushers;
  std::vector<Objects> objects(kPushers);
  for (int i = 0; i < kPushers; ++i) {
    pushers.push_back(connect());
    send(*pushers.back(), objects[static_cast<std::size_t>(i)]);
  }
  std::atomic<int> won = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kPushers; ++i) {
    threads.emplace_back([&, i] {
      const RefPush mine{{{"sst2/v2", {}, textOf(fmt::format("{}", i)), objects[i].all()}}, "push"};
      if (advance(*pushers[i], mine) == RefOutcome::Advanced) ++won;
    });
  }
  threads.clear();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(listed().refs.size(), 2U);
}

TEST_F(EveryTransport, KeepsRefsOfPushersSideBySide) {
  if (!isAtomic()) GTEST_SKIP() << "this kind of remote has no conditional writes";
  push(*remote_, "first/v1", Objects());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([this, i] {
      const auto mine = connect();
      const Objects objects;
      send(*mine, objects);
      const RefPush adding{{{fmt::format("m{}/v1", i), {}, textOf("x"), objects.all()}}, "push"};
      for (int tries = 0; tries < 100; ++tries) {
        if (advance(*mine, adding) == RefOutcome::Advanced) return;
      }
      ADD_FAILURE() << "pusher " << i << " never won";
    });
  }
  threads.clear();
  EXPECT_EQ(listed().refs.size(), 4U);
}

TEST_F(EveryTransport, KeepsRefsOfAHundredVersions) {
  const Objects objects;
  send(*remote_, objects);
  RefPush many{{}, "push"};
  for (int i = 1; i <= 100; ++i) {
    many.updates.push_back(
        {fmt::format("sst2/v{}", i), {}, textOf(std::string(2000, 'x')), objects.all()});
  }
  ASSERT_EQ(advance(*remote_, many), RefOutcome::Advanced);
  const auto refs = listed().refs;
  EXPECT_EQ(refs.size(), 100U);
  EXPECT_EQ(refs.at("sst2/v77"), textOf(std::string(2000, 'x')));
}

TEST_F(EveryTransport, ListsItsObjects) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  const auto stock = connect()->listObjects({});
  if (!stock) {
    EXPECT_EQ(stock.error().code, ErrorCode::Unsupported) << stock.error().message;
    return;
  }
  ObjectSizes sizes;
  for (const StockedObject& one : *stock) sizes.emplace(one.digest, one.byteCount);
  EXPECT_EQ(sizes[sha256(objects.manifest)], objects.manifest.size());
  EXPECT_EQ(sizes[sha256(objects.pack)], objects.pack.size());
}

TEST_F(EveryTransport, SweepsWhatNoRefNeeds) {
  const Objects kept;
  const Objects gone;
  push(*remote_, "sst2/v1", kept);
  push(*remote_, "sst2/v2", gone);
  const std::uint64_t seen = listed().endedSweeps;
  ASSERT_EQ(advance(*remote_, {{{"sst2/v2", textOf("sst2/v2"), kRemovedRef}}, "remove"}),
            RefOutcome::Advanced);
  const std::vector<Digest> unneeded{sha256(gone.manifest), sha256(gone.pack)};
  const auto swept = remote_->sweep(listed(), unneeded, {});
  if (!swept) {
    EXPECT_EQ(swept.error().code, ErrorCode::Unsupported) << swept.error().message;
    return;
  }
  EXPECT_EQ(swept->outcome, RefOutcome::Advanced);
  EXPECT_FALSE(swept->failure) << swept->failure->message;
  EXPECT_EQ(swept->erasedCount, unneeded.size());
  const auto there = connect()->has(gone.all(), {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_TRUE(there->visible.empty());
  EXPECT_EQ(fetched(*connect(), kept.packObject()).value(), kept.pack);
  // Whoever looked for objects before that is told, or brings them back.
  RefPush late{{{"sst2/v3", {}, textOf("late"), gone.all()}}, "push"};
  late.endedSweeps = seen;
  const bool isLost = advance(*connect(), late) == RefOutcome::Overtaken;
  EXPECT_EQ(listed().refs.size(), isLost ? 1U : 2U);
  if (isLost) return;
  EXPECT_EQ(fetched(*connect(), gone.packObject()).value(), gone.pack);
}

TEST_F(EveryTransport, DoesNotSweepOverAPush) {
  push(*remote_, "sst2/v1", Objects());
  const RefListing seen = listed();
  const Objects later;
  push(*connect(), "sst2/v2", later);
  const auto swept = remote_->sweep(seen, std::vector{sha256(later.pack)}, {});
  if (!swept) {
    EXPECT_EQ(swept.error().code, ErrorCode::Unsupported) << swept.error().message;
    return;
  }
  EXPECT_EQ(swept->outcome, RefOutcome::Overtaken);
  EXPECT_EQ(fetched(*connect(), later.packObject()).value(), later.pack);
}

TEST_F(EveryTransport, ChangesNothingOnceItIsStopped) {
  push(*remote_, "sst2/v1", Objects());
  std::stop_source stopped;
  stopped.request_stop();
  const Objects objects;
  send(*remote_, objects);
  const auto outcome = remote_->advanceRefs(
      {{{"sst2/v2", {}, textOf("two"), objects.all()}}, "push"}, stopped.get_token());
  if (!outcome) {
    EXPECT_EQ(outcome.error().code, ErrorCode::Cancelled) << outcome.error().message;
  }
  EXPECT_EQ(listed().refs.contains("sst2/v2"), outcome.has_value());
  EXPECT_TRUE(listed().refs.contains("sst2/v1"));
}

TEST_F(EveryTransport, ForgetsUploadsThatNobodyGoesOnWith) {
  push(*remote_, "sst2/v1", Objects());
  const auto ended = remote_->abandonUploads({});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, 0U);
  const auto scratch =
      remote_->clearScratch(std::numeric_limits<std::int64_t>::max(), ScratchWish::Count, {});
  ASSERT_TRUE(scratch) << scratch.error().message;
  EXPECT_EQ(*scratch, 0U);
}

TEST_F(EveryTransport, FindsItsListWhole) {
  push(*remote_, "sst2/v1", Objects());
  const auto checked = connect()->checkList({});
  EXPECT_TRUE(checked) << checked.error().message;
  const auto salvaged = connect()->salvageRefs({});
  ASSERT_TRUE(salvaged) << salvaged.error().message;
  EXPECT_EQ(salvaged->refs.size(), 1U);
  EXPECT_EQ(salvaged->unreadable, 0U);
}

}  // namespace
}  // namespace strata::hub
