#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "core/store/store_writer.h"
#include "core/transfer/transfer_claim.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/transfer_list.h"
#include "tests/gui/gui_samples.h"

namespace strata::test {
namespace {

using gui::Job;
using gui::StoreSession;
using gui::Transfer;
using gui::TransferList;
using Direction = Transfer::Direction;
using State = Transfer::State;

/// A store with a folder as its remote "share".
class TransferListTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(sample_.files() / "share");
    open();
    const RemoteConfig share{.name = "share",
                             .url = "file://" + (sample_.files() / "share").string()};
    ASSERT_EQ(run(session_.queue(), gui::saveRemoteJob(session_.store(), share)),
              Job::State::Finished);
  }
  void open() {
    QSignalSpy listed(&session_, &StoreSession::listed);
    session_.open(sample_.folder());
    ASSERT_TRUE(listed.wait(kPatienceMs));
  }
  bool waitFor(const std::function<bool()>& come) { return QTest::qWaitFor(come, kPatienceMs); }

  StoreSample sample_;
  StoreSession session_;
  TransferList list_{session_};
};

TEST_F(TransferListTest, PushesAndPullsThroughAFolder) {
  list_.add(Direction::Push, "share", {"tuned:v2"});
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  EXPECT_EQ(list_.transfers()[0].state, State::Done) << list_.transfers()[0].words.toStdString();

  auto* fetch = gui::fetchJob(session_.store(), "share");
  gui::RemoteState state;
  ASSERT_EQ(run(session_.queue(), fetch, [&] { state = fetch->report(); }), Job::State::Finished);
  ASSERT_EQ(state.rows.size(), 2U);
  for (const gui::RemoteRow& row : state.rows) {
    EXPECT_TRUE(row.isHere);
    EXPECT_EQ(row.neededBytes, 0U);
  }

  // Another store pulls it, base and all.
  QSignalSpy listed(&session_, &StoreSession::listed);
  session_.open(sample_.folder() + "-other", StoreSession::Opening::Create);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  const RemoteConfig share{.name = "share",
                           .url = "file://" + (sample_.files() / "share").string()};
  ASSERT_EQ(run(session_.queue(), gui::saveRemoteJob(session_.store(), share)),
            Job::State::Finished);
  fetch = gui::fetchJob(session_.store(), "share");
  ASSERT_EQ(run(session_.queue(), fetch, [&] { state = fetch->report(); }), Job::State::Finished);
  ASSERT_EQ(state.rows.size(), 2U);
  EXPECT_FALSE(state.rows[1].isHere);
  EXPECT_FALSE(state.rows[1].hasParent);
  EXPECT_GT(state.rows[1].neededBytes, 0U);
  list_.add(Direction::Pull, "share", {"tuned:v2"});
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  EXPECT_EQ(list_.transfers()[0].state, State::Done) << list_.transfers()[0].words.toStdString();
  session_.refresh();
  ASSERT_TRUE(waitFor([&] { return session_.snapshot()->rows.size() == 2; }));
}

TEST_F(TransferListTest, FailsWithTheReasonAndMayBeRetried) {
  list_.setRetryDelay(1);
  list_.add(Direction::Pull, "nowhere", {"x:v1"});
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  EXPECT_EQ(list_.transfers()[0].state, State::Failed);
  EXPECT_TRUE(list_.transfers()[0].words.contains("nowhere"));
  list_.retry(list_.transfers()[0].id);
  EXPECT_FALSE(list_.transfers()[0].isOver());
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  list_.clearOver();
  EXPECT_TRUE(list_.transfers().empty());
}

