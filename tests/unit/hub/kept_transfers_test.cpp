#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/ops/care/rebuild_catalog.h"
#include "core/transfer/transfer_claim.h"
#include "tests/unit/hub/exchange_fixture.h"
#include "tests/unit/hub/forwarding_transport.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Direction = TransferRequest::Direction;
using State = TransferEntry::State;

/// A folder that fails from its n-th object on.
class FailingFolder final : public test::ForwardingTransport {
 public:
  explicit FailingFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}

  std::optional<Error> failure = std::nullopt;
  int goodObjects = 0;  ///< before the failure
  std::function<void()> onObject = {};

  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter) override {
    STRATA_TRY(meet());
    return ForwardingTransport::put(object, source, stop, meter);
  }
  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override {
    STRATA_TRY(meet());
    return ForwardingTransport::get(object, firstByte, sink, stop, meter);
  }

 private:
  Result<void> meet() {
    if (onObject) onObject();
    if (failure && goodObjects-- <= 0) return fail(*failure);
    return {};
  }
};

class KeptTransfers : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    importBase(*store_);
    add(*store_, "sst2", 11);
  }

  std::vector<TransferEntry> listed(const Store& store) {
    auto entries = listTransfers(store);
    EXPECT_TRUE(entries) << entries.error().message;
    return entries.value_or(std::vector<TransferEntry>{});
  }
  std::vector<TransferEntry> listed() { return listed(*store_); }
  Result<PushReport> push(const PushOptions& options) {
    return ExchangeFixture::push(*store_, failing_, options);
  }
  /// Takes a claim in a child process, which then waits to be killed; its id.
  pid_t claimElsewhere(const TransferRequest& request, State state) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto store = Store::open(store_->folder());
      const auto claim = TransferClaim::take(**store, request, state, 100);
      if (::write(ready[1], "r", 1) != 1) ::_exit(1);
      ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    return child;
  }
  static void kill(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  std::unique_ptr<Store> store_ = makeStore("ours");
  FailingFolder failing_{folder_ / "remote"};
  const TransferRequest request_{.direction = Direction::Push, .remote = "hub"};
};

TEST_F(KeptTransfers, ListAFailedPushUntilItIsThrough) {
  failing_.failure = Error{ErrorCode::Network, "hub: no route"};
  failing_.goodObjects = 1;
  ASSERT_FALSE(push({.references = {"sst2"}, .parallel = 1, .keptAs = "hub"}));
  const auto entries = listed();
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].state, State::Failed);
  EXPECT_THAT(entries[0].problem, HasSubstr("no route"));
  EXPECT_EQ(entries[0].request.direction, Direction::Push);
  EXPECT_EQ(entries[0].request.remote, "hub");
  EXPECT_THAT(entries[0].request.references, ElementsAre("sst2:v1"));
  EXPECT_GT(entries[0].totalBytes, 0);
  failing_.failure.reset();
  ASSERT_TRUE(push(pushOptionsOf(entries[0].request)));
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(KeptTransfers, ListWhatRunsAndHowFarItCame) {
  std::vector<TransferEntry> during;
  failing_.onObject = [&] {
    if (during.empty()) during = listed();
  };
  ASSERT_TRUE(push({.parallel = 1, .keptAs = "hub"}));
  ASSERT_THAT(during, SizeIs(1));
  EXPECT_EQ(during[0].state, State::Running);
  EXPECT_EQ(during[0].processId, ::getpid());
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(KeptTransfers, ListAnInterruptedPullWithItsBytes) {
  ASSERT_TRUE(push({}));
  const auto theirs = makeStore("theirs");
  std::stop_source stop;
  failing_.goodObjects = 2;
  failing_.failure = Error{ErrorCode::Cancelled, "cancelled"};
  PullOptions options{.references = {"sst2"}, .latest = 3, .parallel = 1, .keptAs = "hub"};
  ASSERT_FALSE(pull(*theirs, failing_, options));
  const auto entries = listed(*theirs);
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].state, State::Interrupted);
  EXPECT_EQ(entries[0].problem, "");
  EXPECT_GT(entries[0].doneBytes, 0);
  EXPECT_LT(entries[0].doneBytes, entries[0].totalBytes);
  EXPECT_EQ(entries[0].request.latest, 3U);
  failing_.failure.reset();
  ASSERT_TRUE(pull(*theirs, failing_, pullOptionsOf(entries[0].request)));
  EXPECT_THAT(listed(*theirs), IsEmpty());
}

