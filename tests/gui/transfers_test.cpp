#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "core/store/store_writer.h"
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

TEST(Transfers, ComeBackFromTheirTextAsInterrupted) {
  std::vector<Transfer> list(3);
  list[0].direction = Direction::Push;
  list[0].remote = "hub";
  list[0].references = {"sst2:v1", "sst2:v2"};
  list[0].state = State::Running;
  list[1].remote = "lab";
  list[2].remote = "gone";
  list[2].state = State::Done;
  const auto back = gui::transfersFromJson(gui::toJson(list));
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].direction, Direction::Push);
  EXPECT_EQ(back[0].references, list[0].references);
  EXPECT_EQ(back[0].state, State::Interrupted);
  EXPECT_EQ(back[1].remote, "lab");
  EXPECT_TRUE(gui::transfersFromJson("nonsense").empty());
  EXPECT_TRUE(gui::transfersFromJson("[{\"push\":1},3,null]").empty());
}

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

TEST_F(TransferListTest, RemembersWhatWasOpenWhenTheWindowClosed) {
  gui::StoreSession first;
  QSignalSpy listed(&first, &StoreSession::listed);
  first.open(sample_.folder());
  ASSERT_TRUE(listed.wait(kPatienceMs));
  writeWhole(sample_.path() / "transfers.json",
             "[{\"push\": true, \"remote\": \"share\", \"references\": [\"tuned:v1\"]}]");
  gui::StoreSession second;
  TransferList list(second);
  second.open(sample_.folder());
  ASSERT_TRUE(waitFor([&] { return list.transfers().size() == 1; }));
  EXPECT_EQ(list.transfers()[0].state, State::Interrupted);
  list.resumeAll();
  ASSERT_TRUE(waitFor([&] { return list.transfers()[0].isOver(); }));
  EXPECT_EQ(list.transfers()[0].state, State::Done) << list.transfers()[0].words.toStdString();
  ASSERT_TRUE(waitFor([&] {
    return readWhole(sample_.path() / "transfers.json").find("share") == std::string::npos;
  }));
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