TEST_F(TransferListTest, TriesAgainWhileTheStoreIsLockedByAnother) {
  list_.setRetryDelay(5);
  list_.add(Direction::Push, "share", {"tuned:v1"});
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  QSignalSpy listed(&session_, &StoreSession::listed);
  session_.open(sample_.folder() + "-locked", StoreSession::Opening::Create);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  const RemoteConfig share{.name = "share",
                           .url = "file://" + (sample_.files() / "share").string()};
  ASSERT_EQ(run(session_.queue(), gui::saveRemoteJob(session_.store(), share)),
            Job::State::Finished);
  auto other = Store::open(session_.store()->folder());
  ASSERT_TRUE(other);
  auto lock = (*other)->lock("test");
  ASSERT_TRUE(lock);
  list_.add(Direction::Pull, "share", {"tuned:v1"});
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].attempt > 1; }));
  EXPECT_EQ(list_.transfers()[0].state, State::Waiting);
  lock->reset();
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  EXPECT_EQ(list_.transfers()[0].state, State::Done) << list_.transfers()[0].words.toStdString();
}

/// What another program, killed, has left in the catalog.
std::unique_ptr<TransferClaim> begunElsewhere(const Store& store, TransferRequest request) {
  return TransferClaim::take(store, request, TransferEntry::State::Running, 1000);
}

TEST_F(TransferListTest, ListsWhatOthersLeftAndGoesOn) {
  const TransferRequest request{
      .direction = Direction::Push, .remote = "share", .references = {"tuned:v1"}};
  auto claim = begunElsewhere(*session_.store(), request);
  claim.reset();
  ASSERT_TRUE(waitFor([&] { return list_.transfers().size() == 1; }));
  EXPECT_EQ(list_.transfers()[0].state, State::Interrupted);
  EXPECT_EQ(list_.transfers()[0].progress.totalBytes, 1000);
  list_.resumeAll();
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  EXPECT_EQ(list_.transfers()[0].state, State::Done) << list_.transfers()[0].words.toStdString();
  const auto left = listTransfers(*session_.store());
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->empty());
}

TEST_F(TransferListTest, ForgetsWhatOthersLeft) {
  auto claim = begunElsewhere(*session_.store(), {.direction = Direction::Pull, .remote = "share"});
  claim->fail({ErrorCode::Network, "no route"});
  ASSERT_TRUE(waitFor([&] { return list_.transfers().size() == 1; }));
  EXPECT_EQ(list_.transfers()[0].state, State::Failed);
  EXPECT_TRUE(list_.transfers()[0].words.contains("no route"));
  list_.cancel(list_.transfers()[0].id);
  EXPECT_TRUE(list_.transfers().empty());
  ASSERT_TRUE(waitFor([&] { return listTransfers(*session_.store()).value().empty(); }));
}

TEST_F(TransferListTest, RemembersWhatWasOpenWhenTheWindowClosed) {
  auto other = Store::open(session_.store()->folder());
  ASSERT_TRUE(other);
  {
    gui::StoreSession first;
    TransferList list(first);
    QSignalSpy listed(&first, &StoreSession::listed);
    first.open(sample_.folder());
    ASSERT_TRUE(listed.wait(kPatienceMs));
    const RemoteConfig far{
        .name = "far", .url = "hf://a/b", .endpoint = "http://127.0.0.1:1"};  // nobody listens
    ASSERT_EQ(run(first.queue(), gui::saveRemoteJob(first.store(), far)), Job::State::Finished);
    list.add(Direction::Pull, "far", {});
    list.add(Direction::Push, "share", {"tuned:v1"});  // waits while the other is tried again
    ASSERT_TRUE(waitFor([&] { return !listTransfers(**other).value().empty(); }));
    EXPECT_EQ(listTransfers(**other).value()[0].state, TransferEntry::State::Waiting);
  }
  ASSERT_TRUE(waitFor([&] {
    return std::any_of(list_.transfers().begin(), list_.transfers().end(), [](const auto& one) {
      return one.direction == Direction::Push && one.state == State::Interrupted;
    });
  }));
  list_.resumeAll();
  ASSERT_TRUE(waitFor([&] { return list_.openCount() == 0; }));
  EXPECT_EQ(list_.transfers().back().state, State::Done)
      << list_.transfers().back().words.toStdString();
}