TEST_F(KeptTransfers, LeaveOutWhatMovesNothingOrCannotBeMended) {
  ASSERT_TRUE(push({.dryRun = true, .keptAs = "hub"}));
  EXPECT_THAT(listed(), IsEmpty());
  ASSERT_FALSE(push({.references = {"unknown"}, .keptAs = "hub"}));
  EXPECT_THAT(listed(), IsEmpty());
  failing_.failure = Error{ErrorCode::NotFound, "no such repository"};
  ASSERT_FALSE(push({.keptAs = "hub"}));
  EXPECT_THAT(listed(), IsEmpty());
  failing_.failure = Error{ErrorCode::Network, "no route"};
  ASSERT_FALSE(push({}));
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_F(KeptTransfers, KnowTheDeathOfTheirProcess) {
  for (const State state : {State::Running, State::Waiting}) {
    const pid_t child = claimElsewhere(request_, state);
    auto entries = listed();
    ASSERT_THAT(entries, SizeIs(1));
    EXPECT_EQ(entries[0].state, state);
    EXPECT_EQ(entries[0].processId, child);
    const auto refused = forgetTransfers(*store_, {entries[0].id});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    kill(child);
    entries = listed();
    ASSERT_THAT(entries, SizeIs(1));
    EXPECT_EQ(entries[0].state, State::Interrupted);
    ASSERT_TRUE(forgetTransfers(*store_, {entries[0].id, 4711}));
    EXPECT_THAT(listed(), IsEmpty());
  }
}

TEST_F(KeptTransfers, AreTakenOverByAnEqualRequestOnly) {
  kill(claimElsewhere(request_, State::Running));
  const std::int64_t id = listed().at(0).id;
  TransferRequest other = request_;
  other.forceTags = true;
  const auto different = TransferClaim::take(*store_, other, State::Running);
  EXPECT_THAT(listed(), SizeIs(2));
  const auto equal = TransferClaim::take(*store_, request_, State::Running);
  const auto entries = listed();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].id, id);
  EXPECT_EQ(entries[0].state, State::Running);
  EXPECT_EQ(entries[0].totalBytes, 100U);
  // What runs is not taken over: both go on.
  const auto twin = TransferClaim::take(*store_, request_, State::Running);
  EXPECT_THAT(listed(), SizeIs(3));
  equal->finish();
  EXPECT_THAT(listed(), SizeIs(2));
}

TEST_F(KeptTransfers, RememberAllThatWasAskedFor) {
  const std::vector<TransferRequest> requests{
      {.direction = Direction::Push,
       .remote = "hf://acme/models",
       .references = {"sst2:v1", "q*"},
       .withBase = false,
       .tags = false,
       .forceTags = true,
       .renumber = true,
       .plain = true,
       .makePublic = true,
       .message = "a \"better\" one\n"},
      {.direction = Direction::Pull, .remote = "lab", .latest = 7, .lazy = true},
  };
  for (const TransferRequest& request : requests) {
    { const auto claim = TransferClaim::take(*store_, request, State::Running); }
    const auto entries = listed();
    ASSERT_THAT(entries, SizeIs(1));
    EXPECT_EQ(entries[0].request, request);
    EXPECT_EQ(entries[0].state, State::Interrupted);
    ASSERT_TRUE(forgetTransfers(*store_, {entries[0].id}));
  }
  EXPECT_EQ(requestOf(pushOptionsOf(requests[0])), requests[0]);
  EXPECT_EQ(requestOf(pullOptionsOf(requests[1])), requests[1]);
}

TEST_F(KeptTransfers, OutliveTheRebuildOfASoundCatalogAndLoseNoDataWithALostOne) {
  kill(claimElsewhere(request_, State::Running));
  ASSERT_TRUE(rebuildCatalog(store_->folder(), {}, {}));
  EXPECT_THAT(listed(), SizeIs(1));
  // Without a catalog a transfer goes on all the same.
  const auto claim = TransferClaim::take(*store_, request_, State::Running);
  const fs::path folder = store_->folder();
  fs::remove(folder / "catalog.sqlite");
  claim->note(3);
  const auto unkept = TransferClaim::take(*store_, request_, State::Running);
  unkept->note(3);
  unkept->fail({ErrorCode::Network, "no route"});
  ASSERT_TRUE(rebuildCatalog(folder, {}, {}));
  const auto again = std::move(Store::open(folder)).value();
  EXPECT_THAT(listed(*again), IsEmpty());
  EXPECT_TRUE(again->resolve("sst2:v1"));
}

TEST_F(KeptTransfers, AreNoChangeOfVersions) {
  const auto table =
      std::move(TransferTable::open(store_->folder(), TransferTable::Access::Read)).value();
  const std::int64_t before = table->otherChanges().value();
  const std::int64_t seen = store_->catalog().dataVersion().value();
  { const auto claim = TransferClaim::take(*store_, request_, State::Running); }
  EXPECT_EQ(table->otherChanges().value(), before);
  EXPECT_NE(store_->catalog().dataVersion().value(), seen);
  ASSERT_TRUE(rebuildCatalog(store_->folder(), {}, {}));
  EXPECT_NE(table->otherChanges().value(), before);
}

}  // namespace
}  // namespace strata::hub