TEST_F(TransferListTest, PausesWhatWaits) {
  list_.add(Direction::Push, "share", {"tuned:v1"});
  list_.add(Direction::Push, "share", {"tuned:v2"});
  list_.pause(list_.transfers()[1].id);
  EXPECT_EQ(list_.transfers()[1].state, State::Interrupted);
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[0].isOver(); }));
  EXPECT_EQ(list_.transfers()[1].state, State::Interrupted);
  list_.retry(list_.transfers()[1].id);
  ASSERT_TRUE(waitFor([&] { return list_.transfers()[1].isOver(); }));
  EXPECT_EQ(list_.transfers()[1].state, State::Done) << list_.transfers()[1].words.toStdString();
}

TEST_F(TransferListTest, PausesAllAndGoesOnInTheOrderThatIsAskedFor) {
  for (const char* label : {"base:v1", "tuned:v1", "tuned:v2"}) {
    list_.add(Direction::Push, "share", {label});
  }
  list_.pauseAll();
  const auto isPaused = [&] {
    return std::none_of(list_.transfers().begin(), list_.transfers().end(), [](const auto& one) {
      return one.state == State::Running || one.state == State::Waiting;
    });
  };
  ASSERT_TRUE(waitFor(isPaused));
  EXPECT_EQ(list_.transfers()[1].state, State::Interrupted);
  EXPECT_EQ(list_.transfers()[2].state, State::Interrupted);
  const int last = list_.transfers()[2].id;
  list_.retry(list_.transfers()[1].id);  // begins at once
  list_.retry(last);
  list_.add(Direction::Push, "share", {"base:v1"});
  const int added = list_.transfers().back().id;
  list_.moveUp(added);
  EXPECT_EQ(list_.transfers()[2].id, added);
  list_.moveUp(added);  // is the first of those that wait
  EXPECT_EQ(list_.transfers()[2].id, added);
  list_.moveDown(added);
  EXPECT_EQ(list_.transfers()[2].id, last);
  list_.resumeAll();
  EXPECT_TRUE(waitFor([&] { return list_.openCount() == 0; }));
}

TEST(RateMeter, ForgetsWhatIsLongerAgoThanFiveSeconds) {
  gui::RateMeter meter;
  EXPECT_EQ(meter.note(0, 0), 0);
  EXPECT_EQ(meter.note(400, 1'000'000), 0);
  EXPECT_DOUBLE_EQ(meter.note(1000, 2'000'000), 2e6);
  EXPECT_DOUBLE_EQ(meter.note(6000, 2'500'000), 1e5);  // since 1000
  EXPECT_DOUBLE_EQ(meter.note(12'000, 2'500'000), 0);
}

TEST(JobProgress, SaysHowLongItTakesOnlyWhereThatIsKnown) {
  gui::JobProgress progress;
  progress.doneBytes = 10;
  progress.totalBytes = 40;
  EXPECT_EQ(progress.timeLeftText(), "");
  progress.bytesPerSecond = 5;
  EXPECT_EQ(progress.timeLeftText(), "0:06");
  progress.doneBytes = 40;
  EXPECT_EQ(progress.timeLeftText(), "");
}

TEST_F(TransferListTest, KeepsRemotesInTheStore) {
  const RemoteConfig bad{.name = "bad", .url = "ftp://example.org"};
  EXPECT_EQ(run(session_.queue(), gui::saveRemoteJob(session_.store(), bad)), Job::State::Failed);
  auto* state = gui::remoteStateJob(session_.store(), "share");
  std::int64_t fetchedAt = -1;
  EXPECT_EQ(run(session_.queue(), state, [&] { fetchedAt = state->report().fetchedAt; }),
            Job::State::Finished);
  EXPECT_EQ(fetchedAt, 0);
  auto* forget = gui::forgetRemoteJob(session_.store(), "share");
  std::size_t count = 9;
  EXPECT_EQ(run(session_.queue(), forget, [&] { count = forget->report().remotes.size(); }),
            Job::State::Finished);
  EXPECT_EQ(count, 0U);
}

}  // namespace
}  // namespace strata::test
